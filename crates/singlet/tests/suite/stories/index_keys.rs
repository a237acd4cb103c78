//! Index keys follow the fields they are built from.

use super::{game, id, rating};
use crate::sample::{
    Loan, Match, MatchId, PlayerId, Rating, Reminder, Sample, SiteId, Status, UserId,
};
use crate::{Fixture, TestResult};
use singlet::Error;
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
    computed_fields_complete_the_key_too,
    an_update_refuses_to_write_half_a_key,
    items_that_are_sparse_by_right_are_updated,
    an_upsert_names_the_fields_of_index_keys,
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

id!(TaskId, OrgId, TeamId);

#[table(
    name = "{env}-tasks",
    key = (PK, SK),
    index(
        GSI1 = (GSI1PK, GSI1SK),
        GSI2 = (GSI2PK, GSI2SK),
        GSI3 = (GSI3PK, GSI3SK),
        byScore = (scores, score: N),
        byBest = (bests, best: N)
    ),
    entities(Task)
)]
struct Tasks;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Tasks,
    key = ("TASK#{id}", "METADATA"),
    GSI1 by_due = ("ORG#{org}", "{due}"),
    GSI2 of_team = ("TEAM#{team}", "{due}"),
    GSI3 pending = ("PENDING#{id}", "{due}") when is_open = "true",
    byScore by_score = ("SCORES", "{score}"),
    byBest by_best = ("BEST#{id}", "{best}")
)]
struct Task {
    id: TaskId,
    org: OrgId,
    team: Option<TeamId>,
    due: Option<Timestamp>,
    is_open: bool,
    score: u32,
    best: Option<u32>,
}

fn task(id: &str) -> Task {
    Task {
        id: super::id(id),
        org: super::id("org"),
        team: None,
        due: None,
        is_open: false,
        score: 3,
        best: None,
    }
}

/// Writes the item as a program without these index keys did.
async fn put_without(db: &Db<Tasks>, task: &Task, missing: &[&str]) -> TestResult {
    let mut item = singlet::item::encode(task)?;
    for name in missing {
        assert!(item.remove(name).is_some(), "{name}");
    }
    db.execute(PutItem::new(db.table_name::<Tasks>(), item)).await?;
    Ok(())
}

/// The other attribute of an index key was written for `set` alone, not for `add` and the others.
async fn computed_fields_complete_the_key_too(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Tasks>();
    db.provision().await?;
    let one = task("computed");
    let key = || Task::key(&one.id);
    let changes = [
        update(key()).add(Task::SCORE, 1),
        update(key()).set_sum(Task::SCORE, Task::SCORE, 1),
        update(key()).set_if_missing(Task::SCORE, 9_u32),
        update(key()).set_from(Task::SCORE, Task::SCORE),
        update(key()).set(Task::SCORE, 5),
    ];
    for (change, score) in changes.into_iter().zip([4, 4, 3, 3, 5]) {
        put_without(&db, &one, &["scores"]).await?;
        assert_eq!(db.query(Task::by_score()).all().await?, []);
        db.run(change).await?;
        let found = db.query(Task::by_score()).all().await?;
        assert_eq!(found, [Task { score, ..one.clone() }]);
    }
    // A part of the primary key is known, too.
    let other = Task { best: Some(1), ..task("computed-other") };
    put_without(&db, &other, &["bests"]).await?;
    db.run(update(Task::key(&other.id)).add(Task::BEST, 1)).await?;
    let found = db.query(Task::by_best(&other.id)).all().await?;
    assert_eq!(found, [Task { best: Some(2), ..other }]);
    Ok(())
}

