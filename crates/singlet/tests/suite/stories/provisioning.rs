//! Creating tables, and reporting differences from the design.

use super::is_invalid;
use crate::sample::Sample;
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet::{Difference, DifferenceKind, Error, Provision, Settings};
use singlet_testing::{TestStore, on_every_backend};
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

on_every_backend! {
    what_is_missing_is_made,
    two_at_once,
    a_new_index_says_how_many_items_lack_their_key,
    a_name_that_no_table_can_have,
}

id!(BookId, AuthorId);

/// The first version of a table.
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

/// A later version of the table, as its program needs it.
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

/// A version that the table cannot be changed to.
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

/// A table that does not exist yet.
mod new {
    use super::BookId;
    use singlet::prelude::*;

    #[table(name = "{env}-new-books", key = (PK), ttl = TTL, stream, entities(Book))]
    pub(super) struct Books;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(Books, key = ("BOOK#{id}"))]
    pub(super) struct Book {
        pub(super) id: BookId,
        #[attribute(ttl)]
        pub(super) expires: Option<Expiry>,
    }
}

/// A table that gets an index later.
mod loans {
    use super::{AuthorId, BookId};
    use singlet::prelude::*;

    #[table(name = "{env}-loans", key = (PK, SK), entities(Loan))]
    pub(super) struct Loans;

    #[derive(Entity)]
    #[entity(Loans, key = ("LOAN#{book}", "METADATA"))]
    pub(super) struct Loan {
        pub(super) book: BookId,
        pub(super) reader: Option<AuthorId>,
    }
}

mod indexed_loans {
    use super::{AuthorId, BookId};
    use singlet::prelude::*;

    #[table(
        name = "{env}-loans",
        key = (PK, SK),
        index(GSI1 = (GSI1PK, GSI1SK), byReader = (reader)),
        entities(Loan)
    )]
    pub(super) struct Loans;

    #[derive(Entity, Clone)]
    #[entity(
        Loans,
        key = ("LOAN#{book}", "METADATA"),
        GSI1 of_reader = ("READER#{reader}", "{book}"),
        byReader by_reader = ("{reader}")
    )]
    pub(super) struct Loan {
        pub(super) book: BookId,
        pub(super) reader: Option<AuthorId>,
    }
}

fn made(provision: Provision, name: &str) -> Vec<String> {
    provision.made.iter().map(|made| made.replace(name, "books")).collect()
}

/// Runs the engine's maintenance while `work` waits: a `TestStore` has no background thread.
async fn maintained<T>(store: &TestStore, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        if let Some(engine) = store.engine() {
            engine.maintain().unwrap();
        }
        let some_time = tokio::time::timeout(Duration::from_millis(5), work.as_mut());
        if let Ok(done) = some_time.await {
            return done;
        }
    }
}

async fn what_is_missing_is_made(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let first = fixture.open::<first::Books>();
    let name = first.table_name::<first::Books>().to_owned();
    assert_eq!(made(first.provision().await?, &name), ["table books"]);
    assert_eq!(made(first.provision().await?, &name), [] as [String; 0]);
    let (id, author) = (BookId::new("b1")?, AuthorId::new("a1")?);
    first.run(create(&first::Book { id: id.clone(), author: author.clone() })).await?;

    // DynamoDB Local 3.3.0 sometimes never finishes an added index: its status stays CREATING, and
    // so does that of every index added later.
    if fixture.store.is_dynamodb_local {
        return Ok(());
    }
    let later = fixture.open::<later::Books>();
    assert_eq!(
        made(maintained(&fixture.store, later.provision().into_future()).await?, &name),
        [
            "index byAuthor of table books",
            "index byTitle of table books",
            "stream of table books",
            "time to live expiresAt of table books"
        ]
    );
    assert_eq!(made(later.provision().await?, &name), [] as [String; 0]);
    // The index contains existing items that have its key attributes.
    let found = later.query(later::Book::by_author(&author)).all().await?;
    assert_eq!(found.first().map(|book| &book.id), Some(&id));
    let mut changes = later.changes().await?;
    let key = || later::Book::key(&id);
    later.run(update(key()).set(later::Book::TITLE, "Emma".to_owned())).await?;
    assert!(changes.next().await.transpose()?.is_some());

    // The difference could be dropped, and the program went on with a wrong table.
    let other = fixture.open::<other::Books>();
    let outcome = other.provision().await;
    let Err(Error::Differs { differences }) = outcome else { panic!("{outcome:?}") };
    let text = Error::Differs { differences: differences.clone() }.to_string();
    assert!(text.starts_with("the tables differ from the design: table "), "{text}");
    let told: Vec<String> =
        differences.iter().map(|told| told.to_string().replace(&name, "books")).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[0], "table books is on demand, and not provisioned");
    assert!(told[1].starts_with("index byAuthor of table books is Global with the key"));
    assert_eq!(told[2], "table books has an index byTitle that the design does not have");
    assert_eq!(told[3], "the time to live of table books is expiresAt, and not TTL");
    // They can be accepted: some of them, or all.
    let is_billing = |difference: &Difference| difference.kind == DifferenceKind::Billing;
    let outcome = other.provision().accepting(is_billing).await;
    let Err(Error::Differs { differences: rest }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(rest, differences[1..]);
    let accepted = other.provision().accepting(|_| true).await?;
    assert_eq!((accepted.made.len(), accepted.differences), (0, differences));
    // Nothing was changed.
    assert_eq!(made(later.provision().await?, &name), [] as [String; 0]);
    Ok(())
}

