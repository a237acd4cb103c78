//! Backends, which run requests: the embedded engine, or DynamoDB itself.
//!
//! The model builds requests and reads responses of the [language](crate::dynamo). A backend turns
//! the former into the latter, and needs to know nothing else.

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

    /// Sleeps before a retry.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;

    /// Whether a transaction in progress can cause a write to be refused. If so, writes are kept
    /// until they are answered, so that they can be retried.
    fn has_conflicts(&self) -> bool {
        true
    }

    /// All changes of a table from now on.
    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>>;

    /// All changes of a table after a position from an earlier feed. A backend that keeps no
    /// changes refuses it.
    fn changes_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        let _ = (table_name, position);
        Box::pin(async { Err(BackendError::Position) })
    }
}

/// Shares one backend between several databases.
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

/// A request in progress.
///
/// Most reads of an embedded engine are done when the call returns, and need no allocated future.
#[must_use = "futures do nothing unless you await them"]
pub struct Execution<'a>(Progress<'a>);

type Outcome = Result<Answer, BackendError>;

enum Progress<'a> {
    Done(Option<Outcome>),
    /// Done, but lets other tasks run first.
    Yielding(Option<Outcome>),
    Pending(BoxFuture<'a, Outcome>),
}

impl<'a> Execution<'a> {
    /// A completed request.
    pub fn done(outcome: Result<Answer, BackendError>) -> Self {
        Self(Progress::Done(Some(outcome)))
    }

    /// A completed request that returns `Pending` once after waking its task, so that other tasks
    /// run before the caller continues: for large responses, which are slow to read.
    pub fn yielding(outcome: Result<Answer, BackendError>) -> Self {
        Self(Progress::Yielding(Some(outcome)))
    }

    /// A request in progress.
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
            // A future is not polled again after it was ready.
            Progress::Done(outcome) => outcome.take().map_or(Poll::Pending, Poll::Ready),
        }
    }
}

/// Why a backend did not run a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum BackendError {
    /// DynamoDB rejected the request.
    Refused(dynamo::Error),
    /// An I/O failure: disk, network or credentials.
    Failed(Box<dyn Error + Send + Sync>),
    /// The table has no stream with both images of its items, which a feed requires.
    NoStream {
        /// The name of the table.
        table: String,
    },
    /// The position is no longer in the stream: it is older than a day, or the stream was
    /// recreated.
    PositionExpired {
        /// The name of the table.
        table: String,
    },
    /// The position is malformed, or belongs to another table or backend.
    Position,
}

impl BackendError {
    /// The response was for another operation.
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
