//! Events that come too often.

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

/// How many events of one kind are written in a [`WINDOW`]: enough to see what is going on. There
/// are some twenty kinds at `info` and above, of about 200 bytes, so a day of all of them is 6 MB.
pub(super) const LINES_MAX: u32 = 20;
/// How long [`LINES_MAX`] lasts.
const WINDOW: Duration = Duration::from_secs(60);

/// Lets through events up to a level, and of each kind at most [`LINES_MAX`] in a [`WINDOW`]. A
/// kind is a place in the code. How many were left out is written before the next one of the kind.
///
/// Events at `debug` are not counted: whoever wants a line for each request gets it.
pub(super) struct Repetition<W> {
    level: LevelFilter,
    writer: W,
    kinds: Mutex<Kinds<Identifier>>,
}

/// What was written of each kind. There are as many kinds as places in the code, so this does not
/// grow with requests.
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
    /// `None` if an event of this kind is left out now; otherwise how many were left out before it.
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
            let line = format!("{target}: {left_out} lines like the next one were left out\n");
            // A log that cannot be written stops nothing.
            let _ = self.writer.make_writer().write_all(line.as_bytes());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_while_there_is_room_again_and_the_gap_is_told() {
        let mut kinds = Kinds(HashMap::new());
        let start = Instant::now();
        assert_eq!((0..100).filter(|_| kinds.admit("one", start).is_some()).count(), 20);
        assert_eq!(kinds.admit("other", start), Some(0));
        let later = start + WINDOW;
        assert_eq!(kinds.admit("one", later), Some(80));
        assert_eq!(kinds.admit("one", later), Some(0));
    }
}
