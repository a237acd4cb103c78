//! Random stories: requests to both endpoints, each story following from its number alone.
//!
//! Most requests are right, and meet: keys, attributes and values come from small domains. A
//! request that is wrong has one mistake, because which of two mistakes is told first is
//! rarely documented. What is asked does not depend on what was answered, so that a step can be
//! left out of a story and the rest still makes sense.

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

use design::Design;
use serde_json::{Map, Value};
use singlet_testing::random::Random;
use std::fmt;

/// A request as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) operation: &'static str,
    /// The body, which need not be JSON.
    pub(crate) body: String,
}

impl Call {
    fn new(operation: &'static str, body: Map<String, Value>) -> Self {
        Self { operation, body: Value::Object(body).to_string() }
    }
}

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A request whose answers are compared as they are.
    Ask(Call),
    /// A query or scan, and then the next page and the next, to the end.
    Pages { call: Call, order: Order },
    /// All records of a table's stream.
    Records(String),
    /// Waits until a table has settled, or is gone.
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
pub(crate) enum Order {
    /// As told by the table's key: all pages are the same.
    Total,
    /// As told by an index's sort key, which several items may share.
    Index(&'static str),
    /// Each endpoint has its own.
    Own,
}

/// What the names of tables and tokens begin with, so that each performance can have its own.
pub(crate) const STORY: &str = "story";

/// How many of a hundred requests have a mistake.
const MISTAKEN_PERCENT: usize = 40;

/// Makes a story, step by step.
pub(crate) struct Generator {
    random: Random,
    designs: Vec<Design>,
    /// How many mistakes the request at hand may still get.
    mistakes: usize,
    /// Names for tables that are there for a moment.
    passing: usize,
}

/// A story of about so many steps.
pub(crate) fn story(number: u64, len: usize) -> Vec<Step> {
    let mut generator =
        Generator { random: Random::new(number), designs: Vec::new(), mistakes: 0, passing: 0 };
    let mut steps = Vec::new();
    for _ in 0..2 {
        generator.new_table(&mut steps);
    }
    for _ in 0..8 {
        let load = generator.load();
        steps.push(Step::Ask(load));
    }
    while steps.len() < len {
        generator.step(&mut steps);
    }
    generator.end(&mut steps);
    steps
}

impl Generator {
    fn step(&mut self, steps: &mut Vec<Step>) {
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

    /// All that is there is looked at once more, and goes.
    fn end(&mut self, steps: &mut Vec<Step>) {
        for design in self.designs.clone() {
            self.look_at_everything(&design, steps);
            self.delete_table(&design.name, steps);
        }
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
