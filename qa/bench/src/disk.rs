//! The suite `disk`: durable writes compared with a bare file, and reads compared with a bare redb.

mod append;
mod opening;
mod reading;
mod syncing;
mod writing;

pub(crate) use opening::{FILL, fill_until_killed};

/// The parts of the suite, in order.
const PARTS: [(&str, fn()); 4] = [
    ("syncing", syncing::run),
    ("writing", writing::run),
    ("opening", opening::run),
    ("reading", reading::run),
];

/// Prints the tables of one part or all; `None` if the part is unknown.
pub(crate) fn run(part: Option<&str>) -> Option<()> {
    let chosen = PARTS.iter().filter(|(name, _)| part.is_none_or(|part| part == *name));
    chosen.map(|(_, run)| run()).reduce(|(), ()| ())
}
