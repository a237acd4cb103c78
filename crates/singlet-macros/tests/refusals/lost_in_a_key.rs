//! Fields that are stored in a key which not every item has.

use singlet::prelude::*;

id!(Repo);

#[table(
    name = "issues",
    key = (PK),
    index(GSI1 = (GSI1PK, GSI1SK), GSI2 = (GSI2PK, GSI2SK)),
    entities(InNoKey, WithACondition, BesideAnOptionalPart, InTheSecondKey)
)]
struct Issues;

#[derive(Entity)]
#[entity(Issues, key = ("A#{repo}"))]
struct InNoKey {
    repo: Repo,
    #[attribute(in_key)]
    title: String,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("B#{repo}"),
    GSI1 open = ("OPEN", "{title}") when state = "open"
)]
struct WithACondition {
    repo: Repo,
    state: String,
    #[attribute(in_key)]
    title: String,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("C#{repo}"),
    GSI1 of_author = ("AUTHOR#{author}", "TITLE#{title}")
)]
struct BesideAnOptionalPart {
    repo: Repo,
    author: Option<Repo>,
    #[attribute(in_key)]
    title: String,
}

/// Every item has the second key, and the first one is read.
#[derive(Entity)]
#[entity(
    Issues,
    key = ("D#{repo}"),
    GSI1 of_author = ("AUTHOR#{author}", "TITLE#{title}"),
    GSI2 all = ("ALL", "TITLE#{title}")
)]
struct InTheSecondKey {
    repo: Repo,
    author: Option<Repo>,
    #[attribute(in_key)]
    title: String,
}

fn main() {}
