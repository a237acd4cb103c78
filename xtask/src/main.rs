//! The one test command.
fn main() {}
