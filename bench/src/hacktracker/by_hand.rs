//! Requests that a service makes: kept, to be sent again without it, or counted.

use super::Outcome;
use singlet::backend::{Backend, BackendError, BoxFuture, Embedded, Execution, Feed};
use singlet::dynamo::operation::Request;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A backend that keeps the writes which it carries out.
pub(super) struct Recorded {
    inner: Embedded,
    writes: Mutex<Vec<Request>>,
}

impl Recorded {
    pub(super) fn new(inner: Embedded) -> Arc<Self> {
        Arc::new(Self { inner, writes: Mutex::default() })
    }

    /// The writes since the last call.
    pub(super) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.writes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Backend for Recorded {
    fn execute(&self, request: Request) -> Execution<'_> {
        let is_read =
            matches!(request, Request::GetItem(_) | Request::Query(_) | Request::BatchGetItem(_));
        if !is_read {
            let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
            writes.push(request.clone());
        }
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

/// Sends requests one after the other. All of them succeed, or the figures mean nothing.
pub(super) async fn send(backend: &Embedded, requests: Vec<Request>) -> Outcome<()> {
    for request in requests {
        backend.execute(request).await?;
    }
    Ok(())
}

/// A backend that notes the operations which it carries out.
pub(super) struct Counted {
    inner: Embedded,
    operations: Mutex<Vec<&'static str>>,
}

impl Counted {
    pub(super) fn new(inner: Embedded) -> Arc<Self> {
        Arc::new(Self { inner, operations: Mutex::default() })
    }

    /// The operations since the last call.
    pub(super) fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.operations.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Backend for Counted {
    fn execute(&self, request: Request) -> Execution<'_> {
        let mut operations = self.operations.lock().unwrap_or_else(PoisonError::into_inner);
        operations.push(request.operation());
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
