//! The step `attacks`: attacks our own servers on loopback and measures a victim. See `qa/attacks`.

use crate::command::Line;
use crate::endpoint;
use crate::steps::Workshop;

pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    endpoint::build_with(workshop.root, "attacks")?;
    let mut line = Line::of(&endpoint::sibling("attacks")?);
    if workshop.long() {
        line = line.argument("--long");
    }
    line.run(workshop.root)
}
