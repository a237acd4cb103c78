//! Writing whole entities.

use super::{id, is_refused, rating, site};
use crate::sample::{Rating, Site};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    a_new_item_is_created_once,
    an_item_is_replaced,
    what_the_model_keeps,
    versions_lock,
    deleting_gives_back_what_was_there,
}

async fn a_new_item_is_created_once(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let first = rating("once", "s", 3);
    db.run(create(&first)).await?;
    let second = db.run(create(&rating("once", "s", 5))).await;
    let Err(singlet::Error::ConditionFailed { entity, item: Some(item), .. }) = second else {
        return Err(format!("{second:?}").into());
    };
    // The error contains the existing item.
    assert_eq!((entity, item.get("stars")), ("Rating", Some(&3.into())));
    assert_eq!(db.get(Rating::key(&first.user, &first.site).consistent()).await?, Some(first));
    Ok(())
}

async fn an_item_is_replaced(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (three, five) = (rating("replaced", "s", 3), rating("replaced", "s", 5));
    assert_eq!(db.run(put(&three).returning_old()).await?, None);
    assert_eq!(db.run(put(&five).returning_old()).await?, Some(three.clone()));
    assert_eq!(db.run(put(&five).returning_new()).await?, five);
    assert!(is_refused(&db.run(put(&three).only_if(Rating::STARS.lt(4))).await));
    db.run(put(&three).only_if(Rating::STARS.eq(5)).only_if(Rating::NOTE.missing())).await?;
    assert_eq!(db.get(Key::of(&three).consistent()).await?, Some(three));
    Ok(())
}

async fn what_the_model_keeps(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let begun = db.now();
    let long_ago = Timestamp::from_millis(0);
    let new = Site { created_at: long_ago, updated_at: long_ago, ..site("kept", begun) };
    // `created_at` is set to now, regardless of the struct.
    let new = db.run(create(&new).returning_new()).await?;
    assert_eq!((new.created_at, new.updated_at, new.version), (begun, begun, 1));

    fixture.clock.advance(1500);
    let changed = db.run(put(&new).returning_new()).await?;
    assert_eq!((changed.created_at, changed.updated_at), (begun, db.now()));
    fixture.clock.advance(1500);
    let changed = db.run(update(Site::key(&new.id)).set(Site::TITLE, "T").returning_new()).await?;
    assert_eq!((changed.created_at, changed.updated_at, changed.version), (begun, db.now(), 3));
    Ok(())
}

async fn versions_lock(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    // Version zero means that the item must not exist yet.
    let mine = db.run(put(&site("versions", db.now())).returning_new()).await?;
    assert_eq!(mine.version, 1);
    assert!(is_refused(&db.run(put(&site("versions", db.now()))).await));

    let mut theirs = db.get(Site::key(&mine.id).consistent()).await?.ok_or("gone")?;
    theirs.title = "Theirs".into();
    db.run(put(&theirs)).await?;
    assert!(is_refused(&db.run(put(&mine)).await), "it was changed since it was read");
    let stored = db.get(Site::key(&mine.id).consistent()).await?.ok_or("gone")?;
    assert_eq!((stored.title.as_str(), stored.version), ("Theirs", 2));

    let guarded = |version: u64| {
        update(Site::key(&mine.id)).add(Site::VISITS, 1).only_if(Site::VERSION.eq(version))
    };
    assert!(is_refused(&db.run(guarded(1)).await));
    db.run(guarded(2)).await?;
    Ok(())
}

async fn deleting_gives_back_what_was_there(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = rating("deleted", "s", 3);
    let key =
        || Rating::key(id::<crate::sample::UserId>("deleted"), id::<crate::sample::SiteId>("s"));
    db.run(delete(key())).await?;
    assert!(is_refused(&db.run(delete(key()).only_if(Condition::exists())).await));
    db.run(put(&one)).await?;
    assert!(is_refused(&db.run(delete(key()).only_if(Rating::STARS.eq(4))).await));
    assert_eq!(db.run(delete(key()).returning_old()).await?, Some(one));
    assert_eq!(db.run(delete(key()).returning_old()).await?, None);
    Ok(())
}
