//! Values, numbers and items for property tests.
//!
//! Values are small and close together: near collisions find more bugs.

pub mod expression;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use singlet_dynamo::{Item, Map, Number, Set, Value};

/// Attribute names: few, so that they collide, and one that needs escaping.
pub fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-e]",
        1 => Just("name".to_owned()),
        1 => Just("a.b".to_owned()),
        1 => "\\PC{1,6}",
    ]
}

/// Strings: mostly short, with common prefixes, NULs and characters beyond ASCII.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]{0,3}", "[a\u{0}\u{1}\u{ff}é😀\"\\\\\n]{0,4}", "\\PC{0,12}"]
}

/// Byte strings with many `0x00` and `0xff`.
pub fn blob() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(0_u8), Just(1), Just(0xff), any::<u8>()], 0..5)
}

/// Numbers within the limits as text, in every notation.
pub fn number_text() -> impl Strategy<Value = String> {
    let small = (-200_i64..200).prop_map(|n| n.to_string());
    let fraction = (-2000_i64..2000, 0..4_u32).prop_map(|(n, e)| format!("{n}e-{e}"));
    let any_digits =
        ("-?[0-9]{1,30}(\\.[0-9]{1,8})?", -80..80_i32).prop_map(|(d, e)| format!("{d}E{e}"));
    let extreme = ("-?[1-9]\\.[0-9]{0,37}", prop_oneof![Just(-130), Just(125), -130..125_i32])
        .prop_map(|(d, e)| format!("{d}e{e}"));
    prop_oneof![small, fraction, any_digits, extreme]
}

/// Numbers.
pub fn number() -> impl Strategy<Value = Number> {
    number_text().prop_map(|text| text.parse().expect("the text is within the limits"))
}

/// Values of types that a key can have.
pub fn key_value() -> impl Strategy<Value = Value> {
    prop_oneof![text().prop_map(Value::S), number().prop_map(Value::N), blob().prop_map(Value::B)]
}

/// Values of all ten types, with some nesting.
pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => key_value(),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
        1 => btree_set(text(), 1..4).prop_map(|s| Value::Ss(set(s))),
        1 => btree_set(number(), 1..4).prop_map(|s| Value::Ns(set(s))),
        1 => btree_set(blob(), 1..4).prop_map(|s| Value::Bs(set(s))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![vec(inner.clone(), 0..4).prop_map(Value::L), map_of(inner).prop_map(Value::M)]
    })
}

/// Items.
pub fn item() -> impl Strategy<Value = Item> {
    map_of(value())
}

fn map_of(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map> {
    btree_map(name(), value, 0..5).prop_map(|entries| entries.into_iter().collect())
}

fn set<T: Ord>(elements: std::collections::BTreeSet<T>) -> Set<T> {
    Set::new(elements.into_iter().collect()).expect("distinct, and at least one")
}
