//! Values, from domains small enough that they meet.

use super::{Generator, Profile};
use singlet_dynamo::schema::KeyType;
use singlet_dynamo::{Map, Number, Set, Value};

const TEXTS: [&str; 7] = ["a", "b", "ab", "a\0", "é", "b\u{1}x", "ba"];
const NUMBERS: [&str; 8] = ["-10", "-1.5", "0", "1", "1.5", "2", "10", "1e30"];
const BYTES: [&[u8]; 7] = [&[0], &[0, 0], &[0, 0xff], &[1], &[0xff], &[0xff, 0], &[1, 2]];
/// Sizes of texts that make an item costlier: around 1 KB, around 4 KB.
const LENGTHS: [usize; 5] = [900, 1024, 1500, 4000, 9000];

fn number(text: &str) -> Number {
    text.parse().expect("a number")
}

impl Generator {
    /// One of several.
    pub(super) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        self.random.one_of(choices).cloned().expect("something to choose from")
    }

    /// A value that a key of this type can have. The first ones of a domain come most often.
    pub(super) fn key_value(&mut self, kind: KeyType) -> Value {
        let len = if self.random.percent(70) { 3 } else { 7 };
        let at = self.random.below(len);
        match kind {
            KeyType::S => Value::from(TEXTS[at]),
            KeyType::N => Value::N(number(NUMBERS[at])),
            KeyType::B => Value::B(BYTES[at].to_vec()),
        }
    }

    /// A value that a key of this type can mostly have.
    pub(super) fn doubtful_key_value(&mut self, kind: KeyType) -> Value {
        match self.random.below(40) {
            0 => Value::from(""),
            1 => Value::B(Vec::new()),
            2 => self.scalar(),
            3 if self.profile == Profile::Large => Value::from("k".repeat(1025)),
            _ => self.key_value(kind),
        }
    }

    pub(super) fn scalar(&mut self) -> Value {
        match self.random.below(10) {
            0..4 => Value::N(number(NUMBERS[self.random.below(NUMBERS.len())])),
            4..7 => Value::from(TEXTS[self.random.below(TEXTS.len())]),
            7 => Value::B(BYTES[self.random.below(BYTES.len())].to_vec()),
            8 => Value::Bool(self.random.percent(50)),
            _ => Value::Null,
        }
    }

    pub(super) fn set(&mut self) -> Value {
        let count = 1 + self.random.below(3);
        let mut elements: Vec<usize> = (0..count).map(|_| self.random.below(4)).collect();
        elements.sort_unstable();
        elements.dedup();
        let elements = elements.into_iter();
        match self.random.below(3) {
            0 => Value::Ss(set(elements.map(|at| TEXTS[at].to_owned()).collect())),
            1 => Value::Ns(set(elements.map(|at| number(NUMBERS[at])).collect())),
            _ => Value::Bs(set(elements.map(|at| BYTES[at].to_vec()).collect())),
        }
    }

    pub(super) fn list(&mut self) -> Value {
        let count = self.random.below(4);
        Value::L((0..count).map(|_| self.scalar()).collect())
    }

    pub(super) fn map(&mut self) -> Value {
        let mut map = Map::new();
        for name in ["x", "y"] {
            if self.random.percent(60) {
                map.insert(name, self.scalar());
            }
        }
        if self.random.percent(30) {
            map.insert("l", self.list());
        }
        Value::M(map)
    }

    /// Any value.
    pub(super) fn value(&mut self) -> Value {
        match self.random.below(20) {
            0..10 => self.scalar(),
            10..13 => self.set(),
            13..15 => self.list(),
            15..17 => self.map(),
            _ => self.long_text(),
        }
    }

    /// A text that makes its item costlier; in some sequences so long that three of them are a
    /// page.
    pub(super) fn long_text(&mut self) -> Value {
        let letter = self.pick(&["y", "z"]);
        let length = match self.profile {
            Profile::Small if self.random.percent(80) => self.random.below(40),
            Profile::Small => self.pick(&LENGTHS),
            Profile::Large => 100_000 + self.random.below(305_000),
        };
        Value::from(letter.repeat(length))
    }
}

fn set<T: Ord>(elements: Vec<T>) -> Set<T> {
    Set::new(elements).expect("distinct, and at least one")
}
