//! Injected request failures.

use crate::intercepted::Intercepted;
use crate::store::TestStore;
use singlet::backend::{Backend, BackendError, Execution};
use singlet::dynamo::Item;
use singlet::dynamo::operation::{Request, TransactWriteItem, WriteRequest};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// Prefix of the web kit's table.
const KIT: &str = "singlet-web-";

/// A request failure. Requests are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This request does not reach the store.
    Lost(usize),
    /// The request is executed, but the answer is lost.
    AnswerLost(usize),
    /// This and all later requests do not reach the store, as after a crash.
    Crash(usize),
}

/// The number of requests to a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestCounts {
    pub(crate) reads: usize,
    pub(crate) writes: usize,
    /// To the web kit's table: keys, budgets, leases.
    pub(crate) kit: usize,
}

/// An item that a request may have written: its table, and its key or the whole item.
pub(crate) type Written = (String, Item);

/// Counts requests, records their writes, and injects a fault or a pause.
#[derive(Default)]
pub(crate) struct FaultPlan(Mutex<Plan>);

#[derive(Default)]
struct Plan {
    /// Requests to the kit's table are not numbered, so they do not fail.
    spares_kit: bool,
    next: usize,
    fault: Option<Fault>,
    pause: Option<(usize, Arc<Pause>)>,
    counts: RequestCounts,
    written: Vec<Written>,
    in_flight: usize,
}

/// Holds one request until the test releases it.
pub(crate) struct Pause {
    pub(crate) reached: Semaphore,
    pub(crate) released: Semaphore,
}

impl Default for Pause {
    fn default() -> Self {
        Self { reached: Semaphore::new(0), released: Semaphore::new(0) }
    }
}

enum Fate {
    Carried,
    Paused(Arc<Pause>),
    Lost,
    AnswerLost,
}

impl FaultPlan {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Restarts counting from 0 with this fault.
    pub(crate) fn arm(&self, fault: Option<Fault>) {
        let mut plan = self.plan();
        (plan.next, plan.fault, plan.pause) = (0, fault, None);
        plan.counts = RequestCounts::default();
    }

    /// Restarts counting from 0 and pauses one request.
    pub(crate) fn arm_pause(&self, number: usize) -> Arc<Pause> {
        let pause = Arc::new(Pause::default());
        self.arm(None);
        self.plan().pause = Some((number, Arc::clone(&pause)));
        pause
    }

    pub(crate) fn spare_kit(&self) {
        self.plan().spares_kit = true;
    }

    pub(crate) fn count(&self) -> usize {
        self.plan().next
    }

    pub(crate) fn counts(&self) -> RequestCounts {
        self.plan().counts
    }

    pub(crate) fn take_written(&self) -> Vec<Written> {
        std::mem::take(&mut self.plan().written)
    }

    pub(crate) fn written(&self) -> Vec<Written> {
        self.plan().written.clone()
    }

    /// Whether the store is idle, and the counts so far.
    pub(crate) fn activity(&self) -> (bool, RequestCounts) {
        let plan = self.plan();
        (plan.in_flight == 0, plan.counts)
    }

    fn begin(&self, request: &Request) -> Fate {
        let (tables, is_write, written) = shape(request);
        let mut plan = self.plan();
        plan.in_flight += 1;
        plan.written.extend(written);
        let is_kit = !tables.is_empty() && tables.iter().all(|table| is_kit(table));
        match (is_kit, is_write) {
            _ if tables.is_empty() => {}
            (true, _) => plan.counts.kit += 1,
            (false, true) => plan.counts.writes += 1,
            (false, false) => plan.counts.reads += 1,
        }
        if is_kit && plan.spares_kit {
            return match plan.fault {
                Some(Fault::Crash(first)) if plan.next > first => Fate::Lost,
                _ => Fate::Carried,
            };
        }
        let number = plan.next;
        plan.next += 1;
        match (plan.fault, &plan.pause) {
            (Some(Fault::Lost(lost)), _) if number == lost => Fate::Lost,
            (Some(Fault::Crash(first)), _) if number >= first => Fate::Lost,
            (Some(Fault::AnswerLost(lost)), _) if number == lost => Fate::AnswerLost,
            (_, Some((at, pause))) if number == *at => Fate::Paused(Arc::clone(pause)),
            _ => Fate::Carried,
        }
    }
}

pub(crate) fn is_kit(table: &str) -> bool {
    table.starts_with(KIT)
}

