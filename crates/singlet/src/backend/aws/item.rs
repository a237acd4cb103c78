//! Operations on one item.

use super::capacity::{consumed, detail, metrics, metrics_detail};
use super::error::{backend_error, write_error};
use super::expression::Expressions;
use super::value::{self, Attributes, attributes};
use crate::backend::BackendError;
use aws_sdk_dynamodb::{Client, types};
use singlet_dynamo::operation::{
    DeleteItem, GetItem, GetItemAnswer, PutItem, ReturnValues, UpdateItem, WriteAnswer,
};
use singlet_dynamo::stored;

pub(super) async fn get(client: &Client, request: GetItem) -> Result<GetItemAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut expressions = Expressions::default();
    let output = client
        .get_item()
        .table_name(request.table_name)
        .set_key(Some(attributes(request.key)))
        .set_consistent_read(request.consistent_read.then_some(true))
        .set_projection_expression(expressions.projection(request.projection.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(backend_error)?;
    Ok(GetItemAnswer {
        item: stored_attributes(output.item)?,
        consumed_capacity: consumed(output.consumed_capacity, cost),
    })
}

pub(super) async fn put(client: &Client, request: PutItem) -> Result<WriteAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut expressions = Expressions::default();
    let output = client
        .put_item()
        .table_name(request.table_name)
        .set_item(Some(attributes(request.item)))
        .set_condition_expression(expressions.condition(request.condition.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values(old(request.return_old))
        .set_return_values_on_condition_check_failure(old_on_failure(request.return_old_on_failure))
        .set_return_item_collection_metrics(metrics_detail(request.return_item_collection_metrics))
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(write_error)?;
    Ok(WriteAnswer {
        attributes: stored_attributes(output.attributes)?,
        consumed_capacity: consumed(output.consumed_capacity, cost),
        item_collection_metrics: metrics(output.item_collection_metrics)?,
    })
}

pub(super) async fn update(
    client: &Client,
    request: UpdateItem,
) -> Result<WriteAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut expressions = Expressions::default();
    let output = client
        .update_item()
        .table_name(request.table_name)
        .set_key(Some(attributes(request.key)))
        .set_update_expression(expressions.update(request.update.as_ref()))
        .set_condition_expression(expressions.condition(request.condition.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values(returned(request.return_values))
        .set_return_values_on_condition_check_failure(old_on_failure(request.return_old_on_failure))
        .set_return_item_collection_metrics(metrics_detail(request.return_item_collection_metrics))
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(write_error)?;
    Ok(WriteAnswer {
        attributes: stored_attributes(output.attributes)?,
        consumed_capacity: consumed(output.consumed_capacity, cost),
        item_collection_metrics: metrics(output.item_collection_metrics)?,
    })
}

pub(super) async fn delete(
    client: &Client,
    request: DeleteItem,
) -> Result<WriteAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut expressions = Expressions::default();
    let output = client
        .delete_item()
        .table_name(request.table_name)
        .set_key(Some(attributes(request.key)))
        .set_condition_expression(expressions.condition(request.condition.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values(old(request.return_old))
        .set_return_values_on_condition_check_failure(old_on_failure(request.return_old_on_failure))
        .set_return_item_collection_metrics(metrics_detail(request.return_item_collection_metrics))
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(write_error)?;
    Ok(WriteAnswer {
        attributes: stored_attributes(output.attributes)?,
        consumed_capacity: consumed(output.consumed_capacity, cost),
        item_collection_metrics: metrics(output.item_collection_metrics)?,
    })
}

/// Attributes that an answer has, if it has some.
pub(super) fn stored_attributes(
    attributes: Option<Attributes>,
) -> Result<Option<stored::Attributes>, BackendError> {
    let item = attributes.map(value::item).transpose()?;
    Ok(item.map(stored::Attributes::Selected))
}

/// Whether a failed condition gives back what is there.
pub(super) fn old_on_failure(
    is_wanted: bool,
) -> Option<types::ReturnValuesOnConditionCheckFailure> {
    is_wanted.then_some(types::ReturnValuesOnConditionCheckFailure::AllOld)
}

fn old(is_wanted: bool) -> Option<types::ReturnValue> {
    is_wanted.then_some(types::ReturnValue::AllOld)
}

fn returned(values: ReturnValues) -> Option<types::ReturnValue> {
    Some(match values {
        ReturnValues::None => return None,
        ReturnValues::AllOld => types::ReturnValue::AllOld,
        ReturnValues::UpdatedOld => types::ReturnValue::UpdatedOld,
        ReturnValues::AllNew => types::ReturnValue::AllNew,
        ReturnValues::UpdatedNew => types::ReturnValue::UpdatedNew,
    })
}
