//! Random requests, generated from a seed.
//!
//! Most requests are valid and hit existing data: keys, attributes and values come from small
//! domains. An invalid request has one mistake, because which of two is reported first is rarely
//! documented. No request depends on an earlier answer, so steps can be removed when shrinking.

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

/// A request: operation and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The operation.
    pub operation: &'static str,
    /// The body, which may be invalid JSON.
    pub body: String,
}

impl Call {
    fn new(operation: &'static str, body: Map<String, Value>) -> Self {
        Self { operation, body: Value::Object(body).to_string() }
    }
}

/// One step of a sequence.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request whose answers are compared exactly.
    Ask(Call),
    /// A query or scan, followed page by page to the end.
    Pages {
        /// The first request.
        call: Call,
        /// The order of its items.
        order: Order,
    },
    /// Reads all records of a table's stream.
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

/// The order of items over pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// By the table's key: all pages are equal.
    Total,
    /// By the sort key of an index, which several items may share.
    Index(Vec<&'static str>),
    /// Specific to each endpoint.
    Own,
}

/// The prefix of table names and tokens. Each run replaces it to keep its data apart.
pub const STORY: &str = "story";

/// Items expire around this second: 2026-01-01.
pub const START_SECOND: i64 = 1_767_225_600;

/// The percentage of requests with a mistake.
const MISTAKEN_PERCENT: usize = 40;

/// What the requests are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Two endpoints. Leaves out everything whose timing, names or order depend on the endpoint;
    /// includes malformed bodies.
    Endpoints,
    /// An engine with a settable clock and many small items.
    Small,
    /// Like `Small`, with a few items large enough to end a page.
    Large,
}

/// Generates a sequence step by step.
pub struct Generator {
    random: Random,
    profile: Profile,
    /// The tables, assuming that no request failed.
    designs: Vec<Design>,
    /// How many mistakes the current request may still get.
    mistakes: usize,
    /// The number of short-lived tables, for their names.
    passing: usize,
    /// Transactions with tokens, for sending again.
    transactions: Vec<Call>,
}

/// A sequence of about this many steps for two endpoints.
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
    /// A generator with this seed.
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

    /// Creates and fills two tables.
    pub fn begin(&mut self, steps: &mut Vec<Step>) {
        for name in ["alpha", "beta"] {
            self.new_table(format!("{STORY}_{name}"), steps);
        }
        for _ in 0..8 {
            let load = self.load();
            steps.push(Step::Ask(load));
        }
    }

    /// Appends the next step, or several.
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

    /// Reads and deletes everything.
    fn end(&mut self, steps: &mut Vec<Step>) {
        for design in self.designs.clone() {
            self.look_at_everything(&design, steps);
            self.delete_table(&design.name, steps);
        }
    }

    /// Whether the requests are for two endpoints, where only answers can be compared.
    fn asks_endpoints(&self) -> bool {
        self.profile == Profile::Endpoints
    }

    /// Whether to make a mistake here: with this probability, at most once per request.
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
