//! Whether a system does what the [`Reference`] does, step by step.
//!
//! [`find`] runs random sequences on both and compares every answer and every error. When they
//! differ it looks for a short sequence that shows the difference, and tells both answers.
//!
//! A few things are a system's own: the ids of tables, the numbers of stream records, and the
//! order in which a Scan goes through partitions. These are not compared as they are; but records
//! must come in the same order, and a Scan must read every row once, whatever the segments, pages
//! and start keys.

mod compare;
mod scan;
mod sequence;
mod shrink;
mod streams;

use crate::generator::{Profile, START_SECOND};
use crate::reference::Reference;
use compare::compare;
pub use sequence::{Place, Step, StreamStep, sequence};
use singlet_dynamo::arn::Home;
use singlet_dynamo::operation::{Answer, Request};
use singlet_dynamo::{Error, Timestamp};
use std::fmt::{self, Debug};
use streams::Streams;

/// What is compared with the reference.
pub trait System {
    /// Carries out a request.
    fn run(&mut self, request: Request) -> Result<Answer, Error>;

    /// Lets time pass.
    fn advance(&mut self, millis: i64);

    /// Does what is due: deletes what has expired, finishes tables, forgets old records.
    fn maintain(&mut self);

    /// Closes and opens again, where that means something.
    fn reopen(&mut self);

    /// What is wrong with what is stored, in words: the audit after a sequence.
    fn audit(&mut self) -> Vec<String>;
}

/// Where systems under test live, and the moment at which they begin.
#[must_use]
pub fn home() -> Home {
    Home { region: "us-east-1".to_owned(), account: "000000000000".to_owned() }
}

/// The moment at which sequences begin, in milliseconds since 1970.
pub const START_MS: i64 = START_SECOND * 1000;

/// Where two answers differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The step, by its place in the sequence; one past the end for the audit.
    pub step: usize,
    /// What was asked and what each of the two said.
    pub what: String,
}

/// A sequence on which a system and the reference differ.
pub struct Finding {
    /// What the sequence was made from.
    pub seed: u64,
    /// As few of its steps as still show a difference.
    pub steps: Vec<Step>,
    /// The difference that they show.
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

/// A system and the reference, at the same point of a sequence.
struct Pair<'s, S> {
    system: &'s mut S,
    reference: Reference,
    streams: Streams,
    /// How many requests the system was given.
    operations: usize,
}

/// Runs a sequence on a new system, and gives the number of requests that it was given.
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

/// Runs sequences from the seeds on until so many requests were given, each sequence on a new
/// system. Gives the number of requests, or the first finding.
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
                let (steps, difference) = shrink::shrink(steps, difference, shows);
                return Err(Box::new(Finding { seed, steps, difference }));
            }
        }
    }
    Ok(operations)
}

impl<S: System> Pair<'_, S> {
    /// Carries out a step on both; an error says how they differ.
    fn step(&mut self, step: &Step) -> Result<(), String> {
        // No two things happen at the same moment, as streams are named by theirs.
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

    /// Asks the system alone.
    fn ask(&mut self, request: impl Into<Request>) -> Result<Answer, Error> {
        self.operations += 1;
        self.system.run(request.into())
    }

    /// Asks both and compares. Gives the answer that both gave, if it was no refusal.
    fn request(&mut self, request: &Request) -> Result<Option<Answer>, String> {
        let actual = self.ask(request.clone());
        let expected = self.reference.run(request);
        compare(request, &actual, &expected)?;
        Ok(actual.ok())
    }
}
