//! What the suites of the systems share: a backend that shows its requests to somebody, requests
//! that are sent again without the service, and callers at the same moment.

use singlet::backend::{Backend, BackendError, BoxFuture, Embedded, Execution, Feed};
use singlet::dynamo::operation::Request;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Shows each request to `observe` before it carries it out.
pub(crate) struct Observed<F> {
    pub(crate) inner: Embedded,
    pub(crate) observe: F,
}

impl<F: Fn(&Request) + Send + Sync + 'static> Backend for Observed<F> {
    fn execute(&self, request: Request) -> Execution<'_> {
        (self.observe)(&request);
        self.inner.execute(request)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.inner.sleep(duration)
    }

    fn has_conflicts(&self) -> bool {
        self.inner.has_conflicts()
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        self.inner.changes(table_name)
    }
}

/// The requests that a backend has carried out. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Recording(Arc<Mutex<Vec<Request>>>);

impl Recording {
    /// A backend whose requests are recorded here.
    pub(crate) fn of(&self, inner: Embedded) -> impl Backend {
        let requests = Arc::clone(&self.0);
        let observe = move |request: &Request| {
            requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        };
        Observed { inner, observe }
    }

    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The writes among the requests since the last call.
    pub(crate) fn take_writes(&self) -> Vec<Request> {
        self.take().into_iter().filter(|request| !is_read(request)).collect()
    }

    /// The operations of the requests since the last call.
    pub(crate) fn take_operations(&self) -> Vec<&'static str> {
        self.take().iter().map(Request::operation).collect()
    }
}

/// Whether a request changes nothing.
pub(crate) fn is_read(request: &Request) -> bool {
    matches!(request.operation(), "GetItem" | "BatchGetItem" | "Query" | "Scan")
}

/// Sends requests one after the other. All of them succeed, or the figures mean nothing.
pub(crate) async fn send(backend: &Embedded, requests: Vec<Request>) -> Outcome<()> {
    for request in requests {
        backend.execute(request).await?;
    }
    Ok(())
}

/// Works for all callers at the same moment, and returns the time until the last one is done.
pub(crate) async fn together<W, F>(work: Vec<W>, run: impl Fn(W) -> F) -> Outcome<Duration>
where
    F: Future<Output = Outcome<()>> + Send + 'static,
{
    let begun = Instant::now();
    let mut working: JoinSet<Outcome<()>> = work.into_iter().map(run).collect();
    while let Some(done) = working.join_next().await {
        done??;
    }
    Ok(begun.elapsed())
}
