//! Errors arrive as the SDK's variants.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::RequestId;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::operation::get_item::GetItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{
    ReturnValuesOnConditionCheckFailure as OnFailure, ScalarAttributeType as Type,
};
use rust_sdk::{created, dynamodb, fresh_name, item, n, s, table};

#[tokio::test]
async fn a_condition_that_does_not_hold() {
    let dynamodb = dynamodb();
    let table = created(&dynamodb, table(&dynamodb, "conditions", &[("pk", Type::S)])).await;
    let put = || {
        dynamodb
            .put_item()
            .table_name(&table)
            .item("pk", s("a"))
            .item("n", n(1))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(OnFailure::AllOld)
            .send()
    };
    put().await.unwrap();
    let refused = put().await.unwrap_err().into_service_error();
    let PutItemError::ConditionalCheckFailedException(failed) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(failed.message(), Some("The conditional request failed"));
    assert_eq!(failed.item(), Some(&item([("pk", s("a")), ("n", n(1))])));
}

#[tokio::test]
async fn tables_that_are_missing_or_there_already() {
    let dynamodb = dynamodb();
    let missing = dynamodb.get_item().table_name(fresh_name("missing")).key("pk", s("a"));
    let error = missing.send().await.unwrap_err().into_service_error();
    assert!(matches!(error, GetItemError::ResourceNotFoundException(_)), "{error:?}");
    assert!(error.request_id().is_some());

    let request = table(&dynamodb, "twice", &[("pk", Type::S)]);
    created(&dynamodb, request.clone()).await;
    let error = request.send().await.unwrap_err().into_service_error();
    assert!(matches!(error, CreateTableError::ResourceInUseException(_)), "{error:?}");
}

#[tokio::test]
async fn a_request_that_makes_no_sense() {
    let dynamodb = dynamodb();
    let table = created(&dynamodb, table(&dynamodb, "strict", &[("pk", Type::S)])).await;
    let refused = dynamodb
        .get_item()
        .table_name(&table)
        .key("pk", s("a"))
        .projection_expression("status")
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    // The SDK has no variant for it.
    assert_eq!(refused.code(), Some("ValidationException"));
    assert_eq!(
        refused.message(),
        Some(
            "Invalid ProjectionExpression: Attribute name is a reserved keyword; \
             reserved keyword: status"
        )
    );
}
