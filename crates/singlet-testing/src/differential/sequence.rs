//! Random sequences of requests, mixed with steps for an engine with a settable clock.

use crate::generator::{self, Generator, Profile, STORY};
use crate::random::Random;
use singlet_dynamo::operation::{Query, Request, Scan};

/// One step of a sequence.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request whose answers are compared exactly.
    Request(Request),
    /// A query, followed page by page to the end.
    Pages(Query),
    /// A scan, followed page by page to the end.
    Scan(Scan),
    /// A step on streams, whose ARNs and sequence numbers are specific to a system.
    Stream(StreamStep),
    /// Advances the clock by this many milliseconds.
    Advance(i64),
    /// Runs due maintenance.
    Maintain,
    /// Closes and reopens the system.
    Reopen,
}

/// A step on streams.
#[derive(Clone, Debug)]
pub enum StreamStep {
    /// Lists the streams of one table or of all, with this page size.
    List(Option<String>, usize),
    /// Describes a stream, by its index in the list of all.
    Describe(usize),
    /// Gets an iterator for a stream and stores it in a slot.
    Open {
        /// The slot for the iterator.
        slot: usize,
        /// The stream, by its index in the list of all.
        stream: usize,
        /// Where to start.
        place: Place,
    },
    /// Reads from the iterator in a slot to the end.
    Read {
        /// The slot of the iterator, also for the next one.
        slot: usize,
        /// The page size.
        limit: usize,
    },
}

/// A position in a stream.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the variants are the types of iterators")]
pub enum Place {
    TrimHorizon,
    Latest,
    /// At the nth record read from the stream.
    At(usize),
    /// After the nth record read.
    After(usize),
}

pub(super) const SLOTS: usize = 3;

/// The sequence of a seed, with about this many steps.
#[must_use]
pub fn sequence(seed: u64, len: usize, profile: Profile) -> Vec<Step> {
    let mut generator = Generator::new(seed, profile);
    // Independent of the generator's random numbers.
    let mut random = Random::new(!seed);
    let mut asked = Vec::new();
    generator.begin(&mut asked);
    let mut steps = Vec::with_capacity(len);
    while steps.len() < len {
        steps.extend(asked.drain(..).filter_map(|step| step_of(step, &mut random)));
        match random.below(1000) {
            0..45 => steps.push(Step::Stream(stream(&mut random))),
            45..65 => steps.push(Step::Advance(pause(&mut random))),
            65..100 => steps.push(Step::Maintain),
            100..106 => steps.push(Step::Reopen),
            _ => generator.step(&mut asked),
        }
    }
    steps
}

/// Converts a step. `None` for a request that fails validation, which an engine never sees.
fn step_of(step: generator::Step, random: &mut Random) -> Option<Step> {
    let request =
        |call: generator::Call| Request::from_json(call.operation, call.body.as_bytes()).ok();
    match step {
        generator::Step::Ask(call) => request(call).map(Step::Request),
        generator::Step::Pages { call, .. } => match request(call)? {
            Request::Query(query) => Some(Step::Pages(query)),
            Request::Scan(scan) => Some(Step::Scan(scan)),
            other => Some(Step::Request(other)),
        },
        generator::Step::Records(_) => Some(Step::Stream(stream(random))),
        // Half of the time, let later requests find tables that are still changing.
        generator::Step::Settle(_) => random.percent(50).then_some(Step::Maintain),
    }
}

fn stream(random: &mut Random) -> StreamStep {
    let (slot, stream) = (random.below(SLOTS), random.below(4));
    match random.below(10) {
        0 => {
            let name = random.percent(30).then(|| format!("{STORY}_alpha"));
            StreamStep::List(name, 1 + random.below(3))
        }
        1 => StreamStep::Describe(stream),
        2..5 => {
            let place = match random.below(5) {
                0 | 1 => Place::TrimHorizon,
                2 => Place::Latest,
                3 => Place::At(random.below(40)),
                _ => Place::After(random.below(40)),
            };
            StreamStep::Open { slot, stream, place }
        }
        _ => StreamStep::Read { slot, limit: *random.one_of(&[3, 10, 1000]).unwrap_or(&10) },
    }
}

/// Mostly seconds, sometimes long enough to expire items, tokens, iterators and records.
fn pause(random: &mut Random) -> i64 {
    const SECOND: i64 = 1000;
    const MINUTE: i64 = 60 * SECOND;
    const HOUR: i64 = 60 * MINUTE;
    let units = [SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, HOUR, 13 * HOUR];
    let unit = units[random.below(units.len())];
    unit + random.below(unit as usize) as i64
}