/// Programs that start at the same time can create tables concurrently.
async fn two_at_once(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (one, other) = (fixture.open::<new::Books>(), fixture.open::<new::Books>());
    let (first, second) =
        both(one.provision().into_future(), other.provision().into_future()).await;
    let (first, second) = (first?, second?);
    let tables = first.made.iter().chain(&second.made).filter(|made| made.starts_with("table "));
    assert_eq!(tables.count(), 1, "{first:?} {second:?}");
    // Together they created everything.
    assert_eq!(one.provision().await?, Provision::default());
    Ok(())
}

/// A new index was empty, and nothing said so.
async fn a_new_index_says_how_many_items_lack_their_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    // As above: DynamoDB Local does not always finish an added index.
    if fixture.store.is_dynamodb_local {
        return Ok(());
    }
    let first = fixture.open::<loans::Loans>();
    first.provision().await?;
    let reader = AuthorId::new("r1")?;
    for (book, reader) in [("b1", Some(&reader)), ("b2", Some(&reader)), ("b3", None)] {
        let loan = loans::Loan { book: BookId::new(book)?, reader: reader.cloned() };
        first.run(create(&loan)).await?;
    }
    let later = fixture.open::<indexed_loans::Loans>();
    let provision = maintained(&fixture.store, later.provision().into_future()).await?;
    // `b3` has no reader, and the other index is of a plain field.
    let name = later.table_name::<indexed_loans::Loans>();
    let lacking: Vec<String> = provision.lacking.iter().map(ToString::to_string).collect();
    let expected = format!(
        "2 items of Loan in table {name} lack their key in the new index GSI1: read and `put` them"
    );
    assert_eq!(lacking, [expected]);
    assert_eq!(later.query(indexed_loans::Loan::of_reader(&reader)).count().await?, 0);
    assert_eq!(later.query(indexed_loans::Loan::by_reader(&reader)).count().await?, 2);

    let mut loans = later.scan(Scan::<indexed_loans::Loan>::table()).items();
    while let Some(loan) = loans.next().await {
        later.run(put(&loan?)).await?;
    }
    assert_eq!(later.query(indexed_loans::Loan::of_reader(&reader)).count().await?, 2);
    assert_eq!(later.provision().await?, Provision::default());
    Ok(())
}

/// Polls two futures concurrently.
async fn both<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let (mut a, mut b) = (None, None);
    poll_fn(|context| {
        if a.is_none()
            && let Poll::Ready(value) = one.as_mut().poll(context)
        {
            a = Some(value);
        }
        if b.is_none()
            && let Poll::Ready(value) = other.as_mut().poll(context)
        {
            b = Some(value);
        }
        match (a.take(), b.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            (first, second) => {
                (a, b) = (first, second);
                Poll::Pending
            }
        }
    })
    .await
}

/// Regression: the embedded engine created such a table, and its endpoint could not address it.
async fn a_name_that_no_table_can_have(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let settings = Settings { environment: "a b/ü".into(), ..fixture.settings.clone() };
    let db: Db<Sample> = Db::on(fixture.store.backend(), settings.clone());
    let outcome = db.provision().await;
    assert!(is_invalid(&outcome), "{outcome:?}");
    Ok(())
}
