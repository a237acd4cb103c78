//! Transactions.

use super::{game, id, is_invalid, rating, site};
use crate::sample::{Match, MatchId, Rating, Session, Site, SiteId, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    all_or_nothing,
    the_refused_operation_is_named,
    it_returns_what_it_stored,
    checks_guard,
    tokens_are_carried_out_once,
    a_token_belongs_to_one_transaction,
    a_refused_transaction_leaves_its_token,
    a_token_has_one_moment_everywhere,
    a_token_of_an_upsert_that_replaced,
    gathered_one_by_one,
    what_is_too_much_is_refused,
    a_token_that_is_only_shown_is_not_used,
}

const DAY: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// An application's error type.
#[derive(Debug)]
enum Refusal {
    Taken,
    NotYours,
    Database(singlet::Error),
}

impl From<singlet::Error> for Refusal {
    fn from(error: singlet::Error) -> Self {
        Self::Database(error)
    }
}

async fn all_or_nothing(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (one, other) = (rating("all", "a", 1), rating("all", "b", 1));
    db.run(create(&other)).await?;
    let outcome = db.transact((create(&one), create(&other))).await;
    assert!(super::is_refused(&outcome));
    assert_eq!(db.get(Key::of(&one).consistent()).await?, None);
    db.transact((
        create(&one),
        update(Key::of(&other)).set(Rating::STARS, 5),
        put(&site("all", db.now())),
        delete(Match::key(id::<MatchId>("all"))),
    ))
    .await?;
    assert!(db.get(Key::of(&one).consistent()).await?.is_some());
    assert_eq!(db.get(Key::of(&other).consistent()).await?.map(|rating| rating.stars), Some(5));
    Ok(())
}

async fn it_returns_what_it_stored(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (new, old) = (site("returned", db.now().before(DAY)), rating("returned", "a", 1));
    let (stored, ()) = db
        .transact_returning((
            create(&new).or(Refusal::Taken),
            delete(Key::of(&old)).or(Refusal::NotYours),
        ))
        .await
        .map_err(|refusal| format!("{refusal:?}"))?;
    assert_eq!((stored.created_at, stored.version), (db.now(), 1));
    assert_eq!(db.get(Key::of(&new).consistent()).await?, Some(stored.clone()));
    // The returned entity can be written again.
    let changed = Site { title: "Changed".into(), ..stored };
    let [stored] = db.transact_returning(vec![put(&changed)]).await?.try_into().map_err(|_| "")?;
    assert_eq!(stored.version, 2);
    let refused = db.transact_returning((put(&changed), create(&old))).await;
    assert!(super::is_refused(&refused));
    assert_eq!(db.get(Key::of(&new).consistent()).await?, Some(stored));
    Ok(())
}

async fn the_refused_operation_is_named(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (one, other) = (rating("named", "a", 1), rating("named", "b", 1));
    let attempt = async || {
        db.transact((
            create(&one).or(Refusal::Taken),
            update(Key::of(&other)).set(Rating::STARS, 2).or(Refusal::NotYours),
            put(&site("named", db.now())),
        ))
        .await
    };
    assert!(matches!(attempt().await, Err(Refusal::NotYours)));
    db.run(create(&other)).await?;
    attempt().await.map_err(|refusal| format!("{refusal:?}"))?;
    assert!(matches!(attempt().await, Err(Refusal::Taken)));
    // An operation without `or` fails with the library's error.
    let unnamed =
        db.transact((put(&rating("named", "c", 1)).or(Refusal::Taken), create(&other))).await;
    let entity = match &unnamed {
        Err(Refusal::Database(singlet::Error::ConditionFailed { entity, .. })) => *entity,
        _ => "",
    };
    assert_eq!(entity, "Rating", "{unnamed:?}");
    // So does an invalid operation.
    let wrong = super::goal("m", 1, 60_000, "g");
    let wrong = db.transact((put(&wrong).or(Refusal::Taken),)).await;
    assert!(matches!(wrong, Err(Refusal::Database(singlet::Error::Key(_)))), "{wrong:?}");
    Ok(())
}

async fn checks_guard(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let guard = game("guard", db.now());
    let write = rating("guarded", "s", 1);
    let guarded = async |condition| {
        let guard = check(Match::key(&guard.id)).only_if(condition).or(Refusal::NotYours);
        db.transact((guard, put(&write))).await
    };
    let there = db.transact((check(Match::key(&guard.id)), put(&write))).await;
    assert!(super::is_refused(&there), "there must be an item");
    db.run(create(&guard)).await?;
    db.transact((check(Match::key(&guard.id)), put(&write))).await?;
    assert!(matches!(guarded(Match::HOUR.eq(1)).await, Err(Refusal::NotYours)));
    assert!(guarded(Match::HOUR.eq(9)).await.is_ok());
    assert!(matches!(guarded(Condition::missing()).await, Err(Refusal::NotYours)));
    Ok(())
}

