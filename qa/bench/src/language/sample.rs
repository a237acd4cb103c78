//! Sample items of given sizes, by DynamoDB's size rules.

use singlet_dynamo::{Item, Set, Value};

/// A player of 400 bytes: strings, numbers, a flag, a small map, a small set.
pub(super) fn small() -> Item {
    let mut item = Item::from([
        ("PK", Value::from("GAME#K7Q2MX")),
        ("SK", Value::from("PLAYER#0190c5b2-7d3e-7cc1-9f52-3b6d0c1e8a77")),
        ("type", Value::from("Player")),
        ("GSI1PK", Value::from("PLAYER#0190c5b2-7d3e-7cc1-9f52-3b6d0c1e8a77")),
        ("GSI1SK", Value::from("2026-03-14T09:26:53.589Z")),
        ("name", Value::from("Zoë")),
        ("joined", Value::from(true)),
        ("position", Value::from(42)),
        ("TTL", Value::from(1_798_761_600)),
        (
            "settings",
            Value::M(Item::from([
                ("colour", Value::from("#1f77b4")),
                ("sound", Value::from(false)),
                ("volume", Value::N("0.75".parse().expect("a number"))),
            ])),
        ),
        (
            "badges",
            Value::Ss(
                Set::new(vec!["first-win".to_owned(), "comeback".to_owned()]).expect("a set"),
            ),
        ),
    ]);
    pad(&mut item, 400);
    item
}

/// An order of 100 KB with hundreds of lines and a picture.
pub(super) fn large() -> Item {
    let lines = (0..600)
        .map(|line| {
            Value::M(Item::from([
                ("sku", Value::from(format!("SKU-{line:06}"))),
                ("title", Value::from(format!("Part {line} of a thing, \"as seen\" by \u{e9}ve"))),
                ("quantity", Value::from(1 + line % 7)),
                ("price", Value::N(format!("{line}.95").parse().expect("a number"))),
                ("tags", Value::L(vec![Value::from("new"), Value::Null, Value::from(true)])),
            ]))
        })
        .collect();
    let picture = (0..20_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut item = Item::from([
        ("PK", Value::from("CUSTOMER#0190c5b2-7d3e-7cc1-9f52-3b6d0c1e8a77")),
        ("SK", Value::from("ORDER#2026-03-14T09:26:53.589Z")),
        ("lines", Value::L(lines)),
        ("picture", Value::B(picture)),
    ]);
    pad(&mut item, 100 * 1024);
    item
}

/// Pads an item to a size with a string attribute.
fn pad(item: &mut Item, size: usize) {
    item.insert("note", Value::from(""));
    let text = "The quick brown fox jumps over the lazy dog. ".chars().cycle();
    let missing = size.checked_sub(item.size()).expect("the sample is smaller than its size");
    item.insert("note", Value::from(text.take(missing).collect::<String>()));
    assert_eq!(item.size(), size, "the padding is counted byte by byte");
}
