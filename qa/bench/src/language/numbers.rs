//! Numbers: parse, print, compare, add.
//!
//! Peers: a double, which shows the cost of exactness, and bigdecimal, which is exact without a
//! limit.

use crate::contest::Contest;
use bigdecimal::BigDecimal;
use singlet_dynamo::Number;
use std::hint::black_box;

const SAMPLES: [(&str, &str, &str); 2] = [
    ("short", "1234.5", "1234.75"),
    ("long", "12345678901234567890.123456789012345678", "12345678901234567890.123456789012345679"),
];

pub(super) fn contests() -> Vec<Contest> {
    SAMPLES.iter().flat_map(|&(size, first, second)| of_pair(size, first, second)).collect()
}

fn of_pair(size: &str, first: &'static str, second: &str) -> Vec<Contest> {
    let (a, b) = (ours(first), ours(second));
    let (x, y) = (double(first), double(second));
    let (big_a, big_b) = (big(first), big(second));
    let (other_a, other_b, printed) = (big_a.clone(), big_b.clone(), big_a.clone());
    vec![
        Contest::new(format!("{size} number: text to number"))
            .contender("singlet", move || ours(black_box(first)))
            .contender("bigdecimal", move || big(black_box(first)))
            .contender("f64", move || double(black_box(first))),
        Contest::new(format!("{size} number: number to text"))
            .contender("singlet", move || black_box(a).to_string())
            .contender("bigdecimal", move || black_box(&printed).to_plain_string())
            .contender("f64", move || black_box(x).to_string()),
        Contest::new(format!("{size} number: comparing"))
            .contender("singlet", move || black_box(a) < black_box(b))
            .contender("bigdecimal", move || black_box(&big_a) < black_box(&big_b))
            .contender("f64", move || black_box(x) < black_box(y)),
        Contest::new(format!("{size} number: adding"))
            .contender("singlet", move || black_box(a).checked_add(black_box(b)))
            .contender("bigdecimal", move || black_box(&other_a) + black_box(&other_b))
            .contender("f64", move || black_box(x) + black_box(y)),
    ]
}

fn ours(text: &str) -> Number {
    text.parse().expect("the sample is a number")
}

fn double(text: &str) -> f64 {
    text.parse().expect("the sample is a number")
}

fn big(text: &str) -> BigDecimal {
    text.parse().expect("the sample is a number")
}
