//! Transactions.

use super::{game, id, is_invalid, rating, site};
use crate::sample::{Match, MatchId, Rating, Site, SiteId, UserId};
use crate::{Stage, Told};
use singlet::prelude::*;

/// What the application says when it is refused.
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

pub(super) async fn all_or_nothing(stage: &Stage) -> Told {
    let db = &stage.db;
    let (one, other) = (rating("all", "a", 1), rating("all", "b", 1));
    db.run(create(&other)).await?;
    let outcome = db.transact((create(&one), create(&other))).await;
    assert!(super::is_refused(&outcome));
    assert_eq!(db.get(Key::of(&one).consistent()).await?, None);
    db.transact((
        create(&one),
        update(Key::of(&other)).set(Rating::stars, 5),
        put(&site("all", db.now())),
        delete(Match::key(id::<MatchId>("all"))),
    ))
    .await?;
    assert!(db.get(Key::of(&one).consistent()).await?.is_some());
    assert_eq!(db.get(Key::of(&other).consistent()).await?.map(|rating| rating.stars), Some(5));
    Ok(())
}

pub(super) async fn the_refused_operation_is_named(stage: &Stage) -> Told {
    let db = &stage.db;
    let (one, other) = (rating("named", "a", 1), rating("named", "b", 1));
    let attempt = async || {
        db.transact((
            create(&one).or(Refusal::Taken),
            update(Key::of(&other)).set(Rating::stars, 2).or(Refusal::NotYours),
            put(&site("named", db.now())),
        ))
        .await
    };
    assert!(matches!(attempt().await, Err(Refusal::NotYours)));
    db.run(create(&other)).await?;
    attempt().await.map_err(|refusal| format!("{refusal:?}"))?;
    assert!(matches!(attempt().await, Err(Refusal::Taken)));
    // An operation without an error of its own is told by the model's.
    let unnamed =
        db.transact((put(&rating("named", "c", 1)).or(Refusal::Taken), create(&other))).await;
    let entity = match &unnamed {
        Err(Refusal::Database(singlet::Error::ConditionFailed { entity, .. })) => *entity,
        _ => "",
    };
    assert_eq!(entity, "Rating", "{unnamed:?}");
    // And so is what is wrong with the operation itself.
    let wrong = super::goal("m", 1, 60_000, "g");
    let wrong = db.transact((put(&wrong).or(Refusal::Taken),)).await;
    assert!(matches!(wrong, Err(Refusal::Database(singlet::Error::Key(_)))), "{wrong:?}");
    Ok(())
}

pub(super) async fn checks_guard(stage: &Stage) -> Told {
    let db = &stage.db;
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
    assert!(matches!(guarded(Match::hour.eq(1)).await, Err(Refusal::NotYours)));
    assert!(guarded(Match::hour.eq(9)).await.is_ok());
    assert!(matches!(guarded(Condition::missing()).await, Err(Refusal::NotYours)));
    Ok(())
}

pub(super) async fn tokens_are_carried_out_once(stage: &Stage) -> Told {
    let db = &stage.db;
    let one = db.run(create(&site("tokens", db.now())).returning_new()).await?;
    let token = format!("token-{}", db.now().as_millis());
    for _ in 0..3 {
        // Time goes by, so that what it would write is not the same any more.
        stage.clock.advance(1000);
        let count = update(Site::key(&one.id)).add(Site::visits, 1);
        db.transact(once(token.as_str(), (count,))).await?;
    }
    let visits = db.get(Site::key(&one.id).consistent()).await?.map(|site| site.visits);
    assert_eq!(visits, Some(1));
    Ok(())
}

pub(super) async fn gathered_one_by_one(stage: &Stage) -> Told {
    let db = &stage.db;
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

/// The embedded engine took what DynamoDB does not.
pub(super) async fn what_is_too_much_is_refused(stage: &Stage) -> Told {
    let db = &stage.db;
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
