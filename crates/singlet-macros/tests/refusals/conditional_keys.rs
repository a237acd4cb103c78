//! Keys in an index with conditions that contradict each other, or the entity.

use singlet::prelude::*;

id!(Repo);

#[derive(Attribute)]
#[attribute(rename_all = "lowercase")]
enum State {
    Open,
    Closed,
}

#[table(
    name = "issues",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK), byNumber = (PK, number: N)),
    entities(NeverHolds, Unconditional, Overlapping, Mixed, Anyway, StaleKey)
)]
struct Issues;

#[derive(Entity)]
#[entity(
    Issues,
    key = ("A#{repo}", "ISSUE#{number:07}"),
    GSI1 open = ("A#{repo}", "OPEN#{number:07}") when state = "OPEN"
)]
struct NeverHolds {
    repo: Repo,
    number: u32,
    state: State,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("B#{repo}", "ISSUE#{number:07}"),
    GSI1 open = ("B#{repo}", "OPEN#{number:07}") when state = "open",
    GSI1 all = ("B#{repo}", "ALL#{number:07}")
)]
struct Unconditional {
    repo: Repo,
    number: u32,
    state: State,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("C#{repo}", "ISSUE#{number:07}"),
    GSI1 open = ("C#{repo}", "OPEN#{number:07}") when state = "open",
    GSI1 any = ("C#{repo}", "ANY#{number:07}") when state = "open" | "closed"
)]
struct Overlapping {
    repo: Repo,
    number: u32,
    state: State,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("D#{repo}", "ISSUE#{number:07}"),
    GSI1 open = ("D#{repo}", "{number:07}") when state = "open",
    GSI1 closed = ("D#{repo}", "{number:07}#CLOSED") when state = "closed"
)]
struct Mixed {
    repo: Repo,
    number: u32,
    state: State,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("E#{repo}", "ISSUE#{number:07}"),
    byNumber open = ("E#{repo}", "{number}") when state = "open"
)]
struct Anyway {
    repo: Repo,
    number: u32,
    state: State,
}

/// The key of a closed issue needs to know when it was closed.
#[derive(Entity)]
#[entity(
    Issues,
    key = ("F#{repo}", "ISSUE#{number:07}"),
    GSI1 open = ("F#{repo}", "OPEN#{number:07}") when state = "open",
    GSI1 closed = ("F#{repo}", "CLOSED#{closed_at}") when state = "closed"
)]
struct StaleKey {
    repo: Repo,
    number: u32,
    state: State,
    closed_at: Option<Timestamp>,
}

fn close(repo: &Repo) {
    let _ = update(StaleKey::key(repo, 1)).set(StaleKey::STATE, State::Closed);
}

fn main() {}
