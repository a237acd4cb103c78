//! The suite `disk`: what durable writes cost beside a bare file, and what the layers of the store
//! cost beside a bare redb.

mod append;
mod opening;
mod reading;
mod syncing;
mod writing;

pub(crate) use opening::{FILL, fill_until_killed};

/// The parts of the suite, in the order in which they are run.
const PARTS: [(&str, fn()); 4] = [
    ("syncing", syncing::run),
    ("writing", writing::run),
    ("opening", opening::run),
    ("reading", reading::run),
];

/// Prints the tables of a part, or of all of them; nothing if there is no such part.
pub(crate) fn run(part: Option<&str>) -> Option<()> {
    let chosen = PARTS.iter().filter(|(name, _)| part.is_none_or(|part| part == *name));
    chosen.map(|(_, run)| run()).reduce(|(), ()| ())
}
