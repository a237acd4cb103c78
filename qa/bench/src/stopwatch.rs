//! Measures the processor time of this thread, which a busy machine disturbs less than wall-clock
//! time.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The length of a sample: long enough for the clock, short enough to run sometimes without an
/// interruption.
const SAMPLE: Duration = Duration::from_millis(20);
/// The number of samples. The best one is the least disturbed.
const SAMPLES: usize = 15;

/// Nanoseconds per call of each body.
///
/// The bodies alternate sample by sample, so that other load affects all of them alike: ratios are
/// steadier than times.
pub(crate) fn race(bodies: &[&dyn Fn()]) -> Vec<f64> {
    let rounds: Vec<u32> = bodies.iter().map(|body| rounds_in_sample(body)).collect();
    let mut best = vec![f64::INFINITY; bodies.len()];
    for _ in 0..SAMPLES {
        for ((body, &rounds), best) in bodies.iter().zip(&rounds).zip(&mut best) {
            let nanoseconds = time(body, rounds).as_secs_f64() * 1e9 / f64::from(rounds);
            *best = best.min(nanoseconds);
        }
    }
    best
}

/// The number of calls that fit in a sample.
fn rounds_in_sample(body: &dyn Fn()) -> u32 {
    let mut rounds = 1;
    while time(body, rounds) < SAMPLE && rounds < 1 << 28 {
        rounds *= 2;
    }
    rounds
}

fn time(body: &dyn Fn(), rounds: u32) -> Duration {
    let start = spent();
    for _ in 0..rounds {
        body();
    }
    spent().saturating_sub(start)
}

fn spent() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
