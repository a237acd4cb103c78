//! Updating fields.

use super::{id, is_refused, rating, site};
use crate::sample::{Location, Rating, Site, SiteId, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    fields_are_changed,
    sets_and_lists_grow,
    parts_of_fields,
    an_update_needs_an_item,
    an_upsert_makes_what_is_missing,
    an_upsert_must_be_complete,
}

async fn fields_are_changed(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = Site { description: Some("old".into()), ..site("changed", db.now()) };
    db.run(create(&one)).await?;
    let changed = db
        .run(
            update(Site::key(&one.id))
                .set(Site::TITLE, "New")
                .set(Site::RATING, 4.5)
                .add(Site::VISITS, 2)
                .set(Site::IS_PUBLIC, false)
                .set(Site::THUMBNAIL, Some(Bytes(vec![1])))
                .set(Site::DESCRIPTION, None)
                .returning_new(),
        )
        .await?;
    assert_eq!((changed.title.as_str(), changed.rating, changed.visits), ("New", Some(4.5), 2));
    assert_eq!((changed.is_public, changed.description), (false, None));

    let changed = db
        .run(
            update(Site::key(&one.id))
                .remove(Site::RATING)
                .remove(Site::THUMBNAIL)
                .set_if_missing(Site::DESCRIPTION, "first")
                .set_if_missing(Site::TITLE, "not this")
                .returning_new(),
        )
        .await?;
    assert_eq!((changed.rating, changed.thumbnail, changed.title.as_str()), (None, None, "New"));
    // NULL counts as present.
    assert_eq!(changed.description, None);

    let before = db.run(update(Site::key(&one.id)).add(Site::VISITS, -2).returning_old()).await?;
    assert_eq!(before.map(|site| site.visits), Some(2));
    Ok(())
}

async fn sets_and_lists_grow(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = site("grown", db.now());
    db.run(create(&one)).await?;
    let tag = |text: &str| text.to_owned();
    let changed = db
        .run(
            update(Site::key(&one.id))
                .insert(Site::TAGS, [tag("a"), tag("b"), tag("c")])
                .append(Site::HISTORY, [tag("one"), tag("two")])
                .returning_new(),
        )
        .await?;
    assert_eq!(changed.tags.len(), 3);
    let changed = db
        .run(
            update(Site::key(&one.id))
                .take(Site::TAGS, [tag("a"), tag("z")])
                .append(Site::HISTORY, [tag("three")])
                .returning_new(),
        )
        .await?;
    assert_eq!(changed.tags, [tag("b"), tag("c")].into());
    assert_eq!(changed.history, ["one", "two", "three"]);
    // Removing the last element removes the set.
    let changed =
        db.run(update(Site::key(&one.id)).take(Site::TAGS, changed.tags).returning_new()).await?;
    assert!(changed.tags.is_empty());
    Ok(())
}

async fn parts_of_fields(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let location = Location { street_name: "Elm".into(), ..Location::default() };
    let one = Site {
        location: Some(location),
        history: vec!["one".into(), "two".into()],
        counts: [("x".to_owned(), 1)].into(),
        ..site("parts", db.now())
    };
    db.run(create(&one)).await?;
    let changed = db
        .run(
            update(Site::key(&one.id))
                .set(Site::LOCATION.member(Location::NUMBER), 7)
                .set(Site::HISTORY.at(1), "second")
                .add(Site::COUNTS.entry("x"), 4)
                .add(Site::COUNTS.entry("y"), 1)
                .only_if(Site::LOCATION.member(Location::STREET_NAME).eq("Elm"))
                .only_if(Site::COUNTS.entry("x").lt(2))
                .returning_new(),
        )
        .await?;
    assert_eq!(changed.location.and_then(|location| location.number), Some(7));
    assert_eq!(changed.history, ["one", "second"]);
    assert_eq!(changed.counts, [("x".to_owned(), 5), ("y".to_owned(), 1)].into());
    Ok(())
}

async fn an_update_needs_an_item(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let nobody: SiteId = id("no-such-site");
    let outcome = db.run(update(Site::key(&nobody)).set(Site::TITLE, "T")).await;
    assert!(is_refused(&outcome));
    assert_eq!(db.get(Site::key(&nobody).consistent()).await?, None);
    Ok(())
}

async fn an_upsert_makes_what_is_missing(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (user, site): (UserId, SiteId) = (id("upsert"), id("s"));
    let rate = |stars: u8| upsert(Rating::key(&user, &site)).set(Rating::STARS, stars);
    let made = db.run(rate(4).returning_new()).await?;
    assert_eq!(made, rating("upsert", "s", 4));
    // It is also in the index.
    let found = db.query(Rating::by_stars(4).with(&site)).all().await?;
    assert!(found.contains(&made));
    let changed = db.run(rate(5).set(Rating::NOTE, "good").returning_new()).await?;
    assert_eq!((changed.stars, changed.note.as_deref()), (5, Some("good")));
    assert!(!db.query(Rating::by_stars(4).with(&site)).all().await?.contains(&made));
    // Fields that are not set keep their values.
    assert_eq!(db.run(rate(3).returning_new()).await?.note.as_deref(), Some("good"));
    Ok(())
}

async fn an_upsert_must_be_complete(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (user, site): (UserId, SiteId) = (id("incomplete"), id("s"));
    let outcome = fixture.db.run(upsert(Rating::key(&user, &site)).set(Rating::NOTE, "n")).await;
    let error = outcome.map_err(|error| error.to_string());
    let expected = "a new Rating would have no `stars`: set it in the upsert";
    assert_eq!(error, Err(expected.to_owned()));
    Ok(())
}
