//! Setting a field whose index key is also made of a moment that the model keeps.

use singlet::prelude::*;

id!(Repo);

#[table(name = "issues", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Issue))]
struct Issues;

#[derive(Entity)]
#[entity(
    Issues,
    key = ("REPO#{repo}", "ISSUE#{number:07}"),
    GSI1 open = ("REPO#{repo}", "OPEN#{created_at}") when is_open = true
)]
struct Issue {
    repo: Repo,
    number: u32,
    is_open: bool,
    #[attribute(created)]
    created_at: Timestamp,
}

fn close(repo: &Repo) {
    let _ = update(Issue::key(repo, 1)).set(Issue::IS_OPEN, false);
}

fn main() {}