async fn tokens_are_carried_out_once(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = db.run(create(&site("tokens", db.now())).returning_new()).await?;
    let token = format!("token-{}", db.now().as_millis());
    for _ in 0..3 {
        // The clock advances, so a retry would write a different timestamp.
        fixture.clock.advance(1000);
        let count = update(Site::key(&one.id)).add(Site::VISITS, 1);
        db.transact(once(token.as_str(), (count,))).await?;
    }
    let visits = db.get(Site::key(&one.id).consistent()).await?.map(|site| site.visits);
    assert_eq!(visits, Some(1));
    Ok(())
}

fn is_mismatch<T>(outcome: &singlet::Result<T>, text: &str) -> bool {
    let is_own = |token: &String| token == text;
    matches!(outcome, Err(singlet::Error::IdempotentParameterMismatch { token }) if is_own(token))
}

/// Regression: a different transaction with the same token reported success but was not executed.
async fn a_token_belongs_to_one_transaction(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = db.run(create(&site("reused", db.now())).returning_new()).await?;
    let token = format!("reused-{}", db.now().as_millis());
    let add = |visits: u32| update(Site::key(&one.id)).add(Site::VISITS, visits);
    db.transact(once(token.as_str(), (add(1),))).await?;
    for _ in 0..2 {
        fixture.clock.advance(1000);
        // DynamoDB Local accepts 2 in place of 1: it seems to compare hashes, in which the amount
        // and the bound of its range cancel out.
        let outcome = db.transact(once(token.as_str(), (add(20),))).await;
        assert!(is_mismatch(&outcome, &token), "{outcome:?}");
        // The original transaction still succeeds.
        db.transact(once(token.as_str(), (add(1),))).await?;
    }
    let mut gathered = db.transaction::<singlet::Error>().once(token.as_str());
    gathered.push(add(30));
    let outcome = gathered.run().await;
    assert!(is_mismatch(&outcome, &token), "{outcome:?}");
    let mut gathered = db.transaction::<singlet::Error>().once(token.as_str());
    gathered.push(add(1));
    gathered.run().await?;
    let visits = db.get(Site::key(&one.id).consistent()).await?.map(|site| site.visits);
    assert_eq!(visits, Some(1));
    Ok(())
}

/// Nothing was executed, so the token can be reused.
async fn a_refused_transaction_leaves_its_token(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = db.run(create(&site("left", db.now())).returning_new()).await?;
    let token = format!("left-{}", db.now().as_millis());
    let change = || update(Site::key(&one.id)).add(Site::VISITS, 1);
    let refused = change().only_if(Site::VISITS.gt(0));
    let outcome = db.transact(once(token.as_str(), (refused,))).await;
    assert!(super::is_refused(&outcome), "{outcome:?}");
    fixture.clock.advance(1000);
    db.transact(once(token.as_str(), (change(),))).await?;
    let stored = db.get(Site::key(&one.id).consistent()).await?;
    assert_eq!(stored.map(|site| (site.visits, site.updated_at)), Some((1, db.now())));
    Ok(())
}

/// A token's first timestamp is unknown to other processes unless passed explicitly.
async fn a_token_has_one_moment_everywhere(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, other) = (&fixture.db, fixture.open::<crate::sample::World>());
    let one = db.run(create(&site("moment", db.now())).returning_new()).await?;
    let (moment, token) = (db.now(), format!("moment-{}", db.now().as_millis()));
    let add = |visits: u32| (update(Site::key(&one.id)).add(Site::VISITS, visits),);
    db.transact(once(token.as_str(), add(1))).await?;
    fixture.clock.advance(1000);
    // With another timestamp it is a different transaction, so it must not report success.
    let outcome = other.transact(once(token.as_str(), add(1))).await;
    assert!(is_mismatch(&outcome, &token), "{outcome:?}");
    other.transact(once(token.as_str(), add(1)).at(moment)).await?;
    let outcome = other.transact(once(token.as_str(), add(20)).at(moment)).await;
    assert!(is_mismatch(&outcome, &token), "{outcome:?}");
    let mut gathered = other.transaction::<singlet::Error>().once(token.as_str()).at(moment);
    gathered.push(add(1).0);
    gathered.run().await?;
    // A transaction without timestamps is the same at any time.
    let token = format!("timeless-{}", db.now().as_millis());
    let three = rating("timeless", "s", 3);
    let rate_three = || (put(&three).only_if(Condition::missing()),);
    db.transact(once(token.as_str(), rate_three())).await?;
    fixture.clock.advance(1000);
    other.transact(once(token.as_str(), rate_three())).await?;
    let visits = db.get(Site::key(&one.id).consistent()).await?.map(|site| site.visits);
    assert_eq!(visits, Some(1));
    Ok(())
}

