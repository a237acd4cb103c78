//! Index keys follow the fields they are built from.

use super::{game, id, rating};
use crate::sample::{
    Loan, Match, MatchId, PlayerId, Rating, Reminder, Sample, SiteId, Status, UserId,
};
use crate::{Fixture, TestResult};
use singlet::dynamo::operation::PutItem;
use singlet::dynamo::{Item, Value};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    they_follow_what_is_set,
    they_come_and_go,
    fields_of_one_key_are_set_together,
    a_field_can_be_the_key,
    an_upsert_does_not_take_an_item_out,
    an_update_completes_the_key_of_an_older_item,
}

async fn they_follow_what_is_set(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = rating("follow", "followed", 1);
    db.run(put(&one)).await?;
    let rated = async |stars: u8| db.query(Rating::by_stars(stars).with(&one.site)).all().await;
    assert_eq!(rated(1).await?, [one.clone()]);
    db.run(update(Key::of(&one)).set(Rating::STARS, 2)).await?;
    assert_eq!(rated(1).await?, []);
    assert_eq!(rated(2).await?, [Rating { stars: 2, ..one.clone() }]);
    Ok(())
}

async fn they_come_and_go(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = game("sparse", db.now());
    let day: SiteId = id("2026-01-31");
    db.run(create(&one)).await?;
    let that_day = async || db.query(Match::by_day(&day)).all().await;
    assert_eq!(that_day().await?, [], "an item without a part of the key is not in the index");
    let together = (Some(day.clone()), 9, one.field.clone());
    db.run(update(Match::key(&one.id)).set_together(Match::DAY_AND_HOUR_AND_FIELD, together))
        .await?;
    assert_eq!(that_day().await?.len(), 1);
    let together = (None, 9, one.field.clone());
    db.run(update(Match::key(&one.id)).set_together(Match::DAY_AND_HOUR_AND_FIELD, together))
        .await?;
    assert_eq!(that_day().await?, []);
    Ok(())
}

async fn fields_of_one_key_are_set_together(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let day: SiteId = id("2026-02-01");
    let one = Match { day: Some(day.clone()), hour: 9, ..game("together", db.now()) };
    db.run(create(&one)).await?;
    let south: PlayerId = id("south");
    let moved = (Some(day.clone()), 14, south.clone());
    db.run(update(Match::key(&one.id)).set_together(Match::DAY_AND_HOUR_AND_FIELD, moved)).await?;
    assert_eq!(db.query(Match::by_day(&day).with(9)).all().await?, []);
    let found = db.query(Match::by_day(&day).with(14).with(&south)).all().await?;
    assert_eq!(found, [Match { hour: 14, field: south, ..one }]);
    Ok(())
}

async fn a_field_can_be_the_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (one, other): (MatchId, MatchId) = (id("live-1"), id("live-2"));
    for (id, minutes) in [(&one, 1), (&other, 2)] {
        let start_time = db.now().after(std::time::Duration::from_secs(60 * minutes));
        db.run(create(&Match { id: id.clone(), start_time, ..game("x", db.now()) })).await?;
        db.run(update(Match::key(id)).set(Match::LIVE, "LIVE")).await?;
    }
    let live = Match::live_now("LIVE".to_owned()).descending().project::<KeyOnly>();
    let found = db.query(live).all().await?;
    assert_eq!(found, [KeyOnly { start_time: start(db, 2) }, KeyOnly { start_time: start(db, 1) }]);
    db.run(update(Match::key(&one)).remove(Match::LIVE)).await?;
    let live = Match::live_now("LIVE".to_owned()).project::<KeyOnly>();
    assert_eq!(db.query(live).count().await?, 1);
    // The index does not project whole items: reading them does not compile, but counting does.
    assert_eq!(db.query(Match::live_now("LIVE".to_owned())).count().await?, 1);
    let live = Scan::index(Match::LIVE_NOW).filter(Match::STATUS.eq(Status::Scheduled));
    assert_eq!(db.scan(live).count().await?, 1);
    // All live matches, without a filter.
    let live = db.scan(Scan::index(Match::LIVE_NOW).project::<KeyOnly>()).all().await?;
    assert_eq!(live, [KeyOnly { start_time: start(db, 2) }]);
    Ok(())
}

fn start<D: Declaration>(db: &Db<D>, minutes: u64) -> Timestamp {
    db.now().after(std::time::Duration::from_secs(60 * minutes))
}

/// Projected by the index, in addition to the status.
#[derive(Projection, Debug, PartialEq)]
#[projection(Match)]
struct KeyOnly {
    start_time: Timestamp,
}

/// Regression: an upsert that did not set an optional part of an index key removed the rest of the
/// key, and the item left the index.
async fn an_upsert_does_not_take_an_item_out(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let due = Some(db.now());
    let one = Loan { member: id("upserts"), book: id("b1"), due, note: None };
    db.run(create(&one)).await?;
    let due_loans = async || db.query(Loan::by_due(&one.member)).all().await;
    assert_eq!(due_loans().await?, [one.clone()]);

    db.run(upsert(Key::of(&one)).set(Loan::NOTE, "late")).await?;
    let noted = Loan { note: Some("late".into()), ..one.clone() };
    assert_eq!(due_loans().await?, [noted.clone()]);
    // A new item lacks the field, so it is not in the index.
    let other = Loan { book: id("b2"), due: None, ..noted.clone() };
    db.run(upsert(Key::of(&other)).set(Loan::NOTE, "late")).await?;
    assert_eq!(db.get(Key::of(&other).consistent()).await?, Some(other.clone()));
    assert_eq!(due_loans().await?, [noted]);
    // Setting the field updates the index key, as in an update.
    db.run(upsert(Key::of(&one)).set(Loan::DUE, None::<Timestamp>)).await?;
    assert_eq!(due_loans().await?, []);
    db.run(upsert(Key::of(&other)).set(Loan::DUE, due)).await?;
    assert_eq!(due_loans().await?, [Loan { due, ..other }]);
    Ok(())
}

/// The update wrote `GSI1SK` alone, so an item stored before the index existed stayed out of it.
async fn an_update_completes_the_key_of_an_older_item(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (user, one): (UserId, SiteId) = (id("completes"), id("one"));
    let text = |value: &str| Value::S(value.into());
    let older: Item = [
        ("PK", text("USER#completes")),
        ("SK", text("REMINDER#one")),
        ("user", text("completes")),
        ("id", text("one")),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    db.execute(PutItem::new(db.table_name::<Sample>(), older)).await?;
    let due = db.now();
    db.run(update(Reminder::key(&user, &one)).set(Reminder::DUE, Some(due))).await?;
    let found = db.query(Reminder::by_time(&user)).all().await?;
    assert_eq!(found, [Reminder { user: user.clone(), id: one.clone(), due: Some(due) }]);
    db.run(update(Reminder::key(&user, &one)).set(Reminder::DUE, None)).await?;
    assert_eq!(db.query(Reminder::by_time(&user)).all().await?, []);
    Ok(())
}
