//! Which members of a collection share a query.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "declared as a program declares it")]

use singlet::Collection;
use singlet::prelude::*;

id!(Repo, User);

#[table(
    name = "issues",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK)),
    entities(Fork, Issue, Star)
)]
pub struct Issues;

#[derive(Entity)]
#[entity(
    Issues,
    key = ("REPO#{repo}", "FORK#{user}"),
    GSI1 forks = ("REPO#{repo}", "FORK#{user}")
)]
pub struct Fork {
    pub repo: Repo,
    pub user: User,
}

/// Only its second key sorts between the other entities' keys.
#[derive(Entity)]
#[entity(
    Issues,
    key = ("REPO#{repo}", "ISSUE#{number:06}"),
    GSI1 closed = ("REPO#{repo}", "CLOSED#{number:06}") when is_open = false,
    GSI1 open = ("REPO#{repo}", "OPEN#{number:06}") when is_open = true
)]
pub struct Issue {
    pub repo: Repo,
    pub number: u32,
    pub is_open: bool,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("REPO#{repo}", "STAR#{user}"),
    GSI1 stars = ("REPO#{repo}", "STAR#{user}")
)]
pub struct Star {
    pub repo: Repo,
    pub user: User,
}

#[derive(Collection)]
#[collection(index = GSI1)]
pub struct Fans {
    /// The macro's output has a variable with this name.
    pub entity: Vec<Fork>,
    pub stars: Vec<Star>,
}

/// Regression: only the first of an entity's keys in the index was considered, and the collection
/// read all open issues between forks and stars.
#[test]
fn every_key_of_an_index_can_lie_between_members() {
    assert_eq!(Fans::SHAPE.ranges, [0, 1]);
}
