//! Differential tests of a system against the [`Reference`].
//!
//! [`find`] runs random sequences on both and compares every answer and error. It shrinks a
//! sequence that shows a difference and reports both answers.
//!
//! Table ids, sequence numbers and the partition order of a Scan are specific to a system and not
//! compared directly. Stream records must still come in the same order, and a Scan must read every
//! row once for any segments, pages and start keys.

mod compare;
mod scan;
mod sequence;
mod shrink;
mod streams;

use crate::generator::{Profile, START_SECOND};
use crate::reference::Reference;
use compare::compare;
pub use sequence::{Place, Step, StreamStep, sequence};
pub use shrink::shrink;
use singlet_dynamo::arn::Home;
use singlet_dynamo::operation::{Answer, Request};
use singlet_dynamo::{Error, Timestamp};
use std::fmt::{self, Debug};
use streams::Streams;

/// The system under test.
pub trait System {
    /// Executes a request.
    fn run(&mut self, request: Request) -> Result<Answer, Error>;

    /// Advances the clock.
    fn advance(&mut self, millis: i64);

    /// Runs due maintenance: expires items, finishes table changes, trims streams.
    fn maintain(&mut self);

    /// Closes and reopens the system, if it can.
    fn reopen(&mut self);

    /// Problems found by an audit of the stored data after a sequence.
    fn audit(&mut self) -> Vec<String>;
}

/// Region and account of systems under test.
#[must_use]
pub fn home() -> Home {
    Home { region: "us-east-1".to_owned(), account: "000000000000".to_owned() }
}

/// The time at which sequences begin, in milliseconds since 1970.
pub const START_MS: i64 = START_SECOND * 1000;

/// A difference between two answers.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The index of the step; one past the end for the audit.
    pub step: usize,
    /// The request and both answers.
    pub what: String,
}

/// A sequence on which a system and the reference differ.
pub struct Finding {
    /// The seed of the sequence.
    pub seed: u64,
    /// A minimal set of steps that shows a difference.
    pub steps: Vec<Step>,
    /// The difference.
    pub difference: Difference,
}

impl Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nseed {}, shrunk to {} steps:", self.seed, self.steps.len())?;
        for (at, step) in self.steps.iter().enumerate() {
            writeln!(f, "{at:4}  {step:?}")?;
        }
        writeln!(f, "\nstep {} differs:\n{}", self.difference.step, self.difference.what)
    }
}

struct Pair<'s, S> {
    system: &'s mut S,
    reference: Reference,
    streams: Streams,
    /// Requests sent to the system.
    operations: usize,
}

/// Runs a sequence on a new system and returns the number of requests sent.
pub fn run<S: System>(steps: &[Step], system: &mut S) -> Result<usize, Difference> {
    let reference = Reference::new(home(), Timestamp::from_millis(START_MS));
    let mut pair = Pair { system, reference, streams: Streams::default(), operations: 0 };
    for (at, step) in steps.iter().enumerate() {
        pair.step(step).map_err(|what| Difference { step: at, what })?;
    }
    let problems = pair.system.audit();
    if !problems.is_empty() {
        let what = format!("the audit found: {}", problems.join("; "));
        return Err(Difference { step: steps.len(), what });
    }
    Ok(pair.operations)
}

/// Runs one sequence per seed, each on a new system, until this many requests were sent. Returns
/// their number, or the first finding.
pub fn find<S: System>(
    seeds: impl IntoIterator<Item = u64>,
    len: usize,
    profile: Profile,
    operations_min: usize,
    mut system: impl FnMut() -> S,
) -> Result<usize, Box<Finding>> {
    let mut operations = 0;
    for seed in seeds {
        if operations >= operations_min {
            break;
        }
        let steps = sequence(seed, len, profile);
        match run(&steps, &mut system()) {
            Ok(count) => operations += count,
            Err(difference) => {
                let shows = |steps: &[Step]| run(steps, &mut system()).err();
                let (steps, difference) = shrink(steps, difference, shows);
                return Err(Box::new(Finding { seed, steps, difference }));
            }
        }
    }
    Ok(operations)
}

impl<S: System> Pair<'_, S> {
    /// Runs a step on both sides; an error describes the difference.
    fn step(&mut self, step: &Step) -> Result<(), String> {
        // Stream ARNs contain a timestamp: give every step its own.
        self.advance(1);
        match step {
            Step::Request(request) => self.request(request).map(drop),
            Step::Pages(query) => {
                let mut query = query.clone();
                loop {
                    let Some(Answer::Page(page)) = self.request(&query.clone().into())? else {
                        return Ok(());
                    };
                    match page.last_evaluated_key {
                        Some(key) => query.exclusive_start_key = Some(key),
                        None => return Ok(()),
                    }
                }
            }
            Step::Scan(scan) => self.scan(scan),
            Step::Stream(step) => self.stream(step),
            Step::Advance(millis) => {
                self.advance(*millis);
                Ok(())
            }
            Step::Maintain => {
                self.system.maintain();
                self.reference.maintain();
                Ok(())
            }
            Step::Reopen => {
                self.system.reopen();
                Ok(())
            }
        }
    }

    fn advance(&mut self, millis: i64) {
        self.system.advance(millis);
        self.reference.advance(millis);
    }

    /// Sends a request to the system only.
    fn ask(&mut self, request: impl Into<Request>) -> Result<Answer, Error> {
        self.operations += 1;
        self.system.run(request.into())
    }

    /// Sends a request to both and compares. Returns the answer unless it is an error.
    fn request(&mut self, request: &Request) -> Result<Option<Answer>, String> {
        let actual = self.ask(request.clone());
        let expected = self.reference.run(request);
        compare(request, &actual, &expected)?;
        Ok(actual.ok())
    }
}