/// The tables of an item request, whether it writes, and which items.
fn shape(request: &Request) -> (Vec<&str>, bool, Vec<Written>) {
    fn of(table: &str, item: &Item) -> Written {
        (table.to_owned(), item.clone())
    }
    let written = match request {
        Request::PutItem(put) => vec![of(&put.table_name, &put.item)],
        Request::UpdateItem(update) => vec![of(&update.table_name, &update.key)],
        Request::DeleteItem(delete) => vec![of(&delete.table_name, &delete.key)],
        Request::BatchWriteItem(batch) => {
            let all = batch.tables.iter().flat_map(|table| {
                table.requests.iter().map(|write| match write {
                    WriteRequest::Put(item) | WriteRequest::Delete(item) => {
                        of(&table.table_name, item)
                    }
                })
            });
            all.collect()
        }
        Request::TransactWriteItems(transaction) => {
            let all = transaction.actions.iter().filter_map(|action| match action {
                TransactWriteItem::Put(put) => Some(of(&put.table_name, &put.item)),
                TransactWriteItem::Update(update) => Some(of(&update.table_name, &update.key)),
                TransactWriteItem::Delete(delete) => Some(of(&delete.table_name, &delete.key)),
                TransactWriteItem::ConditionCheck(_) => None,
            });
            all.collect()
        }
        _ => Vec::new(),
    };
    let tables: Vec<&str> = match request {
        Request::PutItem(put) => vec![&put.table_name],
        Request::UpdateItem(update) => vec![&update.table_name],
        Request::DeleteItem(delete) => vec![&delete.table_name],
        Request::GetItem(get) => vec![&get.table_name],
        Request::Query(query) => vec![&query.table_name],
        Request::Scan(scan) => vec![&scan.table_name],
        Request::BatchWriteItem(batch) => {
            batch.tables.iter().map(|table| table.table_name.as_str()).collect()
        }
        Request::BatchGetItem(batch) => {
            batch.tables.iter().map(|table| table.table_name.as_str()).collect()
        }
        Request::TransactWriteItems(transaction) => {
            transaction.actions.iter().map(table_of).collect()
        }
        Request::TransactGetItems(transaction) => {
            transaction.gets.iter().map(|get| get.table_name.as_str()).collect()
        }
        _ => Vec::new(),
    };
    let is_write = request.operation().contains("Write") || !written.is_empty();
    (tables, is_write, written)
}

fn table_of(action: &TransactWriteItem) -> &str {
    match action {
        TransactWriteItem::Put(put) => &put.table_name,
        TransactWriteItem::Update(update) => &update.table_name,
        TransactWriteItem::Delete(delete) => &delete.table_name,
        TransactWriteItem::ConditionCheck(check) => &check.table_name,
    }
}

fn failure() -> BackendError {
    BackendError::Failed("a fault injected by the test".into())
}

/// Marks a request as finished, even if its caller has dropped it.
struct InFlight(Arc<FaultPlan>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.plan().in_flight -= 1;
    }
}

/// A backend that counts requests and fails them as planned.
pub(crate) fn faulty_backend(inner: Arc<dyn Backend>, plan: Arc<FaultPlan>) -> Arc<dyn Backend> {
    Arc::new(Intercepted::new(inner, move |inner, request| {
        let fate = plan.begin(&request);
        let in_flight = InFlight(Arc::clone(&plan));
        match fate {
            Fate::Lost => Execution::done(Err(failure())),
            Fate::Carried => {
                let answer = inner.execute(request);
                Execution::pending(async move {
                    let _in_flight = in_flight;
                    answer.await
                })
            }
            Fate::Paused(pause) => Execution::pending(async move {
                let _in_flight = in_flight;
                pause.reached.add_permits(1);
                // A closed semaphore releases the request too.
                let _ = pause.released.acquire().await;
                inner.execute(request).await
            }),
            Fate::AnswerLost => {
                let answer = inner.execute(request);
                Execution::pending(async move {
                    let _in_flight = in_flight;
                    answer.await?;
                    Err(failure())
                })
            }
        }
    }))
}

/// Fails every request of `operation` in turn, in each way of [`Fault`], each time on a new store
/// in memory.
///
/// `prepare` opens the services and writes initial data, the operation runs with one fault, and
/// `check` runs without faults. It asserts that the operation was carried out completely or not at
/// all; its flag is whether the operation reported success, which requires all of it.
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
