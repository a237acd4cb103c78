//! Rate limit for repeated events.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tracing::callsite::Identifier;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, Layer};

/// Events of one kind per [`WINDOW`]. There are about twenty kinds at `info` and above, of about
/// 200 bytes each, so a day of all of them is 6 MB.
pub(super) const LINES_MAX: u32 = 20;
/// The period of [`LINES_MAX`].
const WINDOW: Duration = Duration::from_secs(60);

/// Passes events up to a level, of each kind at most [`LINES_MAX`] per [`WINDOW`]. A kind is a call
/// site. Before the next event of that kind it logs how many were dropped.
///
/// Events at `debug` are not limited: that level logs every request.
pub(super) struct Repetition<W> {
    level: LevelFilter,
    writer: W,
    kinds: Mutex<Kinds<Identifier>>,
}

/// Events written per kind. Bounded by the number of call sites.
struct Kinds<K>(HashMap<K, Count>);

/// The events of one kind in one window.
struct Count {
    since: Instant,
    written: u32,
    left_out: u64,
}

impl<W> Repetition<W> {
    pub(super) fn new(level: LevelFilter, writer: W) -> Self {
        Self { level, writer, kinds: Mutex::new(Kinds(HashMap::new())) }
    }
}

impl<K: Eq + Hash> Kinds<K> {
    /// `None` if an event of this kind is dropped now; otherwise how many were dropped before it.
    fn admit(&mut self, kind: K, now: Instant) -> Option<u64> {
        let count = self.0.entry(kind).or_insert(Count { since: now, written: 0, left_out: 0 });
        let mut before = 0;
        if now.saturating_duration_since(count.since) >= WINDOW {
            before = count.left_out;
            *count = Count { since: now, written: 0, left_out: 0 };
        }
        if count.written >= LINES_MAX {
            count.left_out += 1;
            return None;
        }
        count.written += 1;
        Some(before)
    }
}

impl<S, W> Layer<S> for Repetition<W>
where
    S: Subscriber,
    W: for<'w> MakeWriter<'w> + 'static,
{
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let metadata = event.metadata();
        if *metadata.level() > Level::INFO {
            return true;
        }
        let admitted = {
            let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
            kinds.admit(metadata.callsite(), Instant::now())
        };
        let Some(left_out) = admitted else { return false };
        if left_out > 0 {
            let target = metadata.target();
            let line = format!("{target}: {left_out} lines like the next one were dropped\n");
            // A failing log must not stop the server.
            let _ = self.writer.make_writer().write_all(line.as_bytes());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_lines_are_counted_in_the_next_window() {
        let mut kinds = Kinds(HashMap::new());
        let start = Instant::now();
        assert_eq!((0..100).filter(|_| kinds.admit("one", start).is_some()).count(), 20);
        assert_eq!(kinds.admit("other", start), Some(0));
        let later = start + WINDOW;
        assert_eq!(kinds.admit("one", later), Some(80));
        assert_eq!(kinds.admit("one", later), Some(0));
    }
}
