//! Resuming the change feed from a stored position.

use super::id;
use crate::sample::Readings;
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet::{Change, Changes, Error, Position};
use singlet_testing::{TestStore, on_every_backend};
use std::collections::BTreeMap;

on_every_backend! {
    a_listener_that_is_killed_goes_on_and_misses_nothing,
    a_position_before_any_change,
    no_position_without_a_stream,
    what_is_no_position,
    a_position_stored_in_the_same_table,
}

id!(ListId, EntryId, Consumer);

/// A separate table, because other stories write values that the SDK cannot read from the streams
/// of DynamoDB Local; see docs/differences.md.
#[table(name = "{env}-positions", key = (PK, SK), stream, entities(Entry, Bookmark))]
struct Lists;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Lists, key = ("LIST#{list}", "ENTRY#{id}"))]
struct Entry {
    list: ListId,
    id: EntryId,
    turn: u8,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Lists, key = ("CONSUMER#{consumer}", "BOOKMARK"))]
struct Bookmark {
    consumer: Consumer,
    position: String,
}

fn entry(list: &str, entry: &str, turn: u8) -> Entry {
    Entry { list: id(list), id: id(entry), turn }
}

async fn open(fixture: &Fixture) -> singlet::Result<Db<Lists>> {
    let db = fixture.open::<Lists>();
    db.provision().await?;
    Ok(db)
}

/// Number of items, and of changes to each.
const ITEMS: usize = 4;
const CHANGES: u8 = 12;

/// The entry and turn of the next change to a list.
async fn next(
    changes: &mut Changes<Lists>,
    list: &ListId,
) -> Result<(String, u8), Box<dyn std::error::Error>> {
    loop {
        match changes.next().await.transpose()? {
            Some(Change::Item { new: Some(ListsItem::Entry(entry)), .. })
                if entry.list == *list =>
            {
                return Ok((entry.id.to_string(), entry.turn));
            }
            // From another story: if a shard was not read yet, slightly older changes are delivered
            // too.
            Some(Change::Item { .. }) => {}
            _ => return Err("the feed fell behind, or ended".into()),
        }
    }
}

async fn a_listener_that_is_killed_goes_on_and_misses_nothing(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = open(fixture).await?;
    let list: ListId = id("killed");
    let mut stored: String = db.changes_of::<Lists>().await?.position()?.to_string();
    let write = async |turn: u8| {
        for item in 0..ITEMS {
            db.run(put(&entry("killed", &format!("e{item}"), turn))).await?;
        }
        Ok::<_, Error>(())
    };
    // Write some changes before reading, and some while reading.
    for turn in 1..=CHANGES / 2 {
        write(turn).await?;
    }
    let mut later = CHANGES / 2 + 1..=CHANGES;
    let mut seen: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let is_over = |seen: &BTreeMap<String, Vec<u8>>| {
        seen.len() == ITEMS && seen.values().all(|turns| turns.contains(&CHANGES))
    };
    let mut round = 0;
    while !is_over(&seen) {
        round += 1;
        let position: Position = stored.parse()?;
        let mut changes = db.changes_of_from::<Lists>(&position).await?;
        for place in 0..5 {
            if is_over(&seen) {
                break;
            }
            let (entry, turn) = next(&mut changes, &list).await?;
            seen.entry(entry).or_default().push(turn);
            // The process is killed after handling the last change, before storing the position.
            if place < 4 {
                stored = changes.position()?.to_string();
            }
        }
        if let Some(turn) = later.next() {
            write(turn).await?;
        }
        assert!(round < 1000, "{seen:?}");
    }
    assert!(round > 3, "it was killed");
    for (entry, mut turns) in seen {
        let all: Vec<u8> = (1..=CHANGES).collect();
        let is_again = turns.len() > all.len();
        // In order, apart from redeliveries.
        assert!(turns.windows(2).all(|two| two[1] <= two[0] + 1), "{entry}: {turns:?}");
        turns.sort_unstable();
        turns.dedup();
        assert_eq!(turns, all, "{entry} {is_again}");
    }
    Ok(())
}

