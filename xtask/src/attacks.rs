//! The step `attacks`: a hostile client attacks our own servers on loopback while a victim is
//! measured. The attacks are in the folder of that name.

use crate::command::Line;
use crate::endpoint;
use crate::steps::Workshop;

/// Builds the command and the attacker, and runs all attacks.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    endpoint::build_with(workshop.root, "attacks")?;
    let mut line = Line::of(&endpoint::sibling("attacks")?);
    if workshop.long() {
        line = line.argument("--long");
    }
    line.run(workshop.root)
}
