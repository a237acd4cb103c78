//! CPU time of the current thread.

use std::time::Duration;

/// CPU time of the current thread. Unlike wall-clock time it does not grow while other programs
/// run, so a busy machine does not make requests look expensive.
#[cfg(unix)]
#[must_use]
pub fn thread_cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

/// Wall-clock time, on platforms without per-thread CPU time.
#[cfg(not(unix))]
#[must_use]
pub fn thread_cpu_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computing_takes_time_and_waiting_does_not() {
        // Far above the clock's resolution on any machine.
        const ROUNDS: u64 = 20_000_000;
        let begun = thread_cpu_time();
        let mut sum = 0_u64;
        for round in 0..ROUNDS {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(round));
        }
        let computed = thread_cpu_time();
        assert!(computed > begun, "{sum}");
        let waiting = std::time::Instant::now();
        std::thread::sleep(Duration::from_millis(100));
        let used = thread_cpu_time() - computed;
        assert!(cfg!(not(unix)) || used < waiting.elapsed() / 2, "{used:?}");
    }
}
