//! Conditions on fields that are stored within a shared index key, which are no attributes, and
//! reading them from an index that does not hold the key from which they are read.

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

#[derive(Projection)]
#[projection(Issue)]
struct Title {
    title: String,
}

async fn filtered(db: &Db<Issues>) -> singlet::Result<Vec<Issue>> {
    db.query(Issue::newest().filter(Issue::TITLE.eq("a"))).all().await
}

async fn rename(db: &Db<Issues>, issue: &Issue) -> singlet::Result<()> {
    db.run(update(Key::of(issue)).set(Issue::TITLE, "b")).await
}

async fn titles(db: &Db<Issues>) -> singlet::Result<Vec<Title>> {
    db.query(Issue::by_number().project::<Title>()).all().await
}

fn main() {}
