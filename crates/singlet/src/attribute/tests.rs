//! Stored values read back unchanged, and text in keys sorts as the values do.

mod derived;
#[cfg(all(
    feature = "bytes",
    feature = "chrono",
    feature = "jiff",
    feature = "rust_decimal",
    feature = "time",
    feature = "uuid"
))]
mod library;
mod serde;

use super::{Attribute, MapKey, Mismatch, NotStorable};
use crate::key::{KeyPart, Shape};
use crate::shape::template::push_part;
use crate::{Date, Timestamp};
use proptest::prelude::*;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

/// Reads a value as if it were stored.
fn read<T: Attribute>(value: Option<&Value>) -> Result<T, Mismatch> {
    let item: Map = value.map(|value| ("own".to_owned(), value.clone())).into_iter().collect();
    let bytes = binary::encode(&item);
    T::from_value(ItemRef::trusted(&bytes).get("own"))
}

/// The stored form of a value, after checking that it reads back the same.
#[track_caller]
fn stored<T: Attribute + PartialEq + Debug>(own: &T) -> Option<Value> {
    let value = own.to_value().unwrap();
    assert_eq!(&read::<T>(value.as_ref()).unwrap(), own, "stored as {value:?}");
    value
}

/// The text of a value in a key, after checking that it reads back the same.
#[track_caller]
fn in_key<T: KeyPart + PartialEq + Debug>(own: &T) -> String {
    let Shape::Text(form) = T::SHAPE else { panic!("not text in a key") };
    let mut text = String::new();
    push_part("own", form, own.to_value().unwrap().as_ref(), &mut text).unwrap();
    assert_eq!(&read::<T>(Some(&Value::from(text.as_str()))).unwrap(), own);
    text
}

/// Checks that the texts of two values sort as the values do, and have one width.
#[track_caller]
fn check_order<T: KeyPart + Ord + Debug>(one: &T, other: &T) {
    let (text, other_text) = (in_key(one), in_key(other));
    assert_eq!(text.cmp(&other_text), one.cmp(other), "{text} {other_text}");
    assert_eq!(text.len(), other_text.len());
}

/// The name of a map key, after checking that it reads back the same.
#[track_caller]
fn name<K: MapKey + PartialEq + Debug>(key: &K) -> String {
    let name = key.to_name().into_owned();
    assert_eq!(&K::from_name(&name).unwrap(), key);
    name
}

fn moments() -> impl Strategy<Value = Timestamp> {
    (Timestamp::MIN.as_millis()..=Timestamp::MAX.as_millis()).prop_map(Timestamp::from_millis)
}

#[test]
fn bytes_in_a_vec_are_binary() {
    assert_eq!(stored(&vec![1_u8, 255]), Some(Value::B(vec![1, 255])));
    assert_eq!(stored(&Vec::<u8>::new()), Some(Value::B(vec![])));
    assert_eq!(stored(&Some(vec![7_u8])), Some(Value::B(vec![7])));
    assert_eq!(stored(&vec![vec![7_u8]]), Some(Value::L(vec![Value::B(vec![7])])));
    assert_eq!(<Vec<u8> as Attribute>::TYPE, Some(singlet_dynamo::Type::B));
    let set = BTreeSet::from([vec![1_u8], vec![2]]);
    assert!(matches!(stored(&set), Some(Value::Bs(_))));
    // Vectors of other numbers are lists.
    assert_eq!(stored(&vec![1_u16]), Some(Value::L(vec![Value::from(1)])));
    assert_eq!(stored(&vec![Some(1_u8)]), Some(Value::L(vec![Value::from(1)])));
    // Bytes stored as a list of numbers can be read, also from a payload.
    let list = Value::L(vec![Value::from(1), Value::from(255)]);
    assert_eq!(read::<Vec<u8>>(Some(&list)), Ok(vec![1, 255]));
    assert_eq!(read::<Vec<u8>>(Some(&Value::from("Af8="))), Ok(vec![1, 255]));
    let fault = read::<Vec<u8>>(Some(&Value::L(vec![Value::from(256)]))).unwrap_err();
    assert_eq!(fault.to_string(), "expected a number that fits u8, found 256");
}

#[test]
fn maps_have_typed_keys() {
    let map = BTreeMap::from([(10_u32, true), (9, false)]);
    let expected = Map::from([("10", Value::from(true)), ("9", Value::from(false))]);
    assert_eq!(stored(&map), Some(Value::M(expected.clone())));
    let map: HashMap<u32, bool> = map.into_iter().collect();
    assert_eq!(stored(&map), Some(Value::M(expected)));

    let refused = |map: Map| read::<BTreeMap<u32, bool>>(Some(&Value::M(map))).unwrap_err();
    let fault = refused(Map::from([("x", Value::from(true))]));
    assert_eq!(fault.to_string(), "expected a number that fits u32, found the key `x`");
    // One of the entries would be lost.
    let fault = refused(Map::from([("07", Value::from(true)), ("7", Value::from(true))]));
    assert_eq!(fault.to_string(), "expected keys that differ, found the key `7` again");
    let fault = refused(Map::from([("7", Value::from(3))]));
    assert_eq!((fault.path(), fault.to_string().as_str()), (".7", "expected BOOL, found N"));
}

/// Regression: entries with the value `None` were left out, and their keys lost.
#[test]
fn entries_without_a_value_keep_their_keys() {
    let scores = BTreeMap::from([("ada".to_owned(), None), ("bob".to_owned(), Some(1_u32))]);
    let expected = Map::from([("ada", Value::Null), ("bob", Value::from(1))]);
    assert_eq!(stored(&scores), Some(Value::M(expected.clone())));
    let scores: HashMap<String, Option<u32>> = scores.into_iter().collect();
    assert_eq!(stored(&scores), Some(Value::M(expected)));
    let roles = BTreeMap::from([(7_u32, BTreeSet::<String>::new())]);
    assert_eq!(stored(&roles), Some(Value::M(Map::from([("7", Value::Null)]))));
}

#[test]
fn what_is_not_finite_is_refused() {
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(float.to_value(), Err(NotStorable::new("a number must be finite")));
    }
}

proptest! {
    #[test]
    fn integers_are_read_back(own: i64, large: u64, wide in 0_u128..10_u128.pow(38)) {
        stored(&own);
        stored(&large);
        stored(&wide);
        prop_assert_eq!(name(&own), own.to_string());
        name(&wide);
    }

    #[test]
    fn texts_and_bytes_are_read_back(text: String, bytes: Vec<u8>, truth: bool, letter: char) {
        stored(&text);
        stored(&bytes);
        stored(&truth);
        name(&text);
        name(&truth);
        name(&letter);
        stored(&BTreeMap::from([(text.clone(), bytes.clone())]));
        stored(&HashMap::from([(text, bytes)]));
    }

    #[test]
    fn moments_sort_as_their_text(one in moments(), other in moments()) {
        check_order(&one, &other);
        check_order(&Date::of(one), &Date::of(other));
        name(&one);
        name(&Date::of(one));
    }
}
