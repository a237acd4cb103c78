//! The command's log: lines of `name=value` on standard error.

mod repetition;

use clap::ValueEnum;
use repetition::Repetition;
use std::io::IsTerminal;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Log levels.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Detail {
    /// Failures that need attention.
    Error,
    /// Also problems that may soon need attention.
    Warn,
    /// Also when the endpoint starts and stops.
    Info,
    /// Also every request: its operation, outcome and time, but no content.
    Debug,
}

/// Starts logging.
pub(crate) fn begin(detail: Detail) {
    let level = match detail {
        Detail::Error => LevelFilter::ERROR,
        Detail::Warn => LevelFilter::WARN,
        Detail::Info => LevelFilter::INFO,
        Detail::Debug => LevelFilter::DEBUG,
    };
    let stderr = std::io::stderr;
    subscriber(level, stderr().is_terminal(), stderr).init();
}

/// Writes events up to a level. Limits each kind of event, because clients can cause some of them
/// with every request.
fn subscriber<W>(level: LevelFilter, is_colored: bool, writer: W) -> impl SubscriberInitExt
where
    W: for<'w> MakeWriter<'w> + Clone + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer().with_ansi(is_colored).with_writer(writer.clone());
    tracing_subscriber::registry().with(lines).with(Repetition::new(level, writer))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// A client that could cause a warning could fill the disk with it.
    #[test]
    fn a_client_cannot_fill_the_log() {
        let written = Written::default();
        let writer = written.clone();
        let logging = subscriber(LevelFilter::INFO, false, move || writer.clone()).set_default();
        for number in 0..10_000 {
            tracing::warn!(number, "caused by a client");
        }
        tracing::error!("something else");
        tracing::debug!("not wanted");
        drop(logging);
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let count = |what: &str| text.lines().filter(|line| line.contains(what)).count();
        assert_eq!(count("caused by a client"), repetition::LINES_MAX as usize);
        assert_eq!((count("something else"), count("not wanted")), (1, 0));
    }
}
