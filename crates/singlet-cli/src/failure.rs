//! Errors for the person at the terminal.

use std::fmt::Display;
use std::process::ExitCode;

/// An error, and advice on what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    advice: String,
}

impl Failure {
    pub(crate) fn new(what: impl Display, advice: impl Into<String>) -> Self {
        Self { what: what.to_string(), advice: advice.into() }
    }

    /// Prints the error and returns the exit code.
    #[expect(clippy::print_stderr, reason = "this is where the command speaks to people")]
    pub(crate) fn tell(&self) -> ExitCode {
        eprintln!("singlet: {}\n{}", self.what, self.advice);
        ExitCode::FAILURE
    }
}
