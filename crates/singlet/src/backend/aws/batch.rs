//! Several items, each by itself.

use super::capacity::{by_table, detail, metrics, metrics_detail};
use super::error::{backend_error, failed};
use super::expression::Expressions;
use super::value::{self, attributes};
use crate::backend::BackendError;
use aws_sdk_dynamodb::{Client, types};
use singlet_dynamo::operation::{
    BatchGetItem, BatchGetItemAnswer, BatchWriteItem, BatchWriteItemAnswer, KeysAndAttributes,
    MetricsByTable, TableWrites, WriteRequest,
};
use singlet_dynamo::stored;

pub(super) async fn get(
    client: &Client,
    mut request: BatchGetItem,
) -> Result<BatchGetItemAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut batch = client.batch_get_item().set_return_consumed_capacity(detail(cost));
    for table in &mut request.tables {
        batch = batch.request_items(table.table_name.clone(), keys_and_attributes(table)?);
    }
    let output = batch.send().await.map_err(backend_error)?;

    let mut answer = BatchGetItemAnswer {
        responses: Vec::new(),
        unprocessed_keys: Vec::new(),
        capacity: by_table(output.consumed_capacity, cost),
    };
    let row = |attributes| Ok(stored::Attributes::Selected(value::item(attributes)?));
    for (table_name, items) in output.responses.unwrap_or_default() {
        let items = items.into_iter().map(row).collect::<Result<_, BackendError>>()?;
        answer.responses.push((table_name, items));
    }
    for (table_name, left) in output.unprocessed_keys.unwrap_or_default() {
        // What is left is asked for again as it was asked for before; only the keys are fewer.
        let asked = request.tables.iter().find(|table| table.table_name == table_name);
        let mut again = asked
            .cloned()
            .ok_or_else(|| failed("keys of a table are left that was not asked for any"))?;
        again.keys = left.keys.into_iter().map(value::item).collect::<Result<_, _>>()?;
        answer.unprocessed_keys.push(again);
    }
    Ok(answer)
}

/// What is asked of one table. The keys move into it.
fn keys_and_attributes(
    table: &mut KeysAndAttributes,
) -> Result<types::KeysAndAttributes, BackendError> {
    let mut expressions = Expressions::default();
    let keys = std::mem::take(&mut table.keys).into_iter().map(attributes).collect();
    types::KeysAndAttributes::builder()
        .set_keys(Some(keys))
        .set_consistent_read(table.consistent_read.then_some(true))
        .set_projection_expression(expressions.projection(table.projection.as_ref()))
        .set_expression_attribute_names(expressions.names())
        .build()
        .map_err(failed)
}

pub(super) async fn write(
    client: &Client,
    request: BatchWriteItem,
) -> Result<BatchWriteItemAnswer, BackendError> {
    let cost = request.return_consumed_capacity;
    let mut batch = client
        .batch_write_item()
        .set_return_item_collection_metrics(metrics_detail(request.return_item_collection_metrics))
        .set_return_consumed_capacity(detail(cost));
    for table in request.tables {
        let requests = table.requests.into_iter().map(write_request);
        batch = batch.request_items(table.table_name, requests.collect::<Result<_, _>>()?);
    }
    let output = batch.send().await.map_err(backend_error)?;

    let mut answer = BatchWriteItemAnswer {
        unprocessed_items: Vec::new(),
        item_collection_metrics: MetricsByTable::default(),
        capacity: by_table(output.consumed_capacity, cost),
    };
    for (table_name, left) in output.unprocessed_items.unwrap_or_default() {
        let requests = left.into_iter().map(left_write).collect::<Result<_, _>>()?;
        answer.unprocessed_items.push(TableWrites { table_name, requests });
    }
    for (table_name, collections) in output.item_collection_metrics.unwrap_or_default() {
        for collection in collections {
            if let Some(metrics) = metrics(Some(collection))? {
                answer.item_collection_metrics.add(&table_name, metrics);
            }
        }
    }
    Ok(answer)
}

fn write_request(request: WriteRequest) -> Result<types::WriteRequest, BackendError> {
    let builder = types::WriteRequest::builder();
    Ok(match request {
        WriteRequest::Put(item) => {
            let put = types::PutRequest::builder().set_item(Some(attributes(item)));
            builder.put_request(put.build().map_err(failed)?)
        }
        WriteRequest::Delete(key) => {
            let delete = types::DeleteRequest::builder().set_key(Some(attributes(key)));
            builder.delete_request(delete.build().map_err(failed)?)
        }
    }
    .build())
}

fn left_write(request: types::WriteRequest) -> Result<WriteRequest, BackendError> {
    match (request.put_request, request.delete_request) {
        (Some(put), _) => Ok(WriteRequest::Put(value::item(put.item)?)),
        (None, Some(delete)) => Ok(WriteRequest::Delete(value::item(delete.key)?)),
        (None, None) => Err(failed("a write is left that is neither a put nor a delete")),
    }
}
