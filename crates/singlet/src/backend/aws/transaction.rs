//! Several items, all of them or none.

use super::capacity::{by_table, detail, metrics, metrics_detail};
use super::error::{failed, transaction_error};
use super::expression::Expressions;
use super::item::{old_on_failure, stored_attributes};
use super::value::attributes;
use crate::backend::BackendError;
use aws_sdk_dynamodb::{Client, types};
use singlet_dynamo::operation::{
    ConditionCheck, DeleteItem, GetItem, MetricsByTable, PutItem, TransactGetItems,
    TransactGetItemsAnswer, TransactWriteItem, TransactWriteItems, TransactWriteItemsAnswer,
    UpdateItem,
};

pub(super) async fn get(
    client: &Client,
    request: TransactGetItems,
) -> Result<TransactGetItemsAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let gets = request.gets.into_iter().map(get_action).collect::<Result<_, _>>()?;
    let output = client
        .transact_get_items()
        .set_transact_items(Some(gets))
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(transaction_error)?;
    let responses = output.responses.unwrap_or_default().into_iter();
    Ok(TransactGetItemsAnswer {
        responses: responses
            .map(|response| stored_attributes(response.item.filter(|item| !item.is_empty())))
            .collect::<Result<_, _>>()?,
        capacity: by_table(output.consumed_capacity, cost),
    })
}

fn get_action(get: GetItem) -> Result<types::TransactGetItem, BackendError> {
    let mut expressions = Expressions::default();
    let get = types::Get::builder()
        .table_name(get.table_name)
        .set_key(Some(attributes(get.key)))
        .set_projection_expression(expressions.projection(get.projection.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .build()
        .map_err(failed)?;
    Ok(types::TransactGetItem::builder().get(get).build())
}

pub(super) async fn write(
    client: &Client,
    request: TransactWriteItems,
) -> Result<TransactWriteItemsAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let token = match request.client_request_token {
        Some(token) => token,
        None => random_token()?,
    };
    let actions = request.actions.into_iter().map(write_action).collect::<Result<_, _>>()?;
    let output = client
        .transact_write_items()
        .set_transact_items(Some(actions))
        .client_request_token(token)
        .set_return_item_collection_metrics(metrics_detail(request.return_item_collection_metrics))
        .set_return_consumed_capacity(detail(cost))
        .send()
        .await
        .map_err(transaction_error)?;
    let mut item_collection_metrics = MetricsByTable::default();
    for (table_name, collections) in output.item_collection_metrics.unwrap_or_default() {
        for collection in collections {
            if let Some(metrics) = metrics(Some(collection))? {
                item_collection_metrics.add(&table_name, metrics);
            }
        }
    }
    let capacity = by_table(output.consumed_capacity, cost);
    Ok(TransactWriteItemsAnswer { capacity, item_collection_metrics })
}

/// A token that nobody can guess, so that retries of the SDK are carried out once and no other
/// request takes the place of this one. The SDK would make one up that can be guessed.
fn random_token() -> Result<String, BackendError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn write_action(action: TransactWriteItem) -> Result<types::TransactWriteItem, BackendError> {
    let builder = types::TransactWriteItem::builder();
    Ok(match action {
        TransactWriteItem::ConditionCheck(check) => builder.condition_check(check_action(check)?),
        TransactWriteItem::Put(put) => builder.put(put_action(put)?),
        TransactWriteItem::Delete(delete) => builder.delete(delete_action(delete)?),
        TransactWriteItem::Update(update) => builder.update(update_action(update)?),
    }
    .build())
}

fn check_action(check: ConditionCheck) -> Result<types::ConditionCheck, BackendError> {
    let mut expressions = Expressions::default();
    types::ConditionCheck::builder()
        .table_name(check.table_name)
        .set_key(Some(attributes(check.key)))
        .set_condition_expression(expressions.condition(Some(&check.condition)))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values_on_condition_check_failure(old_on_failure(check.return_old_on_failure))
        .build()
        .map_err(failed)
}

fn put_action(put: PutItem) -> Result<types::Put, BackendError> {
    let mut expressions = Expressions::default();
    types::Put::builder()
        .table_name(put.table_name)
        .set_item(Some(attributes(put.item)))
        .set_condition_expression(expressions.condition(put.condition.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values_on_condition_check_failure(old_on_failure(put.return_old_on_failure))
        .build()
        .map_err(failed)
}

fn delete_action(delete: DeleteItem) -> Result<types::Delete, BackendError> {
    let mut expressions = Expressions::default();
    types::Delete::builder()
        .table_name(delete.table_name)
        .set_key(Some(attributes(delete.key)))
        .set_condition_expression(expressions.condition(delete.condition.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values_on_condition_check_failure(old_on_failure(delete.return_old_on_failure))
        .build()
        .map_err(failed)
}

fn update_action(update: UpdateItem) -> Result<types::Update, BackendError> {
    let mut expressions = Expressions::default();
    types::Update::builder()
        .table_name(update.table_name)
        .set_key(Some(attributes(update.key)))
        .set_update_expression(expressions.update(update.update.as_ref()))
        .set_condition_expression(expressions.condition(update.condition.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values_on_condition_check_failure(old_on_failure(update.return_old_on_failure))
        .build()
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_of_a_length_that_dynamodb_takes_and_differ() {
        let (one, other) = (random_token().unwrap(), random_token().unwrap());
        assert!(one.len() == 32 && one != other, "{one} {other}");
    }
}
