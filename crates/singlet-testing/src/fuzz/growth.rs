//! How the time for an input grows with the input.
//!
//! A parser that does a little more for each byte than for the byte before is harmless on
//! every input a test would think of, and takes minutes on a megabyte that somebody sends on
//! purpose. What is measured is the time of the processor, since that of the clock on a busy
//! machine goes to others; it is steady enough to tell eight times from sixty-four times.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How much longer the larger input is.
const FACTOR: u32 = 8;
/// How much longer it may take: eight times would be linear, sixty-four times quadratic.
const TIMES_MAX: u32 = 24;
/// What is too short to be measured is not judged.
const FLOOR: Duration = Duration::from_micros(50);
/// A comparison that looks bad is carried on this often before it is believed.
const ATTEMPTS: usize = 4;
/// The inputs take turns so often in each attempt. The fastest run of each counts, as the one
/// that nothing else disturbed.
const TURNS: usize = 5;

/// What a comparison showed.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// The time for the input of the given size.
    pub small: Duration,
    /// The time for one eight times as large.
    pub large: Duration,
}

impl Growth {
    /// Whether the time grows about as the input does.
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
            // The short runs are made as often as it takes to be among the long ones.
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

/// How long the processor was busy with `run`.
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
