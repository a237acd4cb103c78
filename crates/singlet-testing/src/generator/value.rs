//! Attribute values as JSON: mostly valid, from small domains so that requests collide, including
//! edge cases of each type.

use super::design::{Attribute, EXPIRY};
use super::{Generator, Profile, START_SECOND};
use serde_json::{Value, json};
use singlet_dynamo::Number;

/// The ten types.
pub(super) const KINDS: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"];

const TEXTS: &[&str] =
    &["a", "b", "ab", "abc", "B", "", "é", "\u{1F600}", "a\u{0}b", "\u{FFFF}", "10", "2", " "];
const KEY_TEXTS: &[&str] = &["a", "b", "ab", "abc", "B", "é", "\u{1F600}", "\u{FFFF}", "10", "2"];
const BYTES: &[&str] = &["AA==", "AAE=", "/w==", "YWI=", "YQ==", "", "AAAA"];
const KEY_BYTES: &[&str] = &["AA==", "AAE=", "/w==", "YWI=", "YQ==", "gA=="];
const NUMBERS: &[&str] = &[
    "0", "1", "2", "3", "-1", "10", "1.0", "0.5", "-0.5", "1e2", "100", "0.1", "0.2", "7", "12.50",
];
/// Unusual notations, and numbers at the limits.
const EDGE_NUMBERS: &[&str] = &[
    "-0",
    "0.0",
    "0e10",
    "007",
    "+5",
    "5.",
    ".5",
    "1E+5",
    "1e-5",
    "-1E-130",
    "1E-130",
    "1e125",
    "9.9999999999999999999999999999999999999E+125",
    "-9.9999999999999999999999999999999999999E+125",
    "99999999999999999999999999999999999999",
    "12345678901234567890123456789012345678",
    "0.00000000000000000000000000000000000001",
    "1234567890.1234567890123456789012345678",
    "100000000000000000000000000000000000000000",
    "0.1e-10",
    "123e-2",
    "1.10",
    "1e20",
    "1e21",
    "123456789012345678901",
    "0.000001",
    "0.0000001",
];
const WRONG_NUMBERS: &[&str] = &[
    "",
    " 1",
    "1 ",
    "a",
    "1a",
    "--1",
    "1e",
    "e5",
    ".",
    "1.2.3",
    "0x10",
    "NaN",
    "Infinity",
    "1_000",
    "1,5",
    "1e126",
    "-1e126",
    "1e-131",
    "-1e-131",
    "1e1000",
    "1e-1000",
    "1e99999999999",
    "123456789012345678901234567890123456789",
    "0.123456789012345678901234567890123456789",
    "1.00000000000000000000000000000000000001e-130",
    "9.9999999999999999999999999999999999999E+126",
    "\u{0661}",
];

impl Generator {
    /// A value of any type.
    pub(super) fn value(&mut self) -> Value {
        let kind = self.pick(&KINDS);
        self.value_of(kind)
    }

    /// A value of this type, or of any for `*`. Sometimes invalid.
    pub(super) fn value_of(&mut self, kind: &str) -> Value {
        self.nested(kind, 2)
    }

    fn nested(&mut self, kind: &str, levels: usize) -> Value {
        if self.errs(4) {
            return self.wrong_value();
        }
        match kind {
            "S" => json!({"S": self.text()}),
            "N" => json!({"N": self.number()}),
            "B" => json!({"B": self.pick(BYTES)}),
            "BOOL" => json!({"BOOL": self.random.percent(50)}),
            "NULL" => json!({"NULL": true}),
            "SS" => json!({"SS": self.distinct(TEXTS)}),
            "NS" => json!({"NS": self.distinct(&["0", "1", "2.0", "-1", "10", "1e2", "0.5"])}),
            "BS" => json!({"BS": self.distinct(BYTES)}),
            "L" => {
                let len = self.random.below(4);
                let elements: Vec<Value> = (0..len).map(|_| self.child(levels)).collect();
                json!({"L": elements})
            }
            "M" => {
                let mut members = serde_json::Map::new();
                for name in ["x", "y", "l", "m"] {
                    if self.random.percent(50) {
                        let member = match name {
                            "y" => self.nested("N", levels),
                            "l" if levels > 0 => self.nested("L", levels - 1),
                            "m" if levels > 0 => self.nested("M", levels - 1),
                            _ => self.child(levels),
                        };
                        members.insert(name.to_owned(), member);
                    }
                }
                json!({"M": members})
            }
            _ => self.child(levels),
        }
    }

