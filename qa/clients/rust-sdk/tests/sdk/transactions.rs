//! Transactions are atomic and report why they failed.

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Get, Put, ScalarAttributeType as Type, TransactGetItem,
    TransactWriteItem,
};
use rust_sdk::{created, dynamodb, fresh_name, s, table};

fn put(table: &str, key: &str) -> TransactWriteItem {
    let put = Put::builder()
        .table_name(table)
        .item("pk", s(key))
        .condition_expression("attribute_not_exists(pk)");
    TransactWriteItem::builder().put(put.build().unwrap()).build()
}

#[tokio::test]
async fn a_refused_transaction_names_the_action_that_is_to_blame() {
    let dynamodb = dynamodb();
    let table = created(&dynamodb, table(&dynamodb, "together", &[("pk", Type::S)])).await;
    let write = || dynamodb.transact_write_items();
    let token = fresh_name("t").chars().rev().take(36).collect::<String>();
    for _ in 0..2 {
        // A repetition with the same token is a no-op.
        write()
            .transact_items(put(&table, "a"))
            .transact_items(put(&table, "b"))
            .client_request_token(&token)
            .send()
            .await
            .unwrap();
    }
    let delete = Delete::builder().table_name(&table).key("pk", s("b")).build().unwrap();
    let check = ConditionCheck::builder()
        .table_name(&table)
        .key("pk", s("z"))
        .condition_expression("attribute_not_exists(pk)")
        .build()
        .unwrap();
    let refused = write()
        .transact_items(TransactWriteItem::builder().delete(delete).build())
        .transact_items(put(&table, "a"))
        .transact_items(TransactWriteItem::builder().condition_check(check).build())
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = refused else {
        panic!("{refused:?}");
    };
    let codes: Vec<_> =
        cancelled.cancellation_reasons().iter().map(|reason| reason.code()).collect();
    assert_eq!(codes, [Some("None"), Some("ConditionalCheckFailed"), Some("None")]);

    let get = |key: &str| {
        let get = Get::builder().table_name(&table).key("pk", s(key)).build().unwrap();
        TransactGetItem::builder().get(get).build()
    };
    let read = dynamodb
        .transact_get_items()
        .transact_items(get("a"))
        .transact_items(get("b"))
        .transact_items(get("z"))
        .send()
        .await
        .unwrap();
    let there: Vec<bool> = read.responses().iter().map(|each| each.item().is_some()).collect();
    assert_eq!(there, [true, true, false]);
}
