//! Expired items are hidden from the second they expire, deleted or not.

use super::{id, is_refused};
use crate::sample::{Session, SessionId, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use std::time::Duration;

on_every_backend! {
    expired_items_are_gone,
    an_expired_item_does_not_block,
    an_expired_item_is_not_updated,
    an_upsert_begins_anew,
}

fn session(user: &str, id: &str, fixture: &Fixture, seconds: u64) -> Session {
    let now = fixture.db.now();
    Session {
        user: self::id(user),
        id: self::id(id),
        device: "phone".into(),
        seen: None,
        opened_at: now,
        expires: Some(Expiry::at(now.after(Duration::from_secs(seconds)))),
    }
}

async fn expired_items_are_gone(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("gone");
    let (soon, later) =
        (session("gone", "soon", fixture, 10), session("gone", "later", fixture, 3600));
    let (soon, later) = (
        db.run(create(&soon).returning_new()).await?,
        db.run(create(&later).returning_new()).await?,
    );
    fixture.clock.advance(9_999);
    assert_eq!(db.query(Session::of(&user).consistent()).count().await?, 2);
    fixture.clock.advance(1);
    let key = || Session::key(&user, id::<SessionId>("soon"));
    assert_eq!(db.get(key().consistent()).await?, None);
    assert_eq!(db.query(Session::of(&user).consistent()).all().await?, [later.clone()]);
    assert_eq!(db.query(Session::of(&user).consistent()).count().await?, 1);
    assert_eq!(db.get_many([key(), Key::of(&later)]).await?, [None, Some(later.clone())]);
    assert_eq!(db.get_together((key(), Key::of(&later))).await?, (None, Some(later)));
    let everywhere = db.query(Session::all_sessions()).all().await?;
    assert!(everywhere.iter().all(|session| session.id != soon.id));
    // `with_expired` still returns it.
    assert_eq!(db.get(key().consistent().with_expired()).await?, Some(soon.clone()));
    let all = db.query(Session::of(&user).consistent().with_expired()).all().await?;
    assert_eq!(all.len(), 2);
    assert_eq!(db.run(delete(key()).returning_old()).await?, None);
    Ok(())
}

async fn an_expired_item_does_not_block(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    db.run(create(&session("block", "s", fixture, 5))).await?;
    assert!(is_refused(&db.run(create(&session("block", "s", fixture, 5))).await));
    fixture.clock.advance(5_000);
    let again = Session { device: "tablet".into(), ..session("block", "s", fixture, 5) };
    db.run(create(&again)).await?;
    assert!(is_refused(&db.run(create(&again)).await));
    // A condition treats an expired item as missing.
    fixture.clock.advance(5_000);
    assert!(is_refused(&db.run(put(&again).only_if(Session::DEVICE.eq("tablet"))).await));
    db.run(put(&again).only_if(Session::DEVICE.missing())).await?;
    Ok(())
}

async fn an_expired_item_is_not_updated(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = session("stale", "s", fixture, 5);
    db.run(create(&one)).await?;
    let touch = || update(Key::of(&one)).set(Session::SEEN, 1);
    db.run(touch()).await?;
    fixture.clock.advance(5_000);
    assert!(is_refused(&db.run(touch()).await));
    assert!(is_refused(&db.transact((check(Key::of(&one)),)).await));
    Ok(())
}

async fn an_upsert_begins_anew(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = session("anew", "s", fixture, 5);
    let first = db.now();
    let open = |fixture: &Fixture, device: &str| {
        let expires = Expiry::at(fixture.db.now().after(Duration::from_secs(5)));
        upsert(Key::of(&one)).set(Session::DEVICE, device).set(Session::EXPIRES, expires)
    };
    db.run(open(fixture, "phone").set(Session::SEEN, 7)).await?;
    fixture.clock.advance(1_000);
    let same = db.run(open(fixture, "tablet").returning_new()).await?;
    assert_eq!((same.opened_at, same.seen), (first, Some(7)), "the item is still there");
    fixture.clock.advance(5_000);
    let anew = db.run(open(fixture, "watch").returning_new()).await?;
    assert_eq!(
        (anew.opened_at, anew.seen),
        (db.now(), None),
        "nothing of the expired item is left"
    );
    let found = db.query(Session::all_sessions().with(db.now())).all().await?;
    assert!(found.contains(&anew));
    // In a transaction too.
    fixture.clock.advance(6_000);
    db.transact((open(fixture, "phone"), put(&super::rating("anew", "s", 1)))).await?;
    let stored = db.get(Key::of(&one).consistent()).await?.ok_or("gone")?;
    assert_eq!((stored.opened_at, stored.device.as_str()), (db.now(), "phone"));
    Ok(())
}
