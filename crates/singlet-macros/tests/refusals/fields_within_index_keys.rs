//! A condition on a field that is stored within a shared index key, and so is no attribute; and
//! setting it without the others of that key.

use singlet::prelude::*;

id!(Repo);

#[table(
    name = "issues",
    key = (PK, SK),
    index(
        GSI1 = (GSI1PK, GSI1SK),
        GSI2 = (GSI2PK, GSI2SK),
        GSI3 = (GSI3PK, GSI3SK) projecting("GSI1SK")
    ),
    entities(Issue)
)]
struct Issues;

#[derive(Entity)]
#[entity(
    Issues,
    key = ("REPO#{repo}", "ISSUE#{number:05}"),
    GSI1 open = ("OPEN", "{title}") when is_open = true,
    GSI2 newest = ("ALL", "{at}#{title}"),
    GSI3 by_number = ("ALL", "{number:05}")
)]
struct Issue {
    repo: Repo,
    number: u32,
    is_open: bool,
    at: Timestamp,
    #[attribute(in_key)]
    title: String,
}

async fn filtered(db: &Db<Issues>) -> singlet::Result<Vec<Issue>> {
    db.query(Issue::newest().filter(Issue::TITLE.eq("a"))).all().await
}

async fn rename(db: &Db<Issues>, issue: &Issue) -> singlet::Result<()> {
    db.run(update(Key::of(issue)).set(Issue::TITLE, "b")).await
}

fn main() {}
