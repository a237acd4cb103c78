//! Items of every type, written, read, changed and deleted.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{B, Bool, Bs, L, M, Ns, Null, Ss};
use aws_sdk_dynamodb::types::{ReturnConsumedCapacity, ReturnValue, ScalarAttributeType as Type};
use rust_sdk::{Item, created, dynamodb, item, n, s, table};

fn everything() -> Item {
    item([
        ("pk", B(Blob::new([0, 255, 7]))),
        ("sk", n("-12.5")),
        ("text", s("ünïcödé 🎲 \u{0}")),
        ("empty", s("")),
        ("exact", n("3.1415926535897932384626433832795028842")),
        ("yes", Bool(true)),
        ("nothing", Null(true)),
        ("texts", Ss(vec!["a".to_owned(), "b".to_owned()])),
        ("numbers", Ns(vec!["1".to_owned(), "2.5".to_owned()])),
        ("binaries", Bs(vec![Blob::new([1]), Blob::new([2, 3])])),
        ("list", L(vec![s("x"), L(vec![M(item([("deep", n(1))]))])])),
        ("map", M(item([("a", M(Item::new())), ("b", L(vec![]))]))),
    ])
}

#[tokio::test]
async fn every_type_comes_back_as_it_went() {
    let dynamodb = dynamodb();
    let request = table(&dynamodb, "types", &[("pk", Type::B), ("sk", Type::N)]);
    let table = created(&dynamodb, request).await;
    let whole = everything();
    dynamodb.put_item().table_name(&table).set_item(Some(whole.clone())).send().await.unwrap();

    let get = || dynamodb.get_item().table_name(&table).key("pk", whole["pk"].clone());
    let found = get()
        .key("sk", whole["sk"].clone())
        .consistent_read(true)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    assert_eq!(found.item(), Some(&whole));
    assert_eq!(found.consumed_capacity().and_then(|used| used.capacity_units()), Some(1.0));
    let missing = get().key("sk", n(0)).send().await.unwrap();
    assert_eq!(missing.item(), None);
}

#[tokio::test]
async fn an_update_returns_what_it_is_asked_for() {
    let dynamodb = dynamodb();
    let request = table(&dynamodb, "updates", &[("pk", Type::S)]);
    let table = created(&dynamodb, request).await;
    let update = |returned: ReturnValue| {
        dynamodb
            .update_item()
            .table_name(&table)
            .key("pk", s("a"))
            .update_expression("SET #c = if_not_exists(#c, :zero) + :one ADD tags :tag")
            .expression_attribute_names("#c", "count")
            .expression_attribute_values(":zero", n(0))
            .expression_attribute_values(":one", n(1))
            .expression_attribute_values(":tag", Ss(vec!["new".to_owned()]))
            .return_values(returned)
            .send()
    };
    let tags = || Ss(vec!["new".to_owned()]);
    let first = update(ReturnValue::AllNew).await.unwrap();
    assert_eq!(first.attributes, Some(item([("pk", s("a")), ("count", n(1)), ("tags", tags())])));
    let second = update(ReturnValue::UpdatedNew).await.unwrap();
    assert_eq!(second.attributes, Some(item([("count", n(2)), ("tags", tags())])));
    let third = update(ReturnValue::UpdatedOld).await.unwrap();
    assert_eq!(third.attributes, Some(item([("count", n(2)), ("tags", tags())])));

    let delete = || {
        dynamodb
            .delete_item()
            .table_name(&table)
            .key("pk", s("a"))
            .return_values(ReturnValue::AllOld)
            .send()
    };
    let deleted = delete().await.unwrap();
    assert_eq!(deleted.attributes.map(|old| old["count"].clone()), Some(n(3)));
    assert_eq!(delete().await.unwrap().attributes, None);
}
