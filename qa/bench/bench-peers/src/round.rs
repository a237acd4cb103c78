//! One round: prepared requests, executed by some threads against the clock.

use crate::contender::{Contender, Task};
use crate::process;
use singlet_engine::Random;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// The approximate length of a round: long enough for the clock, short enough to run sometimes
/// undisturbed.
const ROUND: Duration = Duration::from_millis(120);
/// The maximum number of prepared requests; each takes about two kilobytes.
const REQUESTS_MAX: usize = 200_000;
/// Trial requests, to find out how many fit in a round.
const TRIAL: usize = 500;

/// A task with its threads and items.
#[derive(Clone, Copy)]
pub(crate) struct Course {
    pub(crate) task: Task,
    pub(crate) threads: usize,
    pub(crate) items: u64,
}

/// The result of a round, or the best of several.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    /// Requests per second of wall-clock time.
    pub(crate) rate: f64,
    /// Processor nanoseconds per request over all threads. Hardly depends on other load.
    pub(crate) processor_ns: f64,
}

impl Outcome {
    /// Worse than any result.
    pub(crate) const NONE: Self = Self { rate: 0.0, processor_ns: f64::INFINITY };

    pub(crate) fn best(self, other: Self) -> Self {
        let processor_ns = self.processor_ns.min(other.processor_ns);
        Self { rate: self.rate.max(other.rate), processor_ns }
    }
}

impl Course {
    /// The number of requests that a contender completes in a round.
    pub(crate) fn requests(self, contender: &impl Contender) -> usize {
        let trial = self.run(contender, TRIAL, 0);
        ((trial.rate * ROUND.as_secs_f64()) as usize).clamp(TRIAL, REQUESTS_MAX)
    }

    /// Executes this many requests on random items, chosen by the seed.
    pub(crate) fn run(self, contender: &impl Contender, requests: usize, seed: u64) -> Outcome {
        let random = Random::seeded(seed);
        let each = requests.div_ceil(self.threads);
        let mut shares: Vec<Vec<_>> = Vec::new();
        for _ in 0..self.threads {
            let share = (0..each).map(|_| {
                let version = random.next_u64() as u32;
                contender.prepare(self.task, random.next_u64() % self.items, version)
            });
            shares.push(share.collect());
        }
        let gate = Barrier::new(self.threads);
        let gate = &gate;
        let spans: Vec<(Instant, Instant, Duration)> = std::thread::scope(|scope| {
            let runners: Vec<_> = shares
                .into_iter()
                .map(|share| {
                    scope.spawn(move || {
                        gate.wait();
                        let (start, spent) = (Instant::now(), process::processor_time());
                        for request in share {
                            contender.carry_out(request);
                        }
                        let spent = process::processor_time().saturating_sub(spent);
                        (start, Instant::now(), spent)
                    })
                })
                .collect();
            runners.into_iter().map(|runner| runner.join().expect("no panic")).collect()
        });
        let start = spans.iter().map(|span| span.0).min().expect("a thread");
        let end = spans.iter().map(|span| span.1).max().expect("a thread");
        let spent: Duration = spans.iter().map(|span| span.2).sum();
        let requests = (each * self.threads) as f64;
        Outcome {
            rate: requests / (end - start).as_secs_f64(),
            processor_ns: spent.as_secs_f64() * 1e9 / requests,
        }
    }
}
