//! Where requests are carried out: the embedded engine, or DynamoDB itself.
//!
//! The model builds requests and reads answers of the [language](crate::dynamo). A backend takes
//! the one and gives the other, and that is all it has to know.

#[cfg(feature = "aws")]
mod aws;
mod embedded;
mod feed;

#[cfg(feature = "aws")]
pub use aws::Aws;
pub use embedded::Embedded;
pub use feed::{Feed, FeedEvent};

use singlet_dynamo as dynamo;
use singlet_dynamo::operation::{Answer, Request};
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Carries out requests.
pub trait Backend: Send + Sync + 'static {
    /// Carries out a request.
    fn execute(&self, request: Request) -> Execution<'_>;

    /// Waits, before something is tried again.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;

    /// Whether a write can be refused because a transaction is at its item. If so, writes are kept
    /// until they are answered, so that they can be sent again.
    fn has_conflicts(&self) -> bool {
        true
    }

    /// Every change of a table from now on.
    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>>;

    /// Every change of a table from a position on, which a feed of this table gave. A backend that
    /// keeps no changes refuses it.
    fn changes_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        let _ = (table_name, position);
        Box::pin(async { Err(BackendError::Position) })
    }
}

/// One backend for several databases.
impl<B: Backend + ?Sized> Backend for Arc<B> {
    fn execute(&self, request: Request) -> Execution<'_> {
        (**self).execute(request)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        (**self).sleep(duration)
    }

    fn has_conflicts(&self) -> bool {
        (**self).has_conflicts()
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        (**self).changes(table_name)
    }

    fn changes_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        (**self).changes_from(table_name, position)
    }
}

/// A boxed future that can be sent between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A request that is being carried out.
///
/// Most reads of an embedded engine are done when the call returns, and need no allocated future.
#[must_use = "futures do nothing unless you await them"]
pub struct Execution<'a>(Progress<'a>);

type Outcome = Result<Answer, BackendError>;

enum Progress<'a> {
    Done(Option<Outcome>),
    /// Is done, and lets other tasks run first.
    Yielding(Option<Outcome>),
    Pending(BoxFuture<'a, Outcome>),
}

impl<'a> Execution<'a> {
    /// Is done.
    pub fn done(outcome: Result<Answer, BackendError>) -> Self {
        Self(Progress::Done(Some(outcome)))
    }

    /// Is done, and returns `Pending` once after waking its task, so that other tasks run before
    /// the caller goes on: for large answers, which take long to read.
    pub fn yielding(outcome: Result<Answer, BackendError>) -> Self {
        Self(Progress::Yielding(Some(outcome)))
    }

    /// Is being worked on.
    pub fn pending(future: impl Future<Output = Result<Answer, BackendError>> + Send + 'a) -> Self {
        Self(Progress::Pending(Box::pin(future)))
    }
}

impl Future for Execution<'_> {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        match &mut self.0 {
            Progress::Pending(future) => future.as_mut().poll(context),
            Progress::Yielding(outcome) => {
                let outcome = outcome.take();
                self.0 = Progress::Done(outcome);
                context.waker().wake_by_ref();
                Poll::Pending
            }
            // A future is not polled again once it was ready.
            Progress::Done(outcome) => outcome.take().map_or(Poll::Pending, Poll::Ready),
        }
    }
}

/// Why a backend did not carry out a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum BackendError {
    /// DynamoDB refuses the request.
    Refused(dynamo::Error),
    /// Something failed on the way: the disk, the network, the credentials.
    Failed(Box<dyn Error + Send + Sync>),
    /// The table has no stream with both images of its items, which a feed needs.
    NoStream {
        /// Its name.
        table: String,
    },
    /// The stream no longer has the position: it is older than a day, or the stream was made anew.
    PositionExpired {
        /// The name of the table.
        table: String,
    },
    /// The position is malformed, or belongs to another table or backend.
    Position,
}

impl BackendError {
    /// An answer was of another kind than its request.
    pub(crate) fn unexpected() -> Self {
        Self::Failed("the answer is not one to the request".into())
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Failed(error) => error.fmt(f),
            Self::NoStream { table } => write!(f, "the table {table} has no stream of both images"),
            Self::PositionExpired { table } => {
                write!(f, "the stream of the table {table} no longer has this position")
            }
            Self::Position => f.write_str("the position is not one of this table"),
        }
    }
}

impl Error for BackendError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Failed(error) => Some(&**error),
            _ => None,
        }
    }
}
