//! Types stored with serde.

use super::{read, stored};
use crate::attribute::{Attribute, NotStorable, Serde};
use proptest::prelude::*;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use singlet_dynamo::{Map, Set, Value};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Everything {
    integer: i64,
    unsigned: u64,
    wide: i128,
    small: (i8, u8, i16, u16),
    single: f32,
    double: f64,
    truth: bool,
    letter: char,
    text: String,
    bytes: Blob,
    nothing: (),
    unit: Unit,
    option: Option<Box<Everything>>,
    newtype: Wrapped<Option<u32>>,
    pair: Pair,
    numbers: Vec<Option<i32>>,
    by_number: BTreeMap<u16, bool>,
    by_truth: BTreeMap<bool, Kind>,
    by_kind: BTreeMap<Kind, Vec<u8>>,
    choice: Choice,
    inside: Inside,
    beside: Beside,
    any: Any,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Unit;
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wrapped<T>(T);
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Pair(u8, String);
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    One,
    Two,
}
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
enum Choice {
    Unit,
    Newtype(u64),
    Tuple(u8, String),
    Struct { a: Option<u8>, b: f64 },
}
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "type")]
enum Inside {
    Unit,
    Struct { a: i64 },
}
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "t", content = "c")]
enum Beside {
    Unit,
    Newtype(String),
}
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(untagged)]
enum Any {
    Number(i64),
    Text(String),
    List(Vec<bool>),
}

/// Serde's bytes.
#[derive(Clone, Debug, PartialEq)]
struct Blob(Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Blob;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Reader)
    }
}

/// Recurses without a list or a map in between.
#[derive(Serialize, Deserialize, Debug)]
struct Chain(Option<Box<Chain>>);

/// Nested lists.
#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Nested(Vec<Nested>);

fn nested(levels: usize) -> Nested {
    (1..levels).fold(Nested(vec![]), |inner, _| Nested(vec![inner]))
}

/// Floating-point numbers in DynamoDB's range.
fn doubles() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("in range", |own| {
        *own == 0.0 && own.is_sign_positive() || (1e-120..1e120).contains(&own.abs())
    })
}

fn singles() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("finite", |own| own.is_finite() && *own != 0.0)
}

prop_compose! {
    fn leaves()(
        integer: i64, unsigned: u64,
        wide in -10_i128.pow(37)..10_i128.pow(37),
        small: (i8, u8, i16, u16),
        single in singles(), double in doubles(), other in doubles(),
        letter: char, text: String,
        bytes: Vec<u8>,
    ) -> (i64, u64, i128, (i8, u8, i16, u16), f32, f64, f64, (char, String), Vec<u8>) {
        (integer, unsigned, wide, small, single, double, other, (letter, text), bytes)
    }
}

prop_compose! {
    fn branches()(
        newtype: Option<u32>,
        numbers: Vec<Option<i32>>,
        by_number: BTreeMap<u16, bool>,
        place in 0_usize..4,
        truth: bool,
        small: u8,
        rest in proptest::collection::btree_map("[0-9]{1,3}", any::<u8>(), 0..3),
    ) -> (Option<u32>, Vec<Option<i32>>, BTreeMap<u16, bool>, usize, bool, u8, BTreeMap<String, u8>) {
        (newtype, numbers, by_number, place, truth, small, rest)
    }
}

fn everything() -> impl Strategy<Value = Everything> {
    let one = (leaves(), branches()).prop_map(|(leaf, branch)| {
        let (integer, unsigned, wide, small, single, double, other, (letter, text), bytes) = leaf;
        let (newtype, numbers, by_number, place, truth, few, rest) = branch;
        Everything {
            integer,
            unsigned,
            wide,
            small,
            single,
            double,
            truth,
            letter,
            text: text.clone(),
            bytes: Blob(bytes.clone()),
            nothing: (),
            unit: Unit,
            option: None,
            newtype: Wrapped(newtype),
            pair: Pair(few, text.clone()),
            numbers,
            by_number,
            by_truth: BTreeMap::from([(truth, Kind::Two)]),
            by_kind: BTreeMap::from([(Kind::One, bytes), (Kind::Two, vec![])]),
            choice: match place {
                0 => Choice::Unit,
                1 => Choice::Newtype(unsigned),
                2 => Choice::Tuple(few, text.clone()),
                _ => Choice::Struct { a: truth.then_some(few), b: other },
            },
            inside: if truth { Inside::Unit } else { Inside::Struct { a: integer } },
            beside: if truth { Beside::Newtype(text.clone()) } else { Beside::Unit },
            any: match place {
                0 => Any::Number(integer),
                1 => Any::List(vec![truth]),
                _ => Any::Text(text),
            },
            rest,
        }
    });
    one.prop_recursive(3, 4, 1, |inner| {
        (inner.clone(), inner).prop_map(|(mut outer, inner)| {
            outer.option = Some(Box::new(inner));
            outer
        })
    })
}

