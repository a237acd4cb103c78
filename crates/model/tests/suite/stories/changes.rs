//! The change feed.

use super::{id, rating};
use crate::sample::{Rating, Sample, SampleItem, UserId};
use crate::{Stage, Told};
use singlet::Change;
use singlet::prelude::*;

pub(super) async fn the_feed_tells_entities(stage: &Stage) -> Told {
    let db = &stage.db;
    let user: UserId = id("feed");
    let mut changes = db.changes_of::<Sample>().await?;
    let one = rating("feed", "s", 1);
    db.run(create(&one)).await?;
    db.run(update(Key::of(&one)).set(Rating::stars, 2)).await?;
    db.run(delete(Key::of(&one))).await?;
    let mut told = Vec::new();
    while told.len() < 3 {
        let Some(Change::Item { old, new, is_expiry }) = changes.next().await? else {
            return Err("the feed ended".into());
        };
        let stars = |item: Option<SampleItem>| match item {
            Some(SampleItem::Rating(rating)) if rating.user == user => Some(rating.stars),
            _ => None,
        };
        assert!(!is_expiry);
        told.push((stars(old), stars(new)));
    }
    assert_eq!(told, [(None, Some(1)), (Some(1), Some(2)), (Some(2), None)]);
    Ok(())
}
