//! Random sequences of commands, each following from its seed alone.
//!
//! Keys, attributes and values come from small domains, so that commands meet: most writes
//! find an item, most conditions are nearly true, most queries find a few rows. A sequence is a
//! plain list of [`Step`]s that do not depend on what was answered before, so that a step can be
//! left out and the rest still makes sense.

mod design;
mod expression;
mod items;
mod tables;
mod value;

use crate::random::Random;
use design::Design;
pub use items::START_SECOND;
use singlet_dynamo::operation::{Query, Request, Scan, TransactWriteItems};

/// One thing to do.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request, and its answer is looked at as it is.
    Request(Request),
    /// A query, and then the next page and the next, to the end.
    Pages(Query),
    /// A scan, page by page to the end.
    Scan(Scan),
    /// Something about streams, whose names and numbers are each system's own.
    Stream(StreamStep),
    /// So many milliseconds pass.
    Advance(i64),
    /// What is due is done.
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
    /// The record of this place among those that were ever read from the stream.
    At(usize),
    /// The same.
    After(usize),
}

/// How many iterators are kept at a time.
pub const SLOTS: usize = 3;

/// What sequences are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Many small items.
    Small,
    /// A few items of which some are so large that pages end with them.
    Large,
}

/// Makes a sequence, step by step.
pub struct Generator {
    random: Random,
    profile: Profile,
    /// The tables, as they are if no step was refused.
    designs: Vec<Design>,
    /// Transactions with tokens, to be sent again.
    tokens: Vec<TransactWriteItems>,
}

/// A sequence of steps.
///
/// ```
/// use singlet_testing::generator::{Profile, sequence};
///
/// let steps = sequence(7, 50, Profile::Small);
/// assert_eq!(format!("{steps:?}"), format!("{:?}", sequence(7, 50, Profile::Small)));
/// ```
#[must_use]
pub fn sequence(seed: u64, len: usize, profile: Profile) -> Vec<Step> {
    let mut generator =
        Generator { random: Random::new(seed), profile, designs: Vec::new(), tokens: Vec::new() };
    let mut steps = Vec::with_capacity(len);
    for _ in 0..2 {
        steps.push(Step::Request(generator.create_table()));
    }
    steps.push(Step::Maintain);
    for _ in 0..5 {
        steps.push(Step::Request(generator.load().into()));
    }
    while steps.len() < len {
        steps.push(generator.step());
    }
    steps
}

impl Generator {
    fn step(&mut self) -> Step {
        match self.random.below(1000) {
            0..170 => Step::Request(self.put_item().into()),
            170..350 => Step::Request(self.update_item().into()),
            350..410 => Step::Request(self.delete_item().into()),
            410..470 => Step::Request(self.get_item().into()),
            470..580 => Step::Pages(self.query()),
            580..600 => Step::Request(self.query_from_anywhere().into()),
            600..650 => Step::Scan(self.scan()),
            650..680 => Step::Request(self.batch_get_item().into()),
            680..725 => Step::Request(self.batch_write_item().into()),
            725..755 => Step::Request(self.transact_get_items().into()),
            755..840 => Step::Request(self.transact_write_items().into()),
            840..885 => Step::Stream(self.stream()),
            885..905 => Step::Advance(self.pause()),
            905..940 => Step::Maintain,
            940..946 => Step::Reopen,
            _ => Step::Request(self.about_tables()),
        }
    }

    fn stream(&mut self) -> StreamStep {
        let random = &mut self.random;
        let (slot, stream) = (random.below(SLOTS), random.below(4));
        match random.below(10) {
            0 => {
                let name = random.percent(30).then(|| self.table_name());
                StreamStep::List(name, 1 + self.random.below(3))
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

    /// Mostly moments, sometimes long enough for items, tokens, iterators and records to be past.
    fn pause(&mut self) -> i64 {
        const SECOND: i64 = 1000;
        const MINUTE: i64 = 60 * SECOND;
        const HOUR: i64 = 60 * MINUTE;
        let units = [SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, HOUR, 13 * HOUR];
        let unit = units[self.random.below(units.len())];
        unit + i64::try_from(self.random.below(usize::try_from(unit).unwrap_or(1))).unwrap_or(0)
    }
}
