//! A table's changes, followed with the SDK's second crate.

use aws_sdk_dynamodb::types::{ScalarAttributeType as Type, StreamSpecification, StreamViewType};
use aws_sdk_dynamodbstreams::types::{OperationType, ShardIteratorType};
use rust_sdk::{created, dynamodb, n, s, streams, table};

#[tokio::test]
async fn every_change_is_told_once_and_in_order() {
    let (dynamodb, streams) = (dynamodb(), streams());
    let request = table(&dynamodb, "followed", &[("pk", Type::S)]).stream_specification(
        StreamSpecification::builder()
            .stream_enabled(true)
            .stream_view_type(StreamViewType::NewAndOldImages)
            .build()
            .unwrap(),
    );
    let table = created(&dynamodb, request).await;
    for number in [1, 2] {
        let put = dynamodb.put_item().table_name(&table).item("pk", s("a")).item("n", n(number));
        put.send().await.unwrap();
    }
    dynamodb.delete_item().table_name(&table).key("pk", s("a")).send().await.unwrap();

    let described = dynamodb.describe_table().table_name(&table).send().await.unwrap();
    let arn = described.table().unwrap().latest_stream_arn().unwrap().to_owned();
    let stream = streams.describe_stream().stream_arn(&arn).send().await.unwrap();
    let shard = stream.stream_description().unwrap().shards()[0].shard_id().unwrap().to_owned();
    let mut iterator = streams
        .get_shard_iterator()
        .stream_arn(&arn)
        .shard_id(shard)
        .shard_iterator_type(ShardIteratorType::TrimHorizon)
        .send()
        .await
        .unwrap()
        .shard_iterator;
    let mut changes = Vec::new();
    for _ in 0..2 {
        let answer =
            streams.get_records().set_shard_iterator(iterator).limit(2).send().await.unwrap();
        for record in answer.records() {
            let image = |item: Option<&std::collections::HashMap<_, _>>| {
                item.map(|image| match &image["n"] {
                    aws_sdk_dynamodbstreams::types::AttributeValue::N(number) => number.clone(),
                    other => panic!("{other:?}"),
                })
            };
            let change = record.dynamodb().unwrap();
            changes.push((
                record.event_name().unwrap().clone(),
                image(change.old_image()),
                image(change.new_image()),
            ));
        }
        iterator = answer.next_shard_iterator().map(str::to_owned);
    }
    let told = |text: &str| Some(text.to_owned());
    assert_eq!(
        changes,
        [
            (OperationType::Insert, None, told("1")),
            (OperationType::Modify, told("1"), told("2")),
            (OperationType::Remove, told("2"), None),
        ]
    );
}
