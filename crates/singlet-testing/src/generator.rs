//! Random requests as clients send them, each sequence following from its seed alone.
//!
//! Most requests are valid, and meet: keys, attributes and values come from small domains, so most
//! writes find an item and most queries a few rows. An invalid request has one mistake, because
//! which of two mistakes is reported first is rarely documented. No request depends on an earlier
//! answer, so a step can be left out and the rest still makes sense.

mod batch;
mod condition;
mod design;
mod draft;
mod item;
mod key_condition;
mod legacy;
mod mutation;
mod page;
mod table;
mod transaction;
mod update;
mod value;

use crate::random::Random;
use design::Design;
use serde_json::{Map, Value};
use std::fmt;

pub use value::sort_key;

/// A request: the operation and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the operation.
    pub operation: &'static str,
    /// The body, which need not be JSON.
    pub body: String,
}

impl Call {
    fn new(operation: &'static str, body: Map<String, Value>) -> Self {
        Self { operation, body: Value::Object(body).to_string() }
    }
}

/// One thing to do.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request whose answers are compared as they are.
    Ask(Call),
    /// A query or scan, and then the next page and the next, to the end.
    Pages {
        /// The first request.
        call: Call,
        /// In which order its items come.
        order: Order,
    },
    /// All records of a table's stream.
    Records(String),
    /// Waits until a table is active or deleted.
    Settle(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask(call) => write!(f, "{} {}", call.operation, call.body),
            Self::Pages { call, .. } => write!(f, "{} {} (all pages)", call.operation, call.body),
            Self::Records(table) => write!(f, "the records of {table}"),
            Self::Settle(table) => write!(f, "wait for {table}"),
        }
    }
}

/// The order in which the items of pages come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As told by the table's key: all pages are the same.
    Total,
    /// As told by an index's sort key, which several items may share.
    Index(&'static str),
    /// Each endpoint has its own.
    Own,
}

/// What the names of tables and tokens begin with, so that each performance can have its own.
pub const STORY: &str = "story";

/// The second around which items expire: 2026-01-01.
pub const START_SECOND: i64 = 1_767_225_600;

/// How many of a hundred requests have a mistake.
const MISTAKEN_PERCENT: usize = 40;

/// Which implementation the requests are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Two endpoints: nothing that each of them does in its own time, under its own names or in its
    /// own order; malformed bodies too.
    Endpoints,
    /// An engine with a clock that the test sets, which gets many small items.
    Small,
    /// The same, with a few items so large that pages end with them.
    Large,
}

/// Makes a sequence, step by step.
pub struct Generator {
    random: Random,
    profile: Profile,
    /// The tables, as they are if no request was refused.
    designs: Vec<Design>,
    /// How many mistakes the request at hand may still get.
    mistakes: usize,
    /// Names for tables that are there for a moment.
    passing: usize,
    /// Transactions with tokens, to be sent again.
    transactions: Vec<Call>,
}

/// A story of about so many steps, for two endpoints.
///
/// ```
/// use singlet_testing::generator::story;
///
/// assert_eq!(format!("{:?}", story(7, 50)), format!("{:?}", story(7, 50)));
/// ```
#[must_use]
pub fn story(number: u64, len: usize) -> Vec<Step> {
    let mut generator = Generator::new(number, Profile::Endpoints);
    let mut steps = Vec::new();
    generator.begin(&mut steps);
    while steps.len() < len {
        generator.step(&mut steps);
    }
    generator.end(&mut steps);
    steps
}

impl Generator {
    /// A generator whose requests follow from the seed.
    #[must_use]
    pub fn new(seed: u64, profile: Profile) -> Self {
        Self {
            random: Random::new(seed),
            profile,
            designs: Vec::new(),
            mistakes: 0,
            passing: 0,
            transactions: Vec::new(),
        }
    }

    /// Makes two tables and fills them.
    pub fn begin(&mut self, steps: &mut Vec<Step>) {
        for name in ["alpha", "beta"] {
            self.new_table(format!("{STORY}_{name}"), steps);
        }
        for _ in 0..8 {
            let load = self.load();
            steps.push(Step::Ask(load));
        }
    }

    /// The next thing to do, which may be several steps.
    pub fn step(&mut self, steps: &mut Vec<Step>) {
        self.mistakes = usize::from(self.random.percent(MISTAKEN_PERCENT));
        let step = match self.random.below(1000) {
            0..150 => Step::Ask(self.put_item()),
            150..350 => Step::Ask(self.update_item()),
            350..410 => Step::Ask(self.delete_item()),
            410..480 => Step::Ask(self.get_item()),
            480..640 => self.query(),
            640..710 => self.scan(),
            710..750 => Step::Ask(self.batch_get_item()),
            750..800 => Step::Ask(self.batch_write_item()),
            800..830 => Step::Ask(self.transact_get_items()),
            830..900 => Step::Ask(self.transact_write_items()),
            900..920 => {
                let design = self.any_design();
                Step::Records(design.name)
            }
            _ => return self.about_tables(steps),
        };
        steps.push(step);
    }

    /// Reads everything once more, and deletes it.
    fn end(&mut self, steps: &mut Vec<Step>) {
        for design in self.designs.clone() {
            self.look_at_everything(&design, steps);
            self.delete_table(&design.name, steps);
        }
    }

    /// Whether two endpoints are asked, of which nothing but answers can be compared.
    fn asks_endpoints(&self) -> bool {
        self.profile == Profile::Endpoints
    }

    /// Whether a mistake is made here: so many times in a hundred, and at most once in a request.
    fn errs(&mut self, percent: usize) -> bool {
        let errs = self.mistakes > 0 && self.random.percent(percent);
        if errs {
            self.mistakes -= 1;
        }
        errs
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.random.below(choices.len())].clone()
    }
}
