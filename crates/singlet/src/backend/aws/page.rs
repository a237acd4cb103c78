//! Reading items page by page.

use super::capacity::{consumed, detail};
use super::error::backend_error;
use super::expression::Expressions;
use super::value::{self, Attributes, attributes};
use crate::backend::BackendError;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::Select;
use singlet_dynamo::expression::Projection;
use singlet_dynamo::operation::{PageAnswer, Query, Scan, Selection};
use singlet_dynamo::stored;

pub(super) async fn query(client: &Client, request: Query) -> Result<PageAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut expressions = Expressions::default();
    let select = select(&request.selection, request.index_name.is_some());
    let output = client
        .query()
        .table_name(request.table_name)
        .set_index_name(request.index_name)
        .key_condition_expression(expressions.key_condition(&request.key_condition))
        .set_filter_expression(expressions.condition(request.filter.as_ref()))
        .set_projection_expression(expressions.projection(parts(&request.selection)))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_select(select)
        .set_exclusive_start_key(request.exclusive_start_key.map(attributes))
        .set_limit(request.limit.map(number))
        .set_scan_index_forward((!request.scan_index_forward).then_some(false))
        .set_consistent_read(request.consistent_read.then_some(true))
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(backend_error)?;
    Ok(PageAnswer {
        items: rows(output.items)?,
        count: count(output.count),
        scanned_count: count(output.scanned_count),
        last_evaluated_key: last_key(output.last_evaluated_key)?,
        consumed_capacity: consumed(output.consumed_capacity, cost),
    })
}

pub(super) async fn scan(client: &Client, request: Scan) -> Result<PageAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut expressions = Expressions::default();
    let select = select(&request.selection, request.index_name.is_some());
    let segment = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    let output = client
        .scan()
        .table_name(request.table_name)
        .set_index_name(request.index_name)
        .set_filter_expression(expressions.condition(request.filter.as_ref()))
        .set_projection_expression(expressions.projection(parts(&request.selection)))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_select(select)
        .set_exclusive_start_key(request.exclusive_start_key.map(attributes))
        .set_limit(request.limit.map(number))
        .set_segment(request.segment.map(|of_scan| segment(of_scan.number)))
        .set_total_segments(request.segment.map(|of_scan| segment(of_scan.total)))
        .set_consistent_read(request.consistent_read.then_some(true))
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(backend_error)?;
    Ok(PageAnswer {
        items: rows(output.items)?,
        count: count(output.count),
        scanned_count: count(output.scanned_count),
        last_evaluated_key: last_key(output.last_evaluated_key)?,
        consumed_capacity: consumed(output.consumed_capacity, cost),
    })
}

fn select(selection: &Selection, is_of_index: bool) -> Option<Select> {
    match selection {
        Selection::Held if is_of_index => Some(Select::AllProjectedAttributes),
        Selection::Held => None,
        Selection::All => Some(Select::AllAttributes),
        Selection::Count => Some(Select::Count),
        Selection::Parts(_) => Some(Select::SpecificAttributes),
    }
}

fn parts(selection: &Selection) -> Option<&Projection> {
    match selection {
        Selection::Parts(projection) => Some(projection),
        _ => None,
    }
}

/// A number of items as the SDK has it. Nobody gets more than fit into a megabyte.
fn number(limit: usize) -> i32 {
    i32::try_from(limit).unwrap_or(i32::MAX)
}

fn count(items: i32) -> usize {
    usize::try_from(items).unwrap_or_default()
}

fn rows(items: Option<Vec<Attributes>>) -> Result<Option<Vec<stored::Attributes>>, BackendError> {
    let row = |attributes| Ok(stored::Attributes::Selected(value::item(attributes)?));
    items.map(|items| items.into_iter().map(row).collect()).transpose()
}

/// Where the next page begins. An empty key is none: DynamoDB gives none, but what speaks its
/// protocol may.
fn last_key(key: Option<Attributes>) -> Result<Option<singlet_dynamo::Item>, BackendError> {
    key.filter(|key| !key.is_empty()).map(value::item).transpose()
}
