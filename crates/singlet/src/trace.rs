//! One tracing span per operation, with its cost.

use crate::backend::{Backend, BackendError, Execution};
use singlet_dynamo::capacity::{CapacityByTable, ConsumedCapacity, ReturnConsumedCapacity};
use singlet_dynamo::operation::{Answer, Request};
use tracing::field::Empty;
use tracing::{Instrument, Level, Span};

/// Runs a request in a span with the operation, the table and the consumed capacity. Does none of
/// this if the span is disabled.
pub(crate) fn execute(backend: &dyn Backend, mut request: Request) -> Execution<'_> {
    if !tracing::enabled!(Level::DEBUG) {
        return backend.execute(request);
    }
    let span = tracing::debug_span!(
        "dynamodb",
        operation = request.operation(),
        table = table_of(&request),
        capacity = Empty,
        error = Empty,
    );
    ask_for_capacity(&mut request);
    Execution::pending(async move {
        let outcome = backend.execute(request).instrument(span.clone()).await;
        record(&span, &outcome);
        outcome
    })
}

fn record(span: &Span, outcome: &Result<Answer, BackendError>) {
    match outcome {
        Ok(answer) => {
            if let Some(units) = capacity_of(answer) {
                span.record("capacity", units);
            }
        }
        // Only the name: the message may contain values of items or keys.
        Err(BackendError::Refused(refused)) => {
            span.record("error", refused.kind().name());
        }
        Err(_) => {
            span.record("error", "failed");
        }
    }
}

/// The table of a request on a single table.
fn table_of(request: &Request) -> Option<&str> {
    Some(match request {
        Request::GetItem(request) => &request.table_name,
        Request::PutItem(request) => &request.table_name,
        Request::UpdateItem(request) => &request.table_name,
        Request::DeleteItem(request) => &request.table_name,
        Request::Query(request) => &request.table_name,
        Request::Scan(request) => &request.table_name,
        Request::BatchGetItem(request) => &request.tables.first()?.table_name,
        Request::BatchWriteItem(request) => &request.tables.first()?.table_name,
        Request::TransactGetItems(request) => &request.gets.first()?.table_name,
        Request::TransactWriteItems(request) => request.actions.first()?.table_name(),
        _ => return None,
    })
}

fn ask_for_capacity(request: &mut Request) {
    let detail = match request {
        Request::GetItem(request) => &mut request.return_consumed_capacity,
        Request::PutItem(request) => &mut request.return_consumed_capacity,
        Request::UpdateItem(request) => &mut request.return_consumed_capacity,
        Request::DeleteItem(request) => &mut request.return_consumed_capacity,
        Request::Query(request) => &mut request.return_consumed_capacity,
        Request::Scan(request) => &mut request.return_consumed_capacity,
        Request::BatchGetItem(request) => &mut request.return_consumed_capacity,
        Request::BatchWriteItem(request) => &mut request.return_consumed_capacity,
        Request::TransactGetItems(request) => &mut request.return_consumed_capacity,
        Request::TransactWriteItems(request) => &mut request.return_consumed_capacity,
        _ => return,
    };
    *detail = ReturnConsumedCapacity::Total;
}

fn capacity_of(answer: &Answer) -> Option<f64> {
    let sum =
        |capacity: &CapacityByTable| capacity.tables().iter().map(ConsumedCapacity::total).sum();
    match answer {
        Answer::GetItem(answer) => answer.consumed_capacity.as_ref().map(ConsumedCapacity::total),
        Answer::Write(answer) => answer.consumed_capacity.as_ref().map(ConsumedCapacity::total),
        Answer::Page(answer) => answer.consumed_capacity.as_ref().map(ConsumedCapacity::total),
        Answer::BatchGetItem(answer) => Some(sum(&answer.capacity)),
        Answer::BatchWriteItem(answer) => Some(sum(&answer.capacity)),
        Answer::TransactGetItems(answer) => Some(sum(&answer.capacity)),
        Answer::TransactWriteItems(answer) => Some(sum(&answer.capacity)),
        _ => None,
    }
}