/// An upsert over an expired item is sent as a different request; retries must send the same one.
async fn a_token_of_an_upsert_that_replaced(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let past = Expiry::at(db.now().before(std::time::Duration::from_secs(60)));
    let gone = Session {
        user: id("token"),
        id: id("replaced"),
        device: "old".into(),
        seen: Some(7),
        opened_at: db.now(),
        expires: Some(past),
    };
    db.run(put(&gone)).await?;
    let token = format!("replaced-{}", db.now().as_millis());
    let visit = |device: &str| {
        let session = upsert(Key::of(&gone)).set(Session::DEVICE, device).add(Session::SEEN, 1);
        (session.set(Session::EXPIRES, None::<Expiry>),)
    };
    for _ in 0..2 {
        db.transact(once(token.as_str(), visit("new"))).await?;
        fixture.clock.advance(1000);
    }
    let outcome = db.transact(once(token.as_str(), visit("newer"))).await;
    assert!(is_mismatch(&outcome, &token), "{outcome:?}");
    let stored = db.get(Key::of(&gone).consistent()).await?;
    assert_eq!(stored.map(|one| (one.device, one.seen)), Some(("new".into(), Some(1))));
    Ok(())
}

async fn gathered_one_by_one(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("gathered");
    let mut transaction = db.transaction::<Refusal>();
    for number in 0..99 {
        transaction.push(put(&rating("gathered", &format!("g{number}"), 1)));
    }
    transaction.push(create(&site("gathered", db.now())).or(Refusal::Taken));
    assert_eq!(transaction.len(), 100);
    transaction.run().await.map_err(|refusal| format!("{refusal:?}"))?;
    assert_eq!(db.query(Rating::of(&user).consistent()).count().await?, 99);

    let lists: Vec<_> = (0..3).map(|n| rating("gathered", &format!("g{n}"), 5)).collect();
    db.transact(lists.iter().map(put).collect::<Vec<_>>()).await?;
    let too_many: Vec<_> = (0..101).map(|n| rating("gathered", &format!("h{n}"), 5)).collect();
    let outcome = db.transact(too_many.iter().map(put).collect::<Vec<_>>()).await;
    assert!(matches!(outcome, Err(singlet::Error::TooManyOperations { count: 101 })));
    Ok(())
}

/// Regression: the embedded engine accepted more than DynamoDB does.
async fn what_is_too_much_is_refused(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("too-much");
    let keys = |count: usize| -> Vec<Key<Rating>> {
        (0..count).map(|number| Rating::key(&user, id::<SiteId>(format!("s{number}")))).collect()
    };
    assert_eq!(db.get_together(keys(100)).await?.len(), 100);
    let outcome = db.get_together(keys(101)).await;
    assert!(is_invalid(&outcome), "{outcome:?}");
    let outcome = db.transact(once("t".repeat(37), (put(&rating("too-much", "s", 1)),))).await;
    assert!(is_invalid(&outcome), "{outcome:?}");
    Ok(())
}

/// Regression: `request`, or a transaction that was never run, fixed the token's timestamp, and the
/// real transaction then wrote it.
async fn a_token_that_is_only_shown_is_not_used(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = db.run(create(&site("shown-token", db.now())).returning_new()).await?;
    let token = format!("shown-{}", db.now().as_millis());
    let visit = || update(Site::key(&one.id)).add(Site::VISITS, 1);
    once(token.as_str(), (visit(),)).request(db)?;
    once(token.as_str(), once(token.as_str(), vec![visit()])).request(db)?;
    let mut dropped = db.transaction::<singlet::Error>().once(token.as_str());
    dropped.push(visit());
    assert!(format!("{dropped:?}").contains(&token));
    drop(dropped);
    fixture.clock.advance(1000);
    let now = db.now();
    db.transact(once(token.as_str(), (visit(),))).await?;
    let updated_at = || async { db.get(Site::key(&one.id).consistent()).await };
    assert_eq!(updated_at().await?.map(|site| site.updated_at), Some(now));
    // A sent transaction is displayed with the timestamp it was sent with.
    fixture.clock.advance(1000);
    let shown = once(token.as_str(), (visit(),)).request(db)?.to_string();
    assert!(shown.contains(&now.to_string()), "{shown}");
    db.transact(once(token.as_str(), (visit(),))).await?;
    assert_eq!(updated_at().await?.map(|site| site.visits), Some(1));
    Ok(())
}
