//! Making tables, and telling how they differ from the design.

use crate::{Stage, Told};
use singlet::Provision;
use singlet::prelude::*;

id!(BookId, AuthorId);

/// A table as it was at first.
mod first {
    use super::{AuthorId, BookId};
    use singlet::prelude::*;

    #[table(name = "{env}-books", key = (PK, SK), entities(Book))]
    pub(super) struct Books;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(Books, key = ("BOOK#{id}", "METADATA"))]
    pub(super) struct Book {
        pub(super) id: BookId,
        pub(super) author: AuthorId,
    }
}

/// The same table as its program needs it later.
mod later {
    use super::{AuthorId, BookId};
    use singlet::prelude::*;

    #[table(
        name = "{env}-books",
        key = (PK, SK),
        index(byAuthor = (author), byTitle = (title) projecting("pages", "author", "expiresAt")),
        ttl = expiresAt,
        stream,
        entities(Book)
    )]
    pub(super) struct Books;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(
        Books,
        key = ("BOOK#{id}", "METADATA"),
        byAuthor by_author = ("{author}"),
        byTitle by_title = ("{title}")
    )]
    pub(super) struct Book {
        pub(super) id: BookId,
        pub(super) author: AuthorId,
        pub(super) title: Option<String>,
        pub(super) pages: Option<u32>,
        #[attribute(ttl)]
        pub(super) expires: Option<Expiry>,
    }
}

/// What the table is in none of its times.
mod other {
    use super::{AuthorId, BookId};
    use singlet::prelude::*;

    #[table(
        name = "{env}-books",
        key = (PK, SK),
        index(byAuthor = (author, pages: N)),
        ttl = TTL,
        provisioned(1, 1),
        entities(Book)
    )]
    pub(super) struct Books;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(Books, key = ("BOOK#{id}", "METADATA"), byAuthor by_author = ("{author}", "{pages}"))]
    pub(super) struct Book {
        pub(super) id: BookId,
        pub(super) author: AuthorId,
        pub(super) pages: u32,
        #[attribute(ttl)]
        pub(super) expires: Option<Expiry>,
    }
}

fn made(provision: Provision, name: &str) -> Vec<String> {
    assert_eq!(provision.differences, [] as [String; 0]);
    provision.made.iter().map(|made| made.replace(name, "books")).collect()
}

pub(super) async fn what_is_missing_is_made(stage: &Stage) -> Told {
    let first = stage.open::<first::Books>();
    let name = first.table_name::<first::Books>().to_owned();
    assert_eq!(made(first.provision().await?, &name), ["table books"]);
    assert_eq!(made(first.provision().await?, &name), [] as [String; 0]);
    let (id, author) = (BookId::new("b1")?, AuthorId::new("a1")?);
    first.run(create(&first::Book { id: id.clone(), author: author.clone() })).await?;

    let later = stage.open::<later::Books>();
    assert_eq!(
        made(later.provision().await?, &name),
        [
            "index byAuthor of table books",
            "index byTitle of table books",
            "stream of table books",
            "time to live expiresAt of table books"
        ]
    );
    assert_eq!(made(later.provision().await?, &name), [] as [String; 0]);
    // The index has what was there before, if it has the attributes of the key.
    let found = later.query(later::Book::by_author(&author)).all().await?;
    assert_eq!(found.first().map(|book| &book.id), Some(&id));
    let mut changes = later.changes().await?;
    let key = || later::Book::key(&id);
    later.run(update(key()).set(later::Book::title, "Emma".to_owned())).await?;
    assert!(changes.next().await?.is_some());

    let different = stage.open::<other::Books>().provision().await?;
    assert_eq!(different.made, [] as [String; 0]);
    let told: Vec<String> =
        different.differences.iter().map(|told| told.replace(&name, "books")).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[0], "table books is on demand, and not provisioned");
    assert!(told[1].starts_with("index byAuthor of table books is Global with the key"));
    assert_eq!(told[2], "table books has an index byTitle that the design does not have");
    assert_eq!(told[3], "the time to live of table books is expiresAt, and not TTL");
    // Nothing was changed.
    assert_eq!(made(later.provision().await?, &name), [] as [String; 0]);
    Ok(())
}
