//! Time, measured so that a busy machine disturbs it little: it is the processor's time for
//! this thread that counts, since that of the clock goes to others too.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How long one sample lasts: long enough for the clock, short enough to fall between two
/// interruptions now and then.
const SAMPLE: Duration = Duration::from_millis(20);
/// How many samples are taken. The best one is the least disturbed one.
const SAMPLES: usize = 15;

/// Nanoseconds that one call of each body takes.
///
/// The bodies take turns, sample by sample, so that whatever else the machine is doing
/// meets all of them alike: their ratios are steadier than their times.
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

/// How often a body can be called in the time of a sample.
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
