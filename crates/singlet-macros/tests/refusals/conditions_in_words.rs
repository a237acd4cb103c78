//! Conditions of keys that are not written as such.

use singlet::prelude::*;

id!(Repo);

#[derive(Entity)]
#[entity(Issues, key = ("A#{repo}") when open = true)]
struct OfPrimaryKey {
    repo: Repo,
    open: bool,
}

#[derive(Entity)]
#[entity(Issues, key = ("A#{repo}"), GSI1 all = ("A") when state = "open")]
struct OfNoField {
    repo: Repo,
}

#[derive(Entity)]
#[entity(Issues, key = ("A#{repo}"), GSI1 all = ("A") when repo = 7)]
struct OfANumber {
    repo: Repo,
}

#[table(name = "table", key = (PK), delimiter = "##", entities())]
struct LongDelimiter;

fn main() {}
