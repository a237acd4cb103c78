//! Tracing spans of operations.

use super::rating;
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use std::cell::RefCell;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

on_every_backend! {
    what_was_consumed_is_told,
}

thread_local! {
    static SPANS: RefCell<Vec<(u64, Said)>> = const { RefCell::new(Vec::new()) };
    static EVENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Collects the spans and events of each thread.
///
/// It is the global subscriber: with one per thread, a story on a thread without one can register
/// a call site first, and tracing then disables that call site on all threads.
pub(super) struct Listener {
    next: AtomicU64,
}

impl Listener {
    pub(super) fn install() {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            tracing::subscriber::set_global_default(Self { next: AtomicU64::new(1) }).unwrap();
            tracing::callsite::rebuild_interest_cache();
        });
    }

    /// The messages logged on this thread since the last call.
    pub(super) fn take_events() -> Vec<String> {
        EVENTS.take()
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Said {
    operation: String,
    table: String,
    capacity: Option<f64>,
    error: Option<String>,
}

impl Visit for Said {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "capacity" {
            self.capacity = Some(value);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "operation" => value.clone_into(&mut self.operation),
            "table" => value.clone_into(&mut self.table),
            "error" => self.error = Some(value.to_owned()),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("singlet::")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut said = Said::default();
        span.record(&mut said);
        SPANS.with_borrow_mut(|spans| spans.push((id, said)));
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        SPANS.with_borrow_mut(|spans| {
            if let Some((_, said)) = spans.iter_mut().find(|(id, _)| *id == span.into_u64()) {
                values.record(said);
            }
        });
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        EVENTS.with_borrow_mut(|events| events.push(message.0));
    }

    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

async fn what_was_consumed_is_told(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = rating("spans", "s", 3);
    Listener::install();
    SPANS.take();
    db.run(create(&one)).await?;
    db.get(Key::of(&one).consistent()).await?;
    assert!(super::is_refused(&db.run(create(&one)).await));
    db.transact((put(&one),)).await?;
    let spans = SPANS.take();
    let operations: Vec<&str> = spans.iter().map(|(_, said)| said.operation.as_str()).collect();
    assert_eq!(operations, ["PutItem", "GetItem", "PutItem", "TransactWriteItems"]);
    for (_, said) in &spans {
        assert_eq!(said.table, db.table_name::<crate::sample::Sample>());
    }
    let capacity = |place: usize| spans[place].1.capacity;
    // The rating is also written to an index.
    assert_eq!((capacity(0), capacity(1), capacity(2)), (Some(2.0), Some(1.0), None));
    assert!(capacity(3).is_some_and(|units| units >= 2.0), "{spans:?}");
    assert_eq!(spans[2].1.error.as_deref(), Some("ConditionalCheckFailedException"));
    Ok(())
}
