//! A store whose requests are seen, and into which somebody else writes at a chosen moment.

use hacktracker::design::HackTracker;
use hacktracker::service::Service;
use singlet::Db;
use singlet::backend::{BoxFuture, Execution};
use singlet_testing::{Intercepted, TestStore};
use singlet_web::random::Random;
use std::sync::{Arc, Mutex};

/// What is done before a request.
type Work = BoxFuture<'static, ()>;

/// What was asked, and what is to be done before the first request of an operation.
#[derive(Default)]
pub(crate) struct Watch {
    operations: Mutex<Vec<&'static str>>,
    before: Mutex<Option<(&'static str, Work)>>,
}

impl Watch {
    /// The names of the operations that were asked for since the last call.
    pub(crate) fn operations(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.operations.lock().unwrap())
    }

    /// Does this before the next request of an operation reaches the store.
    pub(crate) fn before(
        &self,
        operation: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        *self.before.lock().unwrap() = Some((operation, Box::pin(work)));
    }
}

/// A second service on the store, whose requests are watched.
pub(crate) fn watched(store: &TestStore) -> (Service, Arc<Watch>) {
    let watch = Arc::<Watch>::default();
    let seen = Arc::clone(&watch);
    let backend = Intercepted::new(store.backend(), move |inner, request| {
        seen.operations.lock().unwrap().push(request.operation());
        let mut before = seen.before.lock().unwrap();
        match before.take_if(|(operation, _)| *operation == request.operation()) {
            None => inner.execute(request),
            Some((_, work)) => Execution::pending(async move {
                work.await;
                inner.execute(request).await
            }),
        }
    });
    let db = Db::<HackTracker>::on(backend, store.settings.clone());
    (Service::new(db, Random::new()), watch)
}