/// `GSI1SK` was written alone, because an update does not know the field in `GSI1PK`: the item
/// stayed out of the index, and the answer was Ok.
async fn an_update_refuses_to_write_half_a_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Tasks>();
    db.provision().await?;
    let one = Task { is_open: true, ..task("half") };
    put_without(&db, &one, &["GSI1PK"]).await?;
    let due = Some(db.now());
    let set_due = |due: Option<Timestamp>| update(Task::key(&one.id)).set(Task::DUE, due);
    let outcomes = [
        db.run(set_due(due)).await,
        db.run(set_due(due).or(Error::MissingOperand)).await,
        db.transact((set_due(due), put(&task("half-other")))).await,
    ];
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert!(
            matches!(error, Error::IncompleteIndexKey { entity: "Task", index: "GSI1", .. }),
            "{error:?}"
        );
        assert_eq!(
            error.to_string(),
            "the stored Task lacks its key in the index GSI1, and this update does not know all of \
             it: read the item and `put` it (Task PK = `TASK#half`, SK = `METADATA`)"
        );
    }
    assert_eq!(db.get(Task::key(&one.id).consistent()).await?, Some(one.clone()));
    // What does not put it into the index is not refused, nor is what fails for another reason.
    db.run(set_due(None)).await?;
    db.run(update(Task::key(&one.id)).set(Task::SCORE, 4)).await?;
    let outcome = db.run(set_due(due).only_if(Task::SCORE.gt(4))).await;
    assert!(super::is_refused(&outcome), "{outcome:?}");
    let missing = task("half-missing");
    let outcome = db.run(update(Task::key(&missing.id)).set(Task::DUE, Some(db.now()))).await;
    assert!(super::is_refused(&outcome), "{outcome:?}");

    // As the error says.
    let found = db.get(Task::key(&one.id).consistent()).await?.ok_or("no item")?;
    db.run(put(&found)).await?;
    db.run(set_due(due)).await?;
    let found = db.query(Task::by_due(&one.org)).all().await?;
    assert_eq!(found, [Task { due, score: 4, ..one.clone() }]);
    assert_eq!(db.query(Task::pending(&one.id)).all().await?, found);

    // An open task lacks a key that depends on a condition.
    put_without(&db, &one, &["GSI3PK"]).await?;
    let error = db.run(set_due(due)).await.unwrap_err();
    assert!(matches!(error, Error::IncompleteIndexKey { index: "GSI3", .. }), "{error:?}");
    Ok(())
}

async fn items_that_are_sparse_by_right_are_updated(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Tasks>();
    db.provision().await?;
    // It has no team, and is not open.
    let one = task("sparse");
    db.run(put(&one)).await?;
    db.run(update(Task::key(&one.id)).set(Task::DUE, Some(db.now()))).await?;
    let found = db.query(Task::by_due(&one.org)).all().await?;
    assert_eq!(found, [Task { due: Some(db.now()), ..one.clone() }]);
    assert_eq!(db.query(Task::pending(&one.id)).all().await?, []);

    // Setting what else is needed puts it into the others.
    let team: TeamId = id("team");
    db.run(update(Task::key(&one.id)).set(Task::TEAM, team.clone())).await?;
    assert_eq!(db.query(Task::of_team(&team)).count().await?, 1);
    db.run(update(Task::key(&one.id)).set(Task::IS_OPEN, true)).await?;
    assert_eq!(db.query(Task::pending(&one.id)).count().await?, 1);
    // With a team, but without the key.
    let two = Task { team: Some(team.clone()), ..task("sparse-two") };
    put_without(&db, &two, &["GSI2PK"]).await?;
    let due = Some(db.now());
    let upsert_due = |one: &Task| {
        let change = upsert(Task::key(&one.id)).set(Task::ORG, &one.org).set(Task::DUE, due);
        change.set(Task::IS_OPEN, true).set(Task::SCORE, 3)
    };
    let outcomes = [
        db.run(update(Task::key(&two.id)).set(Task::DUE, due)).await,
        db.run(upsert_due(&two)).await,
    ];
    for outcome in outcomes {
        assert!(
            matches!(outcome, Err(Error::IncompleteIndexKey { index: "GSI2", .. })),
            "{outcome:?}"
        );
    }
    // An upsert can make the item.
    let new = Task { org: id("org-of-upserts"), ..task("sparse-new") };
    db.run(upsert_due(&new)).await?;
    assert_eq!(db.query(Task::by_due(&new.org)).count().await?, 1);
    Ok(())
}

#[table(
    name = "{env}-ranks",
    key = (PK),
    index(GSI1 = (GSI1PK, GSI1SK)),
    entities(Rank)
)]
struct Ranks;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Ranks, key = ("RANK#{id}"), GSI1 by_league = ("LEAGUE#{league}", "{score:06}"))]
struct Rank {
    id: TaskId,
    #[attribute(default)]
    league: String,
    score: u32,
}

/// Regression: an upsert without a field that has a default made an item with half an index key,
/// and refused the same upsert the second time.
async fn an_upsert_names_the_fields_of_index_keys(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Ranks>();
    db.provision().await?;
    let rank: TaskId = id("ranked");
    let outcome = db.run(upsert(Rank::key(&rank)).set(Rank::SCORE, 3)).await;
    assert!(
        matches!(outcome, Err(Error::Incomplete { entity: "Rank", attribute: "league" })),
        "{outcome:?}"
    );
    for score in [3, 4] {
        let whole = upsert(Rank::key(&rank)).set(Rank::SCORE, score);
        db.run(whole.set(Rank::LEAGUE, "gold".to_owned())).await?;
    }
    assert_eq!(db.query(Rank::by_league("gold")).all().await?.len(), 1);
    Ok(())
}
