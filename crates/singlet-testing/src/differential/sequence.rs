//! The sequences that systems are compared on: requests, and between them what only an engine with
//! a clock that the test sets can do.

use crate::generator::{self, Generator, Profile, STORY};
use crate::random::Random;
use singlet_dynamo::operation::{Query, Request, Scan};

/// One thing to do.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request whose answers are compared as they are.
    Request(Request),
    /// A query, and then the next page and the next, to the end.
    Pages(Query),
    /// A scan, page by page to the end.
    Scan(Scan),
    /// Something about streams, whose names and numbers are each system's own.
    Stream(StreamStep),
    /// Advances the clock by so many milliseconds.
    Advance(i64),
    /// Runs the maintenance that is due.
    Maintain,
    /// The system is closed and opened again, if it can be.
    Reopen,
}

/// Something to do with streams.
#[derive(Clone, Debug)]
pub enum StreamStep {
    /// Lists the streams of a table or of all, so many on a page.
    List(Option<String>, usize),
    /// Describes a stream, by its place in the list of all.
    Describe(usize),
    /// Gets an iterator for a stream and keeps it in a slot.
    Open {
        /// Where it is kept.
        slot: usize,
        /// The stream, by its place in the list of all.
        stream: usize,
        /// Which place of the stream.
        place: Place,
    },
    /// Reads all there is from the iterator in a slot on, so many records on a page.
    Read {
        /// Where the iterator is kept, and the next one will be.
        slot: usize,
        /// How many records a page has at most.
        limit: usize,
    },
}

/// A place in a stream.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the variants are the types of iterators")]
pub enum Place {
    TrimHorizon,
    Latest,
    /// The nth record that was read from the stream.
    At(usize),
    /// The place after the nth record that was read.
    After(usize),
}

/// How many iterators are kept at a time.
pub(super) const SLOTS: usize = 3;

/// A sequence of about so many steps, which follows from its seed.
#[must_use]
pub fn sequence(seed: u64, len: usize, profile: Profile) -> Vec<Step> {
    let mut generator = Generator::new(seed, profile);
    // Another stream of numbers than the generator's.
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

/// The step that a system can be compared on. A request that the language refuses never comes to an
/// engine.
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
        // Requests meet tables that are still changing, too.
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

/// Mostly seconds, sometimes long enough for items, tokens, iterators and records to expire.
fn pause(random: &mut Random) -> i64 {
    const SECOND: i64 = 1000;
    const MINUTE: i64 = 60 * SECOND;
    const HOUR: i64 = 60 * MINUTE;
    let units = [SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, HOUR, 13 * HOUR];
    let unit = units[random.below(units.len())];
    unit + random.below(unit as usize) as i64
}
