//! The items of all contenders.

use singlet_dynamo::{Item, Set, Value};

pub(crate) const TABLE: &str = "players";
/// The item size by DynamoDB's rules.
pub(crate) const ITEM_BYTES: usize = 400;
/// Items per partition, all of which a Query reads.
pub(crate) const PARTITION_ITEMS: u64 = 10;

/// An item's partition key.
pub(crate) fn partition(number: u64) -> Value {
    Value::from(format!("GAME#{:010}", number / PARTITION_ITEMS))
}

pub(crate) fn key(number: u64) -> Item {
    let sort = format!("PLAYER#{:04}", number % PARTITION_ITEMS);
    Item::from([("PK", partition(number)), ("SK", Value::from(sort))])
}

/// An item of ten attributes. The version makes it differ, because some contenders skip a put that
/// changes nothing.
pub(crate) fn item(number: u64, version: u32) -> Item {
    let mut item = key(number);
    let badges = Set::new(vec!["comeback".to_owned(), "first-win".to_owned()]).expect("a set");
    for (name, value) in [
        ("type", Value::from("Player")),
        ("name", Value::from("Zoë")),
        ("joined", Value::from(true)),
        ("n", Value::from(i64::from(version))),
        ("expires", Value::from(1_798_761_600)),
        ("since", Value::from("2026-03-14T09:26:53.589Z")),
        ("badges", Value::Ss(badges)),
        ("note", Value::from("")),
    ] {
        item.insert(name, value);
    }
    let text = "The quick brown fox jumps over the lazy dog. ".chars().cycle();
    let missing = ITEM_BYTES.checked_sub(item.size()).expect("the sample is smaller than that");
    item.insert("note", Value::from(text.take(missing).collect::<String>()));
    item
}
