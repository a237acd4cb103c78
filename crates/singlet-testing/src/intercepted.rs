//! A backend between a service and its store.

use singlet::backend::{Backend, BackendError, BoxFuture, Execution, Feed};
use singlet::dynamo::operation::Request;
use std::sync::Arc;
use std::time::Duration;

/// A backend that passes every request to a function, which can inspect, change, delay or fail it.
///
/// ```
/// use singlet::dynamo::operation::Request;
/// use singlet_testing::{Intercepted, TestStore};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// let (store, queries) = (TestStore::memory(), Arc::new(AtomicUsize::new(0)));
/// let count = Arc::clone(&queries);
/// let backend = Intercepted::new(store.backend(), move |inner, request| {
///     count.fetch_add(usize::from(matches!(request, Request::Query(_))), Ordering::Relaxed);
///     inner.execute(request)
/// });
/// ```
pub struct Intercepted<F> {
    inner: Arc<dyn Backend>,
    execute: F,
    sleeps: bool,
}

impl<F> Intercepted<F>
where
    F: for<'b> Fn(&'b Arc<dyn Backend>, Request) -> Execution<'b> + Send + Sync + 'static,
{
    /// A backend in front of `inner`.
    pub fn new(inner: Arc<dyn Backend>, execute: F) -> Self {
        Self { inner, execute, sleeps: true }
    }

    /// Retries without pauses.
    #[must_use]
    pub fn without_pauses(self) -> Self {
        Self { sleeps: false, ..self }
    }
}

impl<F> Backend for Intercepted<F>
where
    F: for<'b> Fn(&'b Arc<dyn Backend>, Request) -> Execution<'b> + Send + Sync + 'static,
{
    fn execute(&self, request: Request) -> Execution<'_> {
        (self.execute)(&self.inner, request)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        match self.sleeps {
            true => self.inner.sleep(duration),
            false => Box::pin(std::future::ready(())),
        }
    }

    fn has_conflicts(&self) -> bool {
        self.inner.has_conflicts()
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        self.inner.changes(table_name)
    }

    fn changes_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        self.inner.changes_from(table_name, position)
    }
}
