//! The comparison with the reference finds bugs: each one planted here is found within a few
//! thousand operations.

use crate::subject::Subject;
use singlet_dynamo::operation::{
    Answer, DeleteItem, GetItem, GetItemAnswer, Request, TransactWriteItem,
};
use singlet_dynamo::{Error, ErrorKind};
use singlet_testing::differential::{System, find};
use singlet_testing::generator::Profile;

/// A tenth of what the test of the engine runs, so that no bug is found by luck alone.
const OPERATIONS: usize = 20_000;
const MINUTE_MS: i64 = 60_000;

/// A planted bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// Ignores conditions.
    SkipsConditions,
    /// Reads indexes as of before the last write.
    ReadsStaleIndexes,
    /// Items expire a minute early.
    ExpiresEarly,
    /// Items do not expire at all.
    NeverExpires,
    /// Drops the last item of every page but the last.
    DropsEndsOfPages,
    /// Swaps the reasons of two actions of a cancelled transaction.
    SwapsReasons,
    /// Applies the first write of a cancelled transaction.
    HalvesTransactions,
    /// Repeats a transaction that is sent again.
    ForgetsTokens,
    /// Loses the last item put when the system is reopened.
    LosesTheLastWrite,
    /// Loses every third record of a stream.
    LosesRecords,
    /// Returns the first segment of a scan as the second one.
    RepeatsSegments,
    /// Still finds a deleted item, as if its tombstone were missing in a newer layer.
    ShowsDeletedItems,
    /// Counts one item too many.
    Miscounts,
    /// Reports the table's size as the index's.
    MiscountsIndexes,
}

/// The engine with a bug.
struct Mistaken {
    mistake: Mistake,
    subject: Subject,
    /// The same engine, one write behind.
    behind: Subject,
    last_write: Option<Request>,
    /// Deleted items: the request that reads them, and the answer before the deletion.
    deleted: Vec<(GetItem, GetItemAnswer)>,
}

impl Mistaken {
    fn new(mistake: Mistake) -> Self {
        let (subject, behind) = (Subject::memory(), Subject::memory());
        Self { mistake, subject, behind, last_write: None, deleted: Vec::new() }
    }

    /// Brings the copy up to date, except for this write.
    fn fall_behind(&mut self, request: &Request) {
        let is_read = matches!(
            request,
            Request::Query(_) | Request::Scan(_) | Request::GetItem(_) | Request::GetRecords(_)
        );
        if self.mistake == Mistake::ReadsStaleIndexes
            && !is_read
            && let Some(before) = self.last_write.replace(request.clone())
        {
            let _ = self.behind.run(before);
        }
    }
}

fn unconditional(mut request: Request) -> Request {
    match &mut request {
        Request::PutItem(put) => put.condition = None,
        Request::UpdateItem(update) => update.condition = None,
        Request::DeleteItem(delete) => delete.condition = None,
        _ => {}
    }
    request
}

impl System for Mistaken {
    fn run(&mut self, mut request: Request) -> Result<Answer, Error> {
        self.fall_behind(&request);
        match (self.mistake, &mut request) {
            (Mistake::SkipsConditions, _) => request = unconditional(request),
            (Mistake::ReadsStaleIndexes, Request::Query(query)) if query.index_name.is_some() => {
                return self.behind.run(request);
            }
            (Mistake::ForgetsTokens, Request::TransactWriteItems(request)) => {
                request.client_request_token = None;
            }
            (Mistake::RepeatsSegments, Request::Scan(scan)) => {
                if let Some(segment) = &mut scan.segment
                    && segment.number == 1
                {
                    segment.number = 0;
                }
            }
            (Mistake::ShowsDeletedItems, Request::DeleteItem(delete)) => {
                let get = GetItem::new(delete.table_name.as_str(), delete.key.clone());
                if let Ok(Answer::GetItem(answer)) = self.subject.run(get.clone().into()) {
                    self.deleted.push((get, answer));
                }
            }
            (Mistake::LosesTheLastWrite, Request::PutItem(_)) => {
                self.last_write = Some(request.clone());
            }
            _ => {}
        }
        let mut answer = self.subject.run(request.clone());
        match (self.mistake, &mut answer) {
            (Mistake::DropsEndsOfPages, Ok(Answer::Page(page))) => {
                if page.last_evaluated_key.is_some()
                    && let Some(items) = &mut page.items
                    && items.pop().is_some()
                {
                    page.count -= 1;
                }
            }
            (Mistake::LosesRecords, Ok(Answer::GetRecords(answer))) => {
                let mut place = 0;
                answer.records.retain(|_| {
                    place += 1;
                    place % 3 != 0
                });
            }
            (Mistake::ShowsDeletedItems, Ok(Answer::GetItem(answer))) => {
                if let Request::GetItem(get) = &request
                    && answer.item.is_none()
                    && let Some((_, before)) = self.deleted.iter().rev().find(|(deleted, _)| {
                        deleted.key == get.key && deleted.table_name == get.table_name
                    })
                {
                    answer.item = before.item.clone();
                }
            }
            (Mistake::Miscounts, Ok(Answer::DescribeTable(answer))) => {
                answer.table.item_count += 1;
            }
            (Mistake::MiscountsIndexes, Ok(Answer::DescribeTable(answer))) => {
                for described in &mut answer.table.indexes {
                    described.size_bytes = answer.table.size_bytes;
                }
            }
            (Mistake::SwapsReasons, Err(error)) => {
                let mut reasons = error.cancellation_reasons().to_vec();
                if reasons.len() > 1 {
                    reasons.swap(0, 1);
                    return Err(Error::transaction_canceled(reasons));
                }
            }
            (Mistake::HalvesTransactions, Err(error)) => {
                if let Request::TransactWriteItems(request) = request
                    && error.kind() == ErrorKind::TransactionCanceled
                    && let Some(TransactWriteItem::Put(put)) = request.actions.first()
                {
                    let _ = self.subject.run(put.clone().into());
                }
            }
            _ => {}
        }
        answer
    }

