//! Writes results to standard output.

use crate::failure::Failure;
use std::io::{ErrorKind, Write};

/// Prints a text. A reader may close the pipe early, as `head` does; that is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(
            format_args!("cannot write to standard output: {error}"),
            "Check the destination and its free space.",
        )),
        _ => Ok(()),
    }
}
