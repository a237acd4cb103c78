//! What the command notes while it runs: lines of `name=value` on standard error.

use clap::ValueEnum;
use std::io::IsTerminal;
use tracing::Level;

/// How much is noted.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Detail {
    /// What needs somebody to look.
    Error,
    /// And what may soon.
    Warn,
    /// And when the endpoint starts and stops.
    Info,
    /// And every request: its operation, outcome and time, but nothing of what is in it.
    Debug,
}

/// Begins to note.
pub(crate) fn begin(detail: Detail) {
    let level = match detail {
        Detail::Error => Level::ERROR,
        Detail::Warn => Level::WARN,
        Detail::Info => Level::INFO,
        Detail::Debug => Level::DEBUG,
    };
    let stderr = std::io::stderr;
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr)
        .init();
}
