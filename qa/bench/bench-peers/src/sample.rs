//! The items that all contenders hold.

use singlet_dynamo::{Item, Set, Value};

/// The one table.
pub(crate) const TABLE: &str = "players";
/// How large an item is, as DynamoDB counts.
pub(crate) const ITEM_BYTES: usize = 400;
/// How many items a partition has, which is what a Query reads.
pub(crate) const PARTITION_ITEMS: u64 = 10;

/// The value of the partition key that an item has.
pub(crate) fn partition(number: u64) -> Value {
    Value::from(format!("GAME#{:010}", number / PARTITION_ITEMS))
}

/// The key of an item.
pub(crate) fn key(number: u64) -> Item {
    let sort = format!("PLAYER#{:04}", number % PARTITION_ITEMS);
    Item::from([("PK", partition(number)), ("SK", Value::from(sort))])
}

/// An item of ten attributes. The version makes it another one under the same key: putting what
/// is there already would be no work for some.
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