/// Stored values of every type.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Value::S),
        Just(Value::from("One")),
        any::<i64>().prop_map(Value::from),
        doubles().prop_map(|own| Value::N(format!("{own:e}").parse().unwrap())),
        any::<Vec<u8>>().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        any::<String>().prop_map(|text| Value::Ss(Set::new(vec![text]).unwrap())),
        any::<i64>().prop_map(|one| Value::Ns(Set::new(vec![one.into()]).unwrap())),
        any::<Vec<u8>>().prop_map(|bytes| Value::Bs(Set::new(vec![bytes]).unwrap())),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let names = prop_oneof![
            Just("type"),
            Just("t"),
            Just("c"),
            Just("Newtype"),
            Just("Tuple"),
            Just("Struct"),
            Just("a"),
            Just("One"),
            Just("7"),
            Just("true"),
            Just(""),
        ];
        let entries = proptest::collection::vec((names, inner.clone()), 0..4);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Value::L),
            entries.prop_map(|entries| {
                let entries = entries.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::M(entries.collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_is_read_back(own in everything()) {
        stored(&Serde(own));
    }

    /// Reading any stored value gives a value or an error, never a panic.
    #[test]
    fn nothing_that_is_stored_stops_the_program(value in values()) {
        let _ = read::<Serde<Everything>>(Some(&value));
        let _ = read::<Serde<Choice>>(Some(&value));
        let _ = read::<Serde<Inside>>(Some(&value));
        let _ = read::<Serde<Beside>>(Some(&value));
        let _ = read::<Serde<Any>>(Some(&value));
        let _ = read::<Serde<Blob>>(Some(&value));
        let _ = read::<Serde<Vec<u8>>>(Some(&value));
        let _ = read::<Serde<(u8, f32)>>(Some(&value));
        let _ = read::<Serde<BTreeMap<Wrapped<u16>, Kind>>>(Some(&value));
        let _ = read::<Serde<Chain>>(Some(&value));
        let _ = read::<Serde<Nested>>(Some(&value));
        let _ = read::<Serde<serde_json::Value>>(Some(&value));
    }

    /// Every JSON value survives a round trip.
    #[test]
    fn what_was_read_as_json_is_stored_again(value in values()) {
        if let Ok(json) = read::<Serde<serde_json::Value>>(Some(&value)) {
            let again = json.to_value().unwrap();
            prop_assert_eq!(read::<Serde<serde_json::Value>>(again.as_ref()).unwrap(), json);
        }
    }
}

/// The representation is the same as serde_dynamo's.
#[test]
fn what_types_are_stored_as() {
    fn check(own: impl Serialize, expected: Value) {
        assert_eq!(crate::attribute::serde_value(&own), Ok(Some(expected)));
    }
    let map = |name: &str, value: Value| Value::M(Map::from([(name, value)]));
    let list = |values: &[i64]| Value::L(values.iter().copied().map(Value::from).collect());
    check(1_u8, Value::from(1));
    check(u64::MAX, Value::N(u64::MAX.to_string().parse().unwrap()));
    check(1.5_f32, Value::N("1.5".parse().unwrap()));
    check('x', Value::from("x"));
    check(Blob(vec![1]), Value::B(vec![1]));
    check(vec![1_u8], list(&[1]));
    check((), Value::Null);
    check(Unit, Value::Null);
    check(None::<u8>, Value::Null);
    check(Some(1), Value::from(1));
    check(Wrapped("a"), Value::from("a"));
    check((1, 2), list(&[1, 2]));
    check(Kind::One, Value::from("One"));
    check(Choice::Newtype(1), map("Newtype", Value::from(1)));
    let tuple = Value::L(vec![Value::from(1), Value::from("a")]);
    check(Choice::Tuple(1, "a".into()), map("Tuple", tuple));
    let members = Map::from([("a", Value::Null), ("b", Value::from(2))]);
    check(Choice::Struct { a: None, b: 2.0 }, map("Struct", Value::M(members)));
    check(BTreeMap::from([(7, true)]), map("7", Value::from(true)));
}

#[test]
fn what_cannot_be_stored_says_why() {
    fn told(own: impl Serialize) -> String {
        crate::attribute::serde_value(&own).unwrap_err().to_string()
    }
    assert!(told(f64::NAN).starts_with("NaN is not a number that DynamoDB has: "));
    assert!(told(f64::MAX).contains("Number overflow"));
    assert!(told(u128::MAX).contains("more than 38 significant digits"));
    let keys = "the keys of a map are text, whole numbers, truth values or unit variants";
    assert_eq!(told(BTreeMap::from([((1, 2), 3)])), keys);
    assert_eq!(told(BTreeMap::from([(Some(1), 3)])), keys);
}

#[test]
fn what_is_nested_too_deep_is_refused() {
    let deep = "lists and maps are nested deeper than an attribute can be, which is 32 levels";
    assert_eq!(stored(&Serde(nested(31))).unwrap().levels(), 31);
    assert_eq!(Serde(nested(32)).to_value(), Err(NotStorable::new(deep)));
    assert_eq!(Serde(nested(5_000)).to_value(), Err(NotStorable::new(deep)));
    let chain = (0..5_000).fold(Chain(None), |inner, _| Chain(Some(Box::new(inner))));
    assert_eq!(Serde(chain).to_value(), Err(NotStorable::new(deep)));
    // Reading a present value would recurse without end.
    let fault = read::<Serde<Chain>>(Some(&Value::from(1))).unwrap_err();
    assert!(fault.to_string().contains("without end"), "{fault}");
}

#[test]
fn what_does_not_fit_says_where() {
    let told = |value: &Value| {
        let fault = read::<Serde<BTreeMap<String, Vec<Choice>>>>(Some(value)).unwrap_err();
        format!("{}: {fault}", fault.path())
    };
    let of =
        |value: Value| Value::M(Map::from([("a", Value::L(vec![Value::from("Unit"), value]))]));
    let choice = |name: &str, value: Value| of(Value::M(Map::from([(name, value)])));
    assert_eq!(told(&Value::from(1)), ": expected a map, found integer `1`");
    assert_eq!(
        told(&of(Value::from("x"))),
        ".a[1]: expected one of `Unit`, `Newtype`, `Tuple`, `Struct`, found `x`"
    );
    assert_eq!(
        told(&choice("Newtype", Value::from("x"))),
        ".a[1].Newtype: expected u64, found string \"x\""
    );
    assert_eq!(
        told(&choice("Struct", Value::M(Map::new()))),
        ".a[1].Struct.b: expected a value, found nothing"
    );
    let long = Value::L(vec![Value::from(1), Value::from("a"), Value::Null]);
    assert_eq!(told(&choice("Tuple", long)), ".a[1].Tuple: expected 2 elements, found 3 elements");
    let fault = read::<Serde<u8>>(None).unwrap_err();
    assert_eq!(fault.to_string(), "expected a value, found nothing");
    assert_eq!(read::<Serde<Option<u8>>>(None), Ok(Serde(None)));
}

/// Regression: the type was declared as a map, so `singlet check` refused valid designs, and a
/// variant that wraps it was assumed to have room for a tag.
#[test]
fn what_serde_writes_can_be_of_any_type() {
    use crate::design::AttributeType;
    assert_eq!(<Serde<std::net::IpAddr> as Attribute>::KIND, AttributeType::Any);
    assert_eq!(<Value as Attribute>::KIND, AttributeType::Any);
    assert_eq!(<Serde<u8> as Attribute>::TYPE, None);
    let set = std::collections::BTreeSet::from([Serde(1_u8), Serde(2)]);
    assert_eq!(set.to_value().unwrap(), Some(Value::L(vec![1.into(), 2.into()])));
    assert_eq!(serde_json::to_string(&AttributeType::Any).unwrap(), r#""any""#);
}
