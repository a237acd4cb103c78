//! Going on from a stored position of the change feed.

use super::{id, rating};
use crate::sample::{Readings, Sample, SampleItem, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet::{Change, Changes, Error, Position};
use std::collections::BTreeMap;

/// How many items are changed, and how often each.
const ITEMS: usize = 4;
const CHANGES: u8 = 12;

/// The site and the stars of the next change of a rating of this user.
async fn next(
    changes: &mut Changes<Sample>,
    user: &UserId,
) -> Result<(String, u8), Box<dyn std::error::Error>> {
    loop {
        let change = match changes.next().await {
            // From another story: where nothing was read of a shard, changes from shortly before
            // come as well.
            Err(Error::Corrupt(_)) => continue,
            change => change?,
        };
        match change {
            Some(Change::Item { new: Some(SampleItem::Rating(rating)), .. })
                if rating.user == *user =>
            {
                return Ok((rating.site.to_string(), rating.stars));
            }
            Some(Change::Item { .. }) => {}
            _ => return Err("the feed fell behind, or ended".into()),
        }
    }
}

pub(super) async fn a_listener_that_is_killed_goes_on_and_misses_nothing(
    fixture: &Fixture,
) -> TestResult {
    let db = &fixture.db;
    let user: UserId = id("positions");
    let mut stored: String = db.changes_of::<Sample>().await?.position()?.to_string();
    let write = async |stars: u8| {
        for item in 0..ITEMS {
            db.run(put(&rating("positions", &format!("s{item}"), stars))).await?;
        }
        Ok::<_, Error>(())
    };
    // Some of it before anybody goes on, some of it while it is read.
    for stars in 1..=CHANGES / 2 {
        write(stars).await?;
    }
    let mut later = CHANGES / 2 + 1..=CHANGES;
    let mut seen: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let is_over = |seen: &BTreeMap<String, Vec<u8>>| {
        seen.len() == ITEMS && seen.values().all(|stars| stars.contains(&CHANGES))
    };
    let mut round = 0;
    while !is_over(&seen) {
        round += 1;
        let position: Position = stored.parse()?;
        let mut changes = db.changes_of_from::<Sample>(&position).await?;
        for place in 0..5 {
            if is_over(&seen) {
                break;
            }
            let (site, stars) = next(&mut changes, &user).await?;
            seen.entry(site).or_default().push(stars);
            // The last one was worked on, and the process is killed before it stores the position.
            if place < 4 {
                stored = changes.position()?.to_string();
            }
        }
        if let Some(stars) = later.next() {
            write(stars).await?;
        }
        assert!(round < 1000, "{seen:?}");
    }
    assert!(round > 3, "it was killed");
    for (site, mut stars) in seen {
        let all: Vec<u8> = (1..=CHANGES).collect();
        let is_again = stars.len() > all.len();
        // In their order, once those are left out that came again.
        assert!(stars.windows(2).all(|two| two[1] <= two[0] + 1), "{site}: {stars:?}");
        stars.sort_unstable();
        stars.dedup();
        assert_eq!(stars, all, "{site} {is_again}");
    }
    Ok(())
}

pub(super) async fn a_position_before_any_change(fixture: &Fixture) -> TestResult {
    let db = &fixture.db;
    let user: UserId = id("position-first");
    db.run(put(&rating("position-first", "s", 1))).await?;
    let mut first = db.changes_of::<Sample>().await?;
    let position = first.position()?;
    db.run(put(&rating("position-first", "s", 2))).await?;
    db.run(put(&rating("position-first", "s", 3))).await?;
    // Changes from shortly before may come as well, where nothing was read of a shard.
    let mut second = db.changes_of_from::<Sample>(&position).await?;
    let mut told = Vec::new();
    while told.last() != Some(&3) {
        told.push(next(&mut second, &user).await?.1);
    }
    assert!(told.ends_with(&[2, 3]), "{told:?}");
    // From both kinds of feed, behind the same change.
    assert_eq!(next(&mut first, &user).await?.1, 2);
    for position in [first.position()?, second.position()?] {
        db.run(put(&rating("position-first", "s", 4))).await?;
        db.run(put(&rating("position-first", "s", 5))).await?;
        let mut third = db.changes_of_from::<Sample>(&position).await?;
        let mut last = 0;
        while last < 5 {
            last = next(&mut third, &user).await?.1;
            assert!(last > 2, "{last}");
        }
    }
    Ok(())
}

pub(super) async fn no_position_without_a_stream(fixture: &Fixture) -> TestResult {
    let db = &fixture.db;
    let position = db.changes_of::<Sample>().await?.position()?;
    let outcome = db.changes_of_from::<Readings>(&position).await.err();
    assert!(matches!(outcome, Some(Error::NoStream { .. })), "{outcome:?}");
    // The embedded engine tells of changes without a stream, from now on.
    let outcome = match db.changes_of::<Readings>().await {
        Ok(changes) => changes.position().err(),
        Err(error) => Some(error),
    };
    let Some(Error::NoStream { table }) = &outcome else { panic!("{outcome:?}") };
    assert_eq!(table, db.table_name::<Readings>());
    Ok(())
}

pub(super) async fn what_is_no_position(fixture: &Fixture) -> TestResult {
    let db = &fixture.db;
    let real = db.changes_of::<Sample>().await?.position()?.to_string();
    let of_another_table = real.replace("-sample", "-other");
    for text in ["a1", "e1", "x;y;z", &of_another_table, &real[1..]] {
        let position: Position = text.parse()?;
        let outcome = db.changes_of_from::<Sample>(&position).await.err();
        assert!(matches!(outcome, Some(Error::Position)), "{text}: {outcome:?}");
    }
    assert!(matches!("".parse::<Position>(), Err(Error::Position)));
    // A stream that was made anew has another label.
    let label = real.find("/stream/").ok_or("no label")? + "/stream/".len();
    let anew = format!("{}1999{}", &real[..label], &real[label + 4..]);
    let outcome = db.changes_of_from::<Sample>(&anew.parse()?).await.err();
    assert!(matches!(outcome, Some(Error::PositionExpired { .. })), "{anew}: {outcome:?}");
    Ok(())
}
