//! A field whose constant has the name of the one for fields that are set together.

use singlet::prelude::*;

id!(Repo);

#[table(name = "issues", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Taken))]
struct Issues;

#[derive(Entity)]
#[entity(
    Issues,
    key = ("TAKEN#{repo}", "ISSUE#{number:07}"),
    GSI1 by_state = ("TAKEN#{repo}", "{state}#{author}")
)]
struct Taken {
    repo: Repo,
    number: u32,
    state: Repo,
    author: Repo,
    state_and_author: String,
}

fn main() {}
