//! A backend that keeps the requests which it carries out: to count them, or to send the writes
//! again without the service.

use super::Outcome;
use singlet::backend::{Backend, BackendError, BoxFuture, Embedded, Execution, Feed};
use singlet::dynamo::operation::Request;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Keeps requests. Clones share them.
#[derive(Clone)]
pub(super) struct Kept {
    inner: Embedded,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Kept {
    pub(super) fn new(inner: Embedded) -> Self {
        Self { inner, requests: Arc::default() }
    }

    /// The requests since the last call.
    pub(super) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The names of their operations.
    pub(super) fn take_names(&self) -> Vec<&'static str> {
        self.take().iter().map(Request::operation).collect()
    }
}

impl Backend for Kept {
    fn execute(&self, request: Request) -> Execution<'_> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push(request.clone());
        drop(requests);
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

/// Sends the writes among requests, one after the other. Each must succeed.
pub(super) async fn send_writes(backend: &Embedded, requests: Vec<Request>) -> Outcome<()> {
    for request in requests {
        let is_read =
            matches!(request, Request::GetItem(_) | Request::Query(_) | Request::BatchGetItem(_));
        if !is_read {
            backend.execute(request).await?;
        }
    }
    Ok(())
}
