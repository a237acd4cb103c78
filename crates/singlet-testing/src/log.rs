//! Captured log output.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Collects log events. Clones share the buffer.
#[derive(Clone)]
pub struct Log {
    text: Arc<Mutex<String>>,
    is_wanted: fn(&Metadata<'_>) -> bool,
}

impl Log {
    /// Captures all events.
    #[must_use]
    pub fn all() -> Self {
        Self::of(|_| true)
    }

    /// Errors and warnings.
    #[must_use]
    pub fn warnings() -> Self {
        Self::of(|metadata| *metadata.level() <= Level::WARN)
    }

    /// Captures the events that match a predicate.
    #[must_use]
    pub fn of(is_wanted: fn(&Metadata<'_>) -> bool) -> Self {
        Self { text: Arc::default(), is_wanted }
    }

    /// The fields of all events so far, as `name=value`.
    #[must_use]
    pub fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    /// The number of events.
    #[must_use]
    pub fn count(&self) -> usize {
        self.text().matches("message=").count()
    }
}

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        *self.text.lock().unwrap() += &format!("{field}={value:?} ");
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        (self.is_wanted)(metadata)
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        attributes.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
