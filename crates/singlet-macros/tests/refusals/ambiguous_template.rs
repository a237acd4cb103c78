//! A template that gives the same key for different values.

use singlet::prelude::*;

#[table(name = "pairs", key = (PK, SK), entities(Pair))]
struct Pairs;

#[derive(Entity)]
#[entity(Pairs, key = ("PAIR#{one}#{other}", "METADATA"))]
struct Pair {
    one: String,
    other: String,
}

fn main() {}
