//! Collections on indexes that they cannot be read from.

use singlet::prelude::*;

id!(Owner, Name);

#[table(
    name = "hub",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK), thin = (GSI2PK, GSI2SK) projecting("title")),
    entities(Repo, Issue, Star, Pull)
)]
struct Hub;

#[derive(Entity)]
#[entity(
    Hub,
    key = ("REPO#{owner}#{name}", "REPO"),
    GSI1 of_owner = ("OWNER#{owner}", "REPO"),
    thin titles = ("OWNER#{owner}", "{name}")
)]
struct Repo {
    owner: Owner,
    name: Name,
    title: String,
    body: String,
}

#[derive(Entity)]
#[entity(
    Hub,
    key = ("REPO#{owner}#{name}", "ISSUE#{number:06}"),
    GSI1 by_owner = ("OWNER#{owner}", "ISSUE#{number:06}")
)]
struct Issue {
    owner: Owner,
    name: Name,
    number: u32,
}

#[derive(Entity)]
#[entity(Hub, key = ("REPO#{owner}#{name}", "STAR#{user}"))]
struct Star {
    owner: Owner,
    name: Name,
    user: Owner,
}

#[derive(Entity)]
#[entity(
    Hub,
    key = ("PULL#{owner}", "{number:06}"),
    GSI1 open = ("OWNER#{owner}", "PULL#OPEN#{number:06}") when state = "open",
    GSI1 closed = ("OWNER#{owner}", "PULL#CLOSED#{number:06}") when state = "closed"
)]
struct Pull {
    owner: Owner,
    number: u32,
    state: String,
}

/// Which of its two keys?
#[derive(Collection)]
#[collection(index = GSI1)]
enum TwoKeys {
    Issue(Issue),
    Pull(Pull),
}

/// It has no such key in this index.
#[derive(Collection)]
#[collection(index = GSI1)]
enum OtherPattern {
    Issue(Issue),
    #[collection(pattern = merged)]
    Pull(Pull),
}

/// Keys of an index are not unique: an owner has several repositories.
#[derive(Collection)]
#[collection(index = GSI1)]
struct OneOfSeveral {
    repo: Repo,
    issues: Vec<Issue>,
}

/// Stars are not in the index.
#[derive(Collection)]
#[collection(index = GSI1)]
enum NotInTheIndex {
    Issue(Issue),
    Star(Star),
}

/// The index does not hold the body.
#[derive(Collection)]
#[collection(index = thin)]
struct NotHeld {
    repos: Vec<Repo>,
}

/// There is no such index.
#[derive(Collection)]
#[collection(index = GSI7)]
struct Unknown {
    repos: Vec<Repo>,
}

fn main() {}
