//! Requests that fail on purpose.

use crate::store::TestStore;
use singlet::backend::{Backend, BackendError, BoxFuture, Execution, Feed};
use singlet::dynamo::operation::Request;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How a request fails. Requests are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The request does not reach the store. Later ones do.
    Lost(usize),
    /// The request is carried out, and its answer is lost.
    AnswerLost(usize),
    /// This request and all later ones do not reach the store, as if the program had ended.
    Crash(usize),
}

/// Which request is next, and which one fails.
#[derive(Default)]
pub(crate) struct FaultPlan {
    count: AtomicUsize,
    fault: Mutex<Option<Fault>>,
}

impl FaultPlan {
    fn arm(&self, fault: Option<Fault>) {
        self.count.store(0, Ordering::SeqCst);
        *self.fault.lock().unwrap() = fault;
    }

    fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

/// A backend whose requests fail by plan.
pub(crate) struct FaultyBackend {
    pub(crate) inner: Arc<dyn Backend>,
    pub(crate) plan: Arc<FaultPlan>,
}

fn failure() -> BackendError {
    BackendError::Failed("a fault injected by the test".into())
}

impl Backend for FaultyBackend {
    fn execute(&self, request: Request) -> Execution<'_> {
        let number = self.plan.count.fetch_add(1, Ordering::SeqCst);
        match *self.plan.fault.lock().unwrap() {
            Some(Fault::Lost(lost)) if number == lost => Execution::done(Err(failure())),
            Some(Fault::Crash(first)) if number >= first => Execution::done(Err(failure())),
            Some(Fault::AnswerLost(lost)) if number == lost => {
                let answer = self.inner.execute(request);
                Execution::pending(async move {
                    answer.await?;
                    Err(failure())
                })
            }
            _ => self.inner.execute(request),
        }
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

    fn changes_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        self.inner.changes_from(table_name, position)
    }
}

/// Lets every request of `operation` fail in turn, in each of the ways of [`Fault`], each time on a
/// store of its own in memory.
///
/// `prepare` opens the services and writes what must be there; the operation runs with one fault;
/// `check` runs without faults again and asserts that all of the operation was done, or nothing.
/// It is given whether the operation said that it succeeded: then all must be there.
pub async fn at_every_request<T, E>(
    prepare: impl AsyncFn(TestStore) -> T,
    operation: impl AsyncFn(&T) -> Result<(), E>,
    check: impl AsyncFn(&T, bool, Fault),
) {
    let plan = Arc::new(FaultPlan::default());
    let prepared = prepare(TestStore::with_faults(&plan)).await;
    plan.arm(None);
    assert!(operation(&prepared).await.is_ok(), "the operation fails without a fault");
    let requests = plan.count();
    assert!(requests > 0, "the operation makes no request");
    for number in 0..requests {
        for fault in [Fault::Lost(number), Fault::AnswerLost(number), Fault::Crash(number)] {
            let plan = Arc::new(FaultPlan::default());
            let prepared = prepare(TestStore::with_faults(&plan)).await;
            plan.arm(Some(fault));
            let is_done = operation(&prepared).await.is_ok();
            plan.arm(None);
            check(&prepared, is_done, fault).await;
        }
    }
}