    fn child(&mut self, levels: usize) -> Value {
        let scalars = ["S", "N", "N", "B", "BOOL", "NULL"];
        let kind = if levels == 0 { self.pick(&scalars) } else { self.pick(&KINDS) };
        self.nested(kind, levels.saturating_sub(1))
    }

    fn text(&mut self) -> String {
        match self.random.below(60) {
            0 if self.profile == Profile::Large => self.long_text(),
            0 => "x".repeat(self.pick(&[1000, 1023, 1024, 1025, 4095, 5000])),
            _ => self.pick(TEXTS).to_owned(),
        }
    }

    /// A string so long that a few fill a page.
    pub(super) fn long_text(&mut self) -> String {
        "y".repeat(100_000 + self.random.below(305_000))
    }

    fn number(&mut self) -> &'static str {
        if self.errs(3) {
            return self.pick(WRONG_NUMBERS);
        }
        if self.random.percent(15) { self.pick(EDGE_NUMBERS) } else { self.pick(NUMBERS) }
    }

    /// One to three of these, distinct unless by mistake.
    fn distinct(&mut self, from: &[&'static str]) -> Vec<&'static str> {
        let start = self.random.below(from.len());
        let count = 1 + self.random.below(3);
        let mut chosen: Vec<&str> = from.iter().cycle().skip(start).take(count).copied().collect();
        if self.errs(5) {
            chosen.push(chosen[0]);
        }
        if self.errs(5) {
            chosen.clear();
        }
        chosen
    }

    /// The value of an index key attribute.
    pub(super) fn index_key_value(&mut self, attribute: &Attribute) -> Value {
        match attribute.name {
            EXPIRY => self.expiry(),
            _ => self.key_value(attribute.kind),
        }
    }

    /// An expiry time, mostly within the sequence.
    pub(super) fn expiry(&mut self) -> Value {
        let soon = self.random.below(7200) as i64;
        match self.random.below(20) {
            0 => json!({"N": soon.to_string()}),
            1 => json!({"N": "-1"}),
            2 if self.errs(50) => json!({"S": "never"}),
            3 => json!({"N": format!("{}.5", START_SECOND + soon)}),
            _ => json!({"N": (START_SECOND + soon).to_string()}),
        }
    }

    /// A key value. Engine requests favour the first ones, so that they collide even in short
    /// sequences.
    fn pick_key(&mut self, from: &[&'static str]) -> &'static str {
        match self.asks_endpoints() || self.random.percent(30) {
            true => self.pick(from),
            false => self.pick(&from[..3]),
        }
    }

    /// A valid key value of this type, unless by mistake.
    pub(super) fn key_value(&mut self, kind: &str) -> Value {
        if self.errs(8) {
            return match self.random.below(6) {
                0 => json!({kind: ""}),
                1 => self.value(),
                2 if kind == "B" => json!({"B": "YWFh".repeat(self.pick(&[342, 683]))}),
                2 if kind == "S" => json!({"S": "k".repeat(self.pick(&[1025, 2049]))}),
                3 => json!({"NULL": true}),
                4 => json!({"N": self.pick(WRONG_NUMBERS)}),
                _ => self.wrong_value(),
            };
        }
        match kind {
            "N" if self.random.percent(10) => json!({"N": self.pick(EDGE_NUMBERS)}),
            "N" => json!({"N": self.pick_key(NUMBERS)}),
            "B" => json!({"B": self.pick_key(KEY_BYTES)}),
            _ if self.random.below(200) == 0 => {
                json!({"S": "k".repeat(self.pick(&[1023, 1024]))})
            }
            _ => json!({"S": self.pick_key(KEY_TEXTS)}),
        }
    }

    /// Two key values of this type in ascending order, unless by mistake.
    pub(super) fn bounds(&mut self, kind: &str) -> (Value, Value) {
        let (one, other) = (self.key_value(kind), self.key_value(kind));
        let in_order = ascend(&one[kind], &other[kind]);
        if in_order != self.errs(10) { (one, other) } else { (other, one) }
    }

    /// An invalid value.
    pub(super) fn wrong_value(&mut self) -> Value {
        let wrong = [
            json!({}),
            json!({"S": "a", "N": "1"}),
            json!({"X": "a"}),
            json!({"s": "a"}),
            json!({"S": 1}),
            json!({"S": null}),
            json!({"S": ["a"]}),
            json!({"N": 1}),
            json!({"N": true}),
            json!({"B": "a"}),
            json!({"B": "a==="}),
            json!({"B": "!!!!"}),
            json!({"B": "YQ=Q"}),
            json!({"B": 1}),
            json!({"BOOL": "true"}),
            json!({"BOOL": "maybe"}),
            json!({"BOOL": 1}),
            json!({"NULL": false}),
            json!({"NULL": "true"}),
            json!({"SS": []}),
            json!({"SS": "a"}),
            json!({"SS": ["a", "a"]}),
            json!({"SS": ["a", null]}),
            json!({"SS": ["a", 1]}),
            json!({"SS": [""]}),
            json!({"NS": ["1", "1.0"]}),
            json!({"NS": ["1", "a"]}),
            json!({"NS": [1]}),
            json!({"NS": []}),
            json!({"BS": ["YQ==", "YQ=="]}),
            json!({"BS": []}),
            json!({"BS": ["a"]}),
            json!({"L": {}}),
            json!({"L": [null]}),
            json!({"L": ["a"]}),
            json!({"L": [{}]}),
            json!({"M": []}),
            json!({"M": {"a": null}}),
            json!({"M": {"a": "b"}}),
            json!({"M": {"a": {}}}),
            json!({"M": {"": {"S": "a"}}}),
            json!({"L": [{"N": "b"}]}),
            json!({"M": {"a": {"SS": []}}}),
            json!({"S": "a", "X": 1}),
            json!("a"),
            json!(1),
            json!(null),
            json!([]),
            json!(true),
        ];
        match self.random.below(wrong.len() + 2) {
            0 => deep(32),
            1 => deep(33),
            _ => self.pick(&wrong),
        }
    }
}

/// A text that is equal for equal values, regardless of number notation.
#[must_use]
pub fn sort_key(value: &Value) -> String {
    match value {
        Value::String(text) => {
            text.parse::<Number>().map_or_else(|_| value.to_string(), |number| number.to_string())
        }
        Value::Array(elements) => elements.iter().map(sort_key).collect::<Vec<_>>().join(","),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{name}:{}", sort_key(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// Whether two numbers, strings or Base64 values ascend. True for other values.
fn ascend(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_str(), other.as_str()) else {
        return true;
    };
    if let (Ok(one), Ok(other)) = (one.parse::<Number>(), other.parse::<Number>()) {
        return one <= other;
    }
    // Base64 digits sort by value, not by character code.
    let digits = |text: &str| -> Vec<usize> {
        const DIGITS: &str = "=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        text.chars().map(|c| DIGITS.find(c).unwrap_or(c as usize + 1000)).collect()
    };
    digits(one) <= digits(other)
}

/// Nested lists, this many levels deep.
fn deep(levels: usize) -> Value {
    (1..levels).fold(json!({"L": []}), |inner, _| json!({"L": [inner]}))
}