async fn a_position_before_any_change(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = open(fixture).await?;
    let list: ListId = id("first");
    db.run(put(&entry("first", "e", 1))).await?;
    let mut first = db.changes_of::<Lists>().await?;
    let position = first.position()?;
    db.run(put(&entry("first", "e", 2))).await?;
    db.run(put(&entry("first", "e", 3))).await?;
    // Slightly older changes may be delivered too if a shard was not read yet.
    let mut second = db.changes_of_from::<Lists>(&position).await?;
    let mut told = Vec::new();
    while told.last() != Some(&3) {
        told.push(next(&mut second, &list).await?.1);
    }
    assert!(told.ends_with(&[2, 3]), "{told:?}");
    // Both feeds have the same position, behind the same change.
    assert_eq!(next(&mut first, &list).await?.1, 2);
    for position in [first.position()?, second.position()?] {
        db.run(put(&entry("first", "e", 4))).await?;
        db.run(put(&entry("first", "e", 5))).await?;
        let mut third = db.changes_of_from::<Lists>(&position).await?;
        let mut last = 0;
        while last < 5 {
            last = next(&mut third, &list).await?.1;
            assert!(last > 2, "{last}");
        }
    }
    Ok(())
}

async fn no_position_without_a_stream(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let position = open(fixture).await?.changes_of::<Lists>().await?.position()?;
    let db = &fixture.db;
    let outcome = db.changes_of_from::<Readings>(&position).await.err();
    assert!(matches!(outcome, Some(Error::NoStream { .. })), "{outcome:?}");
    // The embedded engine reports new changes even without a stream.
    let outcome = match db.changes_of::<Readings>().await {
        Ok(changes) => changes.position().err(),
        Err(error) => Some(error),
    };
    let Some(Error::NoStream { table }) = &outcome else { panic!("{outcome:?}") };
    assert_eq!(table, db.table_name::<Readings>());
    Ok(())
}

async fn what_is_no_position(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = open(fixture).await?;
    let real = db.changes_of::<Lists>().await?.position()?.to_string();
    let of_another_table = real.replace("-positions", "-other");
    for text in ["a1", "e1", "x;y;z", &of_another_table, &real[1..]] {
        let position: Position = text.parse()?;
        let outcome = db.changes_of_from::<Lists>(&position).await.err();
        assert!(matches!(outcome, Some(Error::Position)), "{text}: {outcome:?}");
    }
    assert!(matches!("".parse::<Position>(), Err(Error::Position)));
    // A recreated stream has a different label.
    let label = real.find("/stream/").ok_or("no label")? + "/stream/".len();
    let anew = format!("{}1999{}", &real[..label], &real[label + 4..]);
    let outcome = db.changes_of_from::<Lists>(&anew.parse()?).await.err();
    assert!(matches!(outcome, Some(Error::PositionExpired { .. })), "{anew}: {outcome:?}");
    Ok(())
}

/// The loop of the docs fed itself: each stored position was the next change.
async fn a_position_stored_in_the_same_table(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = open(fixture).await?;
    let (consumer, list): (Consumer, ListId) = (id("same-table"), id("same-table"));
    let mut changes = db.changes_of::<Lists>().await?.ignoring::<Bookmark>();
    let mut told = Vec::new();
    for turn in 1..=3 {
        db.run(put(&entry("same-table", "e", turn))).await?;
        let entry = loop {
            match changes.next().await.transpose()? {
                Some(Change::Item { new: Some(ListsItem::Entry(entry)), .. }) => {
                    if entry.list == list {
                        break entry;
                    }
                }
                _ => return Err("not an entry".into()),
            }
        };
        told.push(entry.turn);
        let position = changes.position()?.to_string();
        db.run(put(&Bookmark { consumer: consumer.clone(), position })).await?;
    }
    assert_eq!(told, [1, 2, 3], "one write, one change");

    // The same from the stored position. Without `ignoring` the bookmark is a change like others.
    let bookmark = db.get(Bookmark::key(&consumer).consistent()).await?.ok_or("no bookmark")?;
    let position: Position = bookmark.position.parse()?;
    db.run(put(&entry("same-table", "e", 4))).await?;
    let mut changes = db.changes_of_from::<Lists>(&position).await?.ignoring::<Bookmark>();
    assert_eq!(next(&mut changes, &list).await?.1, 4);
    let mut all = db.changes_of_from::<Lists>(&position).await?;
    loop {
        if let Some(Change::Item { new: Some(ListsItem::Bookmark(found)), .. }) =
            all.next().await.transpose()?
        {
            assert_eq!(found, bookmark);
            break;
        }
    }
    Ok(())
}
