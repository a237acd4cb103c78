//! Pages of queries and scans, and batches.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::{
    KeysAndAttributes, PutRequest, ScalarAttributeType as Type, WriteRequest,
};
use rust_sdk::{created, definition, dynamodb, index, item, n, s, table};

const COUNT: u32 = 60;

/// A table of rounds: Anna has the odd ones, and weights decrease.
async fn rounds(dynamodb: &aws_sdk_dynamodb::Client) -> String {
    let request = table(dynamodb, "rounds", &[("game", Type::S), ("round", Type::N)])
        .attribute_definitions(definition(&("player", Type::S)))
        .attribute_definitions(definition(&("weight", Type::N)))
        .global_secondary_indexes(index("by-player", &[("player", Type::S), ("weight", Type::N)]));
    let table = created(dynamodb, request).await;
    let rounds: Vec<u32> = (0..COUNT).collect();
    for chunk in rounds.chunks(25) {
        let puts = chunk.iter().map(|round| {
            let put = PutRequest::builder().set_item(Some(item([
                ("game", s("g")),
                ("round", n(round)),
                ("player", s(if round % 2 == 1 { "anna" } else { "ben" })),
                ("weight", n(COUNT - round)),
            ])));
            WriteRequest::builder().put_request(put.build().unwrap()).build()
        });
        let answer =
            dynamodb.batch_write_item().request_items(&table, puts.collect()).send().await.unwrap();
        assert_eq!(answer.unprocessed_items().map(|left| left.len()), Some(0));
    }
    table
}

#[tokio::test]
async fn a_query_turns_its_pages() {
    let dynamodb = dynamodb();
    let table = rounds(&dynamodb).await;
    let mut pages = dynamodb
        .query()
        .table_name(&table)
        .key_condition_expression("game = :game AND #round BETWEEN :first AND :last")
        .expression_attribute_names("#round", "round")
        .expression_attribute_values(":game", s("g"))
        .expression_attribute_values(":first", n(9))
        .expression_attribute_values(":last", n(40))
        .scan_index_forward(false)
        .into_paginator()
        .page_size(7)
        .send();
    let mut seen = Vec::new();
    let mut page_count = 0;
    while let Some(page) = pages.next().await {
        seen.extend(page.unwrap().items().iter().map(|found| found["round"].clone()));
        page_count += 1;
    }
    assert_eq!(seen, (9..=40).rev().map(n).collect::<Vec<_>>());
    assert_eq!(page_count, 5);
}

#[tokio::test]
async fn an_index_sorts_by_its_own_key() {
    let dynamodb = dynamodb();
    let table = rounds(&dynamodb).await;
    let answer = dynamodb
        .query()
        .table_name(&table)
        .index_name("by-player")
        .key_condition_expression("player = :player AND weight < :weight")
        .filter_expression("NOT #round IN (:left)")
        .expression_attribute_names("#round", "round")
        .expression_attribute_values(":player", s("anna"))
        .expression_attribute_values(":weight", n(10))
        .expression_attribute_values(":left", n(57))
        .send()
        .await
        .unwrap();
    let found: Vec<_> = answer.items().iter().map(|found| found["round"].clone()).collect();
    assert_eq!(found, [59, 55, 53, 51].map(n));
    assert_eq!((answer.count(), answer.scanned_count()), (4, 5));
}

#[tokio::test]
async fn segments_of_a_scan_share_nothing_and_leave_nothing_out() {
    let dynamodb = dynamodb();
    let table = created(&dynamodb, rust_sdk::table(&dynamodb, "scan", &[("pk", Type::N)])).await;
    for number in 0..COUNT {
        dynamodb.put_item().table_name(&table).item("pk", n(number)).send().await.unwrap();
    }
    let mut seen = BTreeSet::new();
    for segment in 0..3 {
        let scan = dynamodb.scan().table_name(&table).segment(segment).total_segments(3);
        let mut items = scan.into_paginator().page_size(5).items().send();
        while let Some(found) = items.next().await {
            let number: u32 = found.unwrap()["pk"].as_n().unwrap().parse().unwrap();
            assert!(seen.insert(number), "{number} came twice");
        }
    }
    assert_eq!(seen, (0..COUNT).collect());
}

#[tokio::test]
async fn a_batch_gets_what_there_is() {
    let dynamodb = dynamodb();
    let table = rounds(&dynamodb).await;
    let keys = [1, 59, 99].map(|round| item([("game", s("g")), ("round", n(round))]));
    let wanted = KeysAndAttributes::builder()
        .set_keys(Some(keys.to_vec()))
        .projection_expression("weight")
        .consistent_read(true)
        .build()
        .unwrap();
    let answer = dynamodb.batch_get_item().request_items(&table, wanted).send().await.unwrap();
    let mut found = answer.responses().unwrap()[&table].clone();
    found.sort_by_key(|each| each["weight"].as_n().unwrap().parse::<u32>().unwrap());
    assert_eq!(found, [item([("weight", n(1))]), item([("weight", n(59))])]);
}