    fn advance(&mut self, millis: i64) {
        self.subject.advance(millis);
        self.behind.advance(millis);
    }

    fn maintain(&mut self) {
        let wrong_by = match self.mistake {
            Mistake::ExpiresEarly => MINUTE_MS,
            Mistake::NeverExpires => -10_000 * MINUTE_MS,
            _ => 0,
        };
        self.subject.advance(wrong_by);
        self.subject.maintain();
        self.subject.advance(-wrong_by);
        if let Some(before) = self.last_write.take() {
            let _ = self.behind.run(before);
        }
        self.behind.maintain();
    }

    fn reopen(&mut self) {
        self.subject.reopen();
        if self.mistake == Mistake::LosesTheLastWrite
            && let Some(Request::PutItem(put)) = self.last_write.take()
        {
            let mut key = put.item;
            key.retain(|name, _| name == "pk" || name == "sk");
            let _ = self.subject.run(DeleteItem::new(put.table_name, key).into());
        }
    }

    fn audit(&mut self) -> Vec<String> {
        self.subject.audit()
    }
}

/// Finds the bug, and shrinks the sequence that shows it.
fn finds(mistake: Mistake) {
    let found = find(0.., 120, Profile::Small, OPERATIONS, || Mistaken::new(mistake));
    let Err(finding) = found else { panic!("{mistake:?} was not found") };
    assert!(finding.steps.len() <= 12, "{mistake:?} was shown by too long a sequence: {finding:?}");
}

#[test]
fn no_mistake_is_found_where_there_is_none() {
    // The copy and the clock alone must make no difference.
    struct Sound(Mistaken);
    impl System for Sound {
        fn run(&mut self, request: Request) -> Result<Answer, Error> {
            self.0.subject.run(request)
        }
        fn advance(&mut self, millis: i64) {
            self.0.advance(millis);
        }
        fn maintain(&mut self) {
            self.0.subject.maintain();
        }
        fn reopen(&mut self) {
            self.0.subject.reopen();
        }
        fn audit(&mut self) -> Vec<String> {
            self.0.audit()
        }
    }
    let sound = || Sound(Mistaken::new(Mistake::SkipsConditions));
    if let Err(finding) = find(0.., 120, Profile::Small, OPERATIONS, sound) {
        panic!("{finding:?}");
    }
}

#[test]
fn skipped_conditions_are_found() {
    finds(Mistake::SkipsConditions);
}

#[test]
fn stale_indexes_are_found() {
    finds(Mistake::ReadsStaleIndexes);
}

#[test]
fn wrong_expiries_are_found() {
    finds(Mistake::ExpiresEarly);
    finds(Mistake::NeverExpires);
}

#[test]
fn wrong_pages_are_found() {
    finds(Mistake::DropsEndsOfPages);
    finds(Mistake::RepeatsSegments);
}

#[test]
fn wrong_transactions_are_found() {
    finds(Mistake::SwapsReasons);
    finds(Mistake::HalvesTransactions);
    finds(Mistake::ForgetsTokens);
}

#[test]
fn lost_writes_and_records_are_found() {
    finds(Mistake::LosesTheLastWrite);
    finds(Mistake::LosesRecords);
}

#[test]
fn deleted_items_that_are_shown_are_found() {
    finds(Mistake::ShowsDeletedItems);
}

#[test]
fn wrong_counts_are_found() {
    finds(Mistake::Miscounts);
    finds(Mistake::MiscountsIndexes);
}
