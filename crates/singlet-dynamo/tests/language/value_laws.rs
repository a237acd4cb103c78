//! Values survive every encoding, and keys sort as the values do.

use proptest::prelude::*;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::json::Writer;
use singlet_dynamo::schema::KeyType;
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Map, Value, base64, key};
use singlet_testing::strategy::{item, key_value, value};
use std::cmp::Ordering;

/// The order in the developer guide: strings by UTF-8 bytes, numbers by value, binaries by unsigned
/// bytes. A key never mixes types.
fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::S(a), Value::S(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::N(a), Value::N(b)) => Some(a.cmp(b)),
        (Value::B(a), Value::B(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    key::push_encoded(value, &mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn json_comes_back(item in item()) {
        prop_assert_eq!(Map::from_json(&item.to_json()).unwrap(), item);
    }

    #[test]
    fn stored_bytes_come_back_and_write_the_same_json(item in item()) {
        let bytes = binary::encode(&item);
        let view = ItemRef::new(&bytes).unwrap();
        prop_assert_eq!(view.to_item(), item.clone());
        prop_assert_eq!(view.size(), item.size());
        let mut writer = Writer::new();
        view.write_json(&mut writer);
        prop_assert_eq!(writer.into_bytes(), item.to_json());
        for (name, value) in item.iter() {
            prop_assert!(view.get(name).is_some_and(|found| found == *value));
        }
    }

    #[test]
    fn attributes_are_copied_without_decoding(item in item()) {
        let mut kept = item.clone();
        kept.retain(|name, _| name < "c");
        let some = StoredItem::from(&item).only(|name| name < "c");
        prop_assert_eq!(some.as_item().as_bytes(), binary::encode(&kept));
    }

    #[test]
    fn equal_values_are_equal_bytes(a in value(), b in value()) {
        let stored = |value: &Value| binary::encode(&Map::from([("v", value.clone())]));
        prop_assert_eq!(a == b, stored(&a) == stored(&b));
        let bytes = stored(&a);
        prop_assert_eq!(ItemRef::trusted(&bytes).get("v").unwrap() == b, a == b);
    }

    #[test]
    fn damaged_bytes_are_rejected_or_are_another_item(item in item(), place in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut bytes = binary::encode(&item);
        let place = place.index(bytes.len());
        bytes[place] = to;
        let _ = ItemRef::trusted(&bytes).to_item();
        if let Ok(view) = ItemRef::new(&bytes) {
            prop_assert_eq!(binary::encode(&view.to_item()), bytes);
        }
    }

    #[test]
    fn keys_sort_as_their_values(a in key_value(), b in key_value(), tail in any::<[u8; 3]>()) {
        if let Some(expected) = order(&a, &b) {
            prop_assert_eq!(encoded(&a).cmp(&encoded(&b)), expected);
            if expected.is_ne() {
                let longer = [encoded(&a).as_slice(), &tail].concat();
                prop_assert_eq!(longer.cmp(&encoded(&b)), expected);
            }
        }
    }

    #[test]
    fn keys_come_back(value in key_value(), rest in any::<[u8; 3]>()) {
        let kind = KeyType::from_name(value.kind().as_str()).unwrap();
        let bytes = [encoded(&value).as_slice(), &rest].concat();
        prop_assert_eq!(key::encoded_len(kind, &bytes), Some(bytes.len() - rest.len()));
        prop_assert_eq!(key::split_encoded(kind, &bytes), Some((value, rest.as_slice())));
    }

    #[test]
    fn encoded_prefixes_cover_all_values_with_the_prefix(a in "[a\u{0}\u{ff}b]{0,4}", b in "[a\u{0}\u{ff}b]{0,4}") {
        let mut prefix = Vec::new();
        key::push_encoded_prefix(a.as_bytes(), &mut prefix);
        prop_assert_eq!(encoded(&Value::from(b.as_str())).starts_with(&prefix), b.starts_with(&a));
    }

    #[test]
    fn base64_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        prop_assert_eq!(base64::decode(&base64::encode(&bytes)), Ok(bytes));
    }

    #[test]
    fn only_canonical_base64_is_accepted(text in "[A-D+/=é]{0,9}") {
        if let Ok(bytes) = base64::decode(&text) {
            prop_assert_eq!(base64::encode(&bytes), text);
        }
    }
}
