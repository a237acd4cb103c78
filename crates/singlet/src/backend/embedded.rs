//! The embedded engine.

mod stream;
mod timer;

use super::{Backend, BackendError, BoxFuture, Execution, Feed, FeedEvent};
use crate::yielding::YIELD_BYTES;
use singlet_dynamo as dynamo;
use singlet_dynamo::operation::{Answer, Request};
use singlet_dynamo::stream::SequenceNumber;
use singlet_engine::Engine;
use singlet_engine::feed::{Event, Subscription};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use stream::StreamPlace;
use timer::Timer;

/// An engine in this process, in memory or on a folder.
#[derive(Clone)]
pub struct Embedded {
    engine: Engine,
    timer: Timer,
}

impl Embedded {
    /// Runs requests on this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self { engine, timer: Timer::default() }
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

impl Backend for Embedded {
    fn execute(&self, request: Request) -> Execution<'_> {
        // The endpoint checks this while it parses a body; requests built in this process skip
        // that.
        if let Err(error) = request.validate() {
            return Execution::done(Err(BackendError::Refused(error)));
        }
        let mut started = self.engine.start(request);
        // Reads never wait, and in-memory writes rarely do.
        match Pin::new(&mut started).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(answer)) if is_large(&answer) => Execution::yielding(Ok(answer)),
            Poll::Ready(outcome) => Execution::done(outcome.map_err(backend_error)),
            Poll::Pending => {
                Execution::pending(async move { started.await.map_err(backend_error) })
            }
        }
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(self.timer.after(duration))
    }

    /// Transactions and writes wait for each other instead.
    fn has_conflicts(&self) -> bool {
        false
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        // Before subscribing, so that no change falls between the two.
        let place = self.end_of_stream(table_name);
        let subscription = self.engine.subscribe(Some(table_name));
        let table = table_name.to_owned();
        Box::pin(async move {
            Ok(Box::new(Listener { subscription, table, place: place? }) as Box<dyn Feed>)
        })
    }

    fn changes_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        let feed = self.read_from(table_name, position);
        Box::pin(async move { Ok(Box::new(feed?) as Box<dyn Feed>) })
    }
}

/// Listens to the engine's changes.
struct Listener {
    subscription: Subscription,
    table: String,
    /// The position after the last returned change, if the table has a stream.
    place: Option<StreamPlace>,
}

impl Feed for Listener {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<FeedEvent, BackendError>>> {
        Box::pin(async {
            Some(Ok(match self.subscription.next().await? {
                Event::Change(change) => {
                    if let Some(place) = &mut self.place {
                        place.next = SequenceNumber::new(change.sequence_number.into()).next();
                    }
                    FeedEvent::Change {
                        old: change.old.clone(),
                        new: change.new.clone(),
                        is_expiry: change.is_expiry,
                    }
                }
                // The position does not move, so a reader that resumes from it misses nothing.
                Event::FellBehind { missed } => FeedEvent::FellBehind { missed: Some(missed) },
            }))
        })
    }

    fn position(&self) -> Result<String, BackendError> {
        match &self.place {
            Some(place) => Ok(place.to_text()),
            None => Err(BackendError::NoStream { table: self.table.clone() }),
        }
    }
}

/// Whether reading a response takes about a millisecond. Single-item responses are not checked:
/// gets and writes are frequent, and an item has at most 400 KB.
fn is_large(answer: &Answer) -> bool {
    let may_be_large =
        matches!(answer, Answer::Page(_) | Answer::BatchGetItem(_) | Answer::TransactGetItems(_));
    may_be_large && answer.item_bytes() >= YIELD_BYTES
}

fn backend_error(error: singlet_engine::Error) -> BackendError {
    match error {
        singlet_engine::Error::Refused(error) => BackendError::Refused(error),
        singlet_engine::Error::Overloaded => {
            BackendError::Refused(dynamo::Error::new(dynamo::ErrorKind::Throttling))
        }
        other => BackendError::Failed(Box::new(other)),
    }
}
