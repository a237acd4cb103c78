//! The fuzz targets.

use super::expression::{expression, expressions};
use super::request::{request, requests};
use crate::cases;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::json::{Reader, Writer};
use singlet_dynamo::schema::KeyType;
use singlet_dynamo::{Item, Number, Value, key as keys};

/// A parser with the properties it must have for every input.
pub struct Target {
    /// The name, also of the cargo-fuzz program.
    pub name: &'static str,
    /// Panics if a property fails.
    pub run: fn(&[u8]),
    /// Initial inputs, most of them valid.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All fuzz targets.
pub const TARGETS: &[Target] = &[
    Target { name: "json", run: json, seeds: items },
    Target { name: "binary", run: binary, seeds: stored_items },
    Target { name: "expression", run: expression, seeds: expressions },
    Target { name: "key", run: key, seeds: encoded_keys },
    Target { name: "number", run: number, seeds: numbers },
    Target { name: "request", run: request, seeds: requests },
];

/// Parses DynamoDB's JSON. An accepted item survives JSON and the stored form.
pub fn json(input: &[u8]) {
    let skipped = Reader::new(input).and_then(|mut reader| {
        reader.skip()?;
        reader.end()
    });
    let Ok(item) = Item::from_json(input) else {
        return;
    };
    assert!(skipped.is_ok(), "what can be read can be skipped");
    let text = item.to_json();
    assert_eq!(Item::from_json(&text).as_ref(), Ok(&item), "JSON and back");
    let stored = binary::encode(&item);
    let view = ItemRef::new(&stored).expect("what is written can be read");
    assert_eq!(view.to_item(), item, "stored and back");
    assert_eq!(view.size(), item.size(), "one size, however it is counted");
    let mut writer = Writer::new();
    view.write_json(&mut writer);
    assert_eq!(writer.into_bytes(), text, "the same JSON without a tree");
}

/// Decodes the stored form. Every item has exactly one encoding.
pub fn binary(input: &[u8]) {
    let Ok(view) = ItemRef::new(input) else {
        return;
    };
    let item = view.to_item();
    assert_eq!(binary::encode(&item), input, "one item, one encoding");
    assert_eq!(view.len(), item.len());
    for (name, value) in item.iter() {
        let found = view.get(name).expect("every attribute is found by its name");
        assert_eq!(found.to_value(), *value);
    }
    json(&item.to_json());
}

/// Parses numbers, from text and from sortable bytes, and does arithmetic.
pub fn number(input: &[u8]) {
    if let Some((number, rest)) = Number::split_first(input) {
        let own = input.strip_suffix(rest).expect("what follows is the end of the input");
        assert_eq!(number.as_bytes(), own);
        assert_eq!(number.to_string().parse(), Ok(number));
    }
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    // Two numbers to compare and add.
    let (first, second) = text.split_once(' ').unwrap_or((text, text));
    let (Ok(a), Ok(b)) = (first.parse::<Number>(), second.parse::<Number>()) else {
        return;
    };
    for number in [a, b] {
        assert_eq!(number.to_string().parse(), Ok(number), "text and back");
        let mut followed = number.as_bytes().to_vec();
        followed.extend_from_slice(input);
        assert_eq!(Number::split_first(&followed), Some((number, input)), "bytes and back");
    }
    assert_eq!(a.cmp(&b), a.as_bytes().cmp(b.as_bytes()), "bytes sort as numbers do");
    assert_eq!(a.checked_add(b), b.checked_add(a));
    assert_eq!(a.checked_sub(a), Ok(Number::ZERO));
    if let Ok(sum) = a.checked_add(b) {
        assert_eq!(sum.to_string().parse(), Ok(sum), "a sum is a number like any other");
        assert_eq!(sum > a, b > Number::ZERO, "adding more makes more");
    }
}

/// Decodes keys, and encodes the input as text and as bytes.
pub fn key(input: &[u8]) {
    for kind in [KeyType::S, KeyType::N, KeyType::B] {
        if let Some((value, rest)) = keys::split_encoded(kind, input) {
            let own = input.strip_suffix(rest).expect("what follows is the end of the input");
            assert_eq!(encoded(&value), own, "one value, one encoding");
        }
    }
    // Two values to compare.
    let (first, second) = input.split_at(input.len() / 2);
    let [a, b] = [first, second].map(|bytes| Value::B(bytes.to_vec()));
    assert_eq!(first.cmp(second), encoded(&a).cmp(&encoded(&b)), "bytes sort as values do");
    let followed = [encoded(&a), encoded(&b)].concat();
    let (value, rest) = keys::split_encoded(KeyType::B, &followed).expect("a key is read again");
    assert_eq!((value, rest), (a, encoded(&b).as_slice()));
    let mut prefix = Vec::new();
    keys::push_encoded_prefix(first, &mut prefix);
    assert!(encoded(&Value::B(input.to_vec())).starts_with(&prefix), "a prefix stays one");
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    keys::push_encoded(value, &mut out);
    out
}

/// Items as JSON: from the cases, and some that cover all types.
fn items() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = [
        r#"{"PK":{"S":"GAME#ABC123"},"SK":{"S":"PLAYER#\u00e9\ud83d\udc0d"},"round":{"N":"7"}}"#,
        r#"{"b":{"B":"AAEC/w=="},"t":{"BOOL":true},"n":{"NULL":true},"e":{"S":""},"l":{"L":[]}}"#,
        r#"{"m":{"M":{"a":{"L":[{"M":{"b":{"L":[{"N":"-1.5e-100"}]}}},{"S":"x"}]}}}}"#,
        r#"{"ss":{"SS":["b","a"]},"ns":{"NS":["1","2.50","-3e5"]},"bs":{"BS":["AA==","AQ=="]}}"#,
        r#"{"big":{"N":"9.9999999999999999999999999999999999999E+125"},"small":{"N":"1e-130"}}"#,
        "{}",
    ]
    .iter()
    .map(|json| json.as_bytes().to_vec())
    .collect();
    let cases = cases::load().expect("the case files can be read");
    seeds.extend(cases.into_iter().flat_map(|case| case.given).map(String::into_bytes));
    seeds
}

fn stored_items() -> Vec<Vec<u8>> {
    let items = items();
    items.iter().filter_map(|json| Item::from_json(json).ok()).map(|i| binary::encode(&i)).collect()
}

fn encoded_keys() -> Vec<Vec<u8>> {
    let texts = ["", "GAME#ABC123", "a\0b", "\0\0", "\u{ff}", "SITE#1SITE#10"].map(Value::from);
    let numbers = [0, 1, -1, 1_000_000, i64::MIN].map(Value::from);
    let mut seeds: Vec<Vec<u8>> = texts.iter().chain(&numbers).map(encoded).collect();
    seeds.push(b"\0\xff\0\0\0\xff".to_vec());
    seeds
}

fn numbers() -> Vec<Vec<u8>> {
    let texts = [
        "0",
        "-0.0",
        "1",
        "12.50",
        "1e125",
        "9.9999999999999999999999999999999999999E+125",
        "-1E-130",
        "99999999999999999999999999999999999999",
        "0.0000000000000000000000000000000000001",
        "1 2",
        "0.1 -0.1",
        "1e38 1",
        "-9.9e125 9.9e125",
        "100 99.5",
    ];
    let parsed = texts.iter().filter_map(|text| text.parse::<Number>().ok());
    let encoded = parsed.map(|number| number.as_bytes().to_vec());
    texts.iter().map(|text| text.as_bytes().to_vec()).chain(encoded).collect()
}
