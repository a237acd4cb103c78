//! A recording backend that can lag, lose responses or die.

use singlet::backend::{Backend, BackendError, Execution};
use singlet::dynamo::Error;
use singlet::dynamo::error::CancellationReason;
use singlet::dynamo::operation::{Answer, PageAnswer, Query, Request, TransactWriteItem};
use singlet::engine::Clock;
use singlet_testing::{Intercepted, TestStore};
use std::sync::{Arc, Mutex};

/// A request, and how many items it read if it was a Query.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) request: Request,
    pub(crate) scanned: usize,
}

#[derive(Default)]
struct Plan {
    sent: Vec<Sent>,
    /// Indexes are empty until this time, in milliseconds.
    lags_until: Option<i64>,
    /// Writes executed before the simulated crash.
    writes_left: Option<usize>,
    /// Whether every ConditionCheck in a transaction fails.
    refuses_checks: bool,
    /// Out of this many requests, one is lost and one loses its response.
    loses_one_in: Option<usize>,
    count: usize,
}

/// What the backend does, shared with the test.
#[derive(Clone, Default)]
pub(crate) struct Control(Arc<Mutex<Plan>>);

impl Control {
    /// Clears the recorded requests.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap().sent.clear();
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.0.lock().unwrap().sent.clone()
    }

    /// The Queries that were sent, each with how many items it read.
    pub(crate) fn queries(&self) -> Vec<(Query, usize)> {
        let of = |sent: Sent| match sent.request {
            Request::Query(query) => Some((query, sent.scanned)),
            _ => None,
        };
        self.sent().into_iter().filter_map(of).collect()
    }

    /// The names of the writes that were sent.
    pub(crate) fn writes(&self) -> Vec<&'static str> {
        let sent = self.sent();
        sent.iter().map(|sent| sent.request.operation()).filter(|name| is_write(name)).collect()
    }

    /// The actions of the one transaction that was sent.
    pub(crate) fn transaction(&self) -> Vec<TransactWriteItem> {
        let of = |sent: Sent| match sent.request {
            Request::TransactWriteItems(transaction) => Some(transaction.actions),
            _ => None,
        };
        let mut all: Vec<_> = self.sent().into_iter().filter_map(of).collect();
        assert_eq!(all.len(), 1, "{} transactions", all.len());
        all.remove(0)
    }

    pub(crate) fn lag_until(&self, millis: i64) {
        self.0.lock().unwrap().lags_until = Some(millis);
    }

    pub(crate) fn die_after_writes(&self, count: Option<usize>) {
        self.0.lock().unwrap().writes_left = count;
    }

    /// Fails every transaction with a ConditionCheck, as if another server always won the race.
    pub(crate) fn refuse_checks(&self, is_refused: bool) {
        self.0.lock().unwrap().refuses_checks = is_refused;
    }

    pub(crate) fn lose_one_in(&self, count: Option<usize>) {
        self.0.lock().unwrap().loses_one_in = count;
    }
}

fn is_write(name: &str) -> bool {
    ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"].contains(&name)
}

enum Fate {
    Carried,
    Lost,
    AnswerLost,
}

impl Control {
    fn fate(&self, request: &Request) -> Fate {
        let mut plan = self.0.lock().unwrap();
        plan.count += 1;
        if let Some(left) = &mut plan.writes_left {
            if *left == 0 {
                return Fate::Lost;
            }
            *left -= usize::from(is_write(request.operation()));
        }
        match plan.loses_one_in {
            Some(of) if plan.count % of == 1 => Fate::Lost,
            Some(of) if plan.count % of == of / 2 => Fate::AnswerLost,
            _ => Fate::Carried,
        }
    }

    /// The refusal of a transaction with a ConditionCheck, while those fail.
    fn refusal(&self, request: &Request) -> Option<BackendError> {
        let Request::TransactWriteItems(transaction) = request else { return None };
        if !self.0.lock().unwrap().refuses_checks {
            return None;
        }
        let lost = CancellationReason::of(&Error::conditional_check_failed(None)).unwrap();
        let reason = |action: &TransactWriteItem| match action {
            TransactWriteItem::ConditionCheck(_) => lost.clone(),
            _ => CancellationReason { failure: None, item: None },
        };
        let reasons: Vec<CancellationReason> = transaction.actions.iter().map(reason).collect();
        let is_refused = reasons.iter().any(|reason| reason.failure.is_some());
        is_refused.then(|| BackendError::Refused(Error::transaction_canceled(reasons)))
    }

    fn lags(&self, request: &Request, clock: &Clock) -> bool {
        let Request::Query(query) = request else { return false };
        let until = self.0.lock().unwrap().lags_until;
        query.index_name.is_some() && until.is_some_and(|until| clock.now().as_millis() < until)
    }
}

fn failure() -> BackendError {
    BackendError::Failed("a fault injected by the test".into())
}

/// The backend of a store, as the test controls it.
pub(crate) fn watched(store: &TestStore, control: &Control) -> impl Backend {
    let (control, clock) = (control.clone(), store.clock.clone());
    Intercepted::new(store.backend(), move |inner, request| {
        let (fate, lags) = (control.fate(&request), control.lags(&request, &clock));
        if matches!(fate, Fate::Lost) {
            return Execution::done(Err(failure()));
        }
        if let Some(refusal) = control.refusal(&request) {
            return Execution::done(Err(refusal));
        }
        let answer = inner.execute(request.clone());
        let control = control.clone();
        Execution::pending(async move {
            let mut answer = answer.await?;
            let scanned = match &answer {
                Answer::Page(page) => page.scanned_count,
                _ => 0,
            };
            if lags {
                answer =
                    Answer::Page(PageAnswer { items: Some(Vec::new()), ..PageAnswer::default() });
            }
            control.0.lock().unwrap().sent.push(Sent { request, scanned });
            match fate {
                Fate::AnswerLost => Err(failure()),
                _ => Ok(answer),
            }
        })
    })
}
