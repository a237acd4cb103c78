//! What a command prints for programs: to standard output, as far as anybody reads it.

use crate::failure::Failure;
use std::io::{ErrorKind, Write};

/// Prints a text. Whoever has read enough may close the pipe, as `head` does: that is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(
            format_args!("cannot write to standard output: {error}"),
            "Look at where it goes, and whether there is room.",
        )),
        _ => Ok(()),
    }
}
