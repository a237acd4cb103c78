//! How running time grows with input size.
//!
//! Quadratic parsing is harmless on test inputs and takes minutes on a hostile megabyte. Processor
//! time is measured, because wall-clock time on a busy machine includes other work. It is steady
//! enough to tell a factor of eight from sixty-four.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The ratio of the input sizes.
const FACTOR: u32 = 8;
/// The largest accepted ratio of the times: 8 is linear, 64 quadratic.
const TIMES_MAX: u32 = 24;
/// Times below this are too short to compare.
const FLOOR: Duration = Duration::from_micros(50);
/// Attempts before a comparison counts as failed.
const ATTEMPTS: usize = 4;
/// Alternations per attempt. The fastest run of each input counts, as the least disturbed one.
const TURNS: usize = 5;

/// The two measured times.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// The time for an input of the given size.
    pub small: Duration,
    /// The time for an input eight times as large.
    pub large: Duration,
}

impl Growth {
    /// Whether the time grows about linearly.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.large <= self.small.max(FLOOR) * TIMES_MAX
    }
}

/// Compares the times for inputs of size `n` and eight times `n`.
pub fn growth(n: usize, input: impl Fn(usize) -> Vec<u8>, run: impl Fn(&[u8])) -> Growth {
    let small = input(n);
    let large = input(n * FACTOR as usize);
    let mut found = Growth { small: Duration::MAX, large: Duration::MAX };
    for _ in 0..ATTEMPTS {
        for _ in 0..TURNS {
            // Repeat the small input to give it about as much time as the large one.
            for _ in 0..FACTOR / 2 {
                found.small = found.small.min(processor_time(|| run(&small)));
            }
            found.large = found.large.min(processor_time(|| run(&large)));
        }
        if found.is_linear() {
            break;
        }
    }
    found
}

/// The processor time of `run`.
pub fn processor_time(run: impl FnOnce()) -> Duration {
    let spent = || {
        let spent = clock_gettime(ClockId::ThreadCPUTime);
        Duration::try_from(spent).unwrap_or_default()
    };
    let before = spent();
    run();
    spent().saturating_sub(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn a_planted_quadratic_body_is_caught() {
        let zeros = |n| vec![0; n];
        let every_pair = |input: &[u8]| {
            for i in 0..input.len() {
                black_box(input[i..].iter().filter(|&&byte| black_box(byte) == 1).count());
            }
        };
        let once = |input: &[u8]| {
            for _ in 0..500 {
                black_box(input.iter().filter(|&&byte| black_box(byte) == 1).count());
            }
        };
        assert!(!growth(800, zeros, every_pair).is_linear());
        assert!(growth(500, zeros, once).is_linear());
    }
}
