//! Updating list elements and map entries.

use super::{id, is_invalid, is_refused};
use crate::{Fixture, TestResult};
use singlet::dynamo::expression::Fault;
use singlet::prelude::*;
use singlet::{Db, Error};
use singlet_testing::{TestStore, on_every_backend};
use std::collections::{BTreeMap, BTreeSet};

on_every_backend! {
    they_are_removed,
    they_are_set,
    nothing_keeps_its_place_in_a_list,
    nothing_keeps_its_key_in_a_map,
    one_part_changes_once,
    none_of_no_values,
}

id!(BoardId);

#[table(name = "{env}-boards", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Board))]
pub(crate) struct Boards;

#[derive(Attribute, Clone, Debug, PartialEq)]
pub(crate) struct Card {
    pub(crate) title: String,
    pub(crate) note: Option<String>,
    pub(crate) votes: Vec<u32>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Boards, key = ("BOARD#{id}", "METADATA"), GSI1 by_owner = ("OWNERS", "{owner}"))]
pub(crate) struct Board {
    pub(crate) id: BoardId,
    #[attribute(in_key)]
    pub(crate) owner: BoardId,
    pub(crate) cards: Vec<Card>,
    pub(crate) slots: Vec<Option<u32>>,
    pub(crate) counts: BTreeMap<String, u32>,
    pub(crate) lanes: BTreeMap<String, Vec<u32>>,
    pub(crate) labels: BTreeMap<String, BTreeSet<String>>,
    pub(crate) marks: BTreeMap<String, Option<u32>>,
    pub(crate) title: Option<String>,
}

fn card(title: &str) -> Card {
    Card { title: title.into(), note: Some("n".into()), votes: vec![1] }
}

async fn stored(fixture: &Fixture, name: &str) -> singlet::Result<(Db<Boards>, Board)> {
    let db = fixture.open::<Boards>();
    db.provision().await?;
    let board = Board {
        id: id(name),
        owner: id(name),
        cards: vec![card("a"), card("b"), card("c")],
        slots: vec![Some(0), Some(1), Some(2)],
        counts: [("x".to_owned(), 1), ("y".to_owned(), 2)].into(),
        lanes: [("left".to_owned(), vec![1, 2])].into(),
        labels: [("one".to_owned(), ["red".to_owned()].into()), ("none".to_owned(), [].into())]
            .into(),
        marks: [("x".to_owned(), Some(1)), ("y".to_owned(), None)].into(),
        title: Some("t".into()),
    };
    db.run(put(&board)).await?;
    Ok((db, board))
}

async fn they_are_removed(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "removed").await?;
    let changed = db
        .run(
            update(Key::of(&one))
                .remove(Board::CARDS.at(0))
                .remove(Board::CARDS.at(2))
                .remove(Board::COUNTS.entry("x"))
                .remove(Board::COUNTS.entry("not-there"))
                .remove(Board::LANES.entry("left").at(1))
                .remove(Board::SLOTS.at(9))
                .returning_new(),
        )
        .await?;
    assert_eq!(changed.cards, [card("b")]);
    assert_eq!(changed.counts, [("y".to_owned(), 2)].into());
    assert_eq!(changed.lanes, [("left".to_owned(), vec![1])].into());
    assert_eq!(changed.slots, one.slots);
    let changed = db
        .run(
            update(Key::of(&one))
                .remove(Board::CARDS.at(0).member(Card::NOTE))
                .remove(Board::LANES.entry("left"))
                .only_if(Board::CARDS.at(0).member(Card::NOTE).exists())
                .returning_new(),
        )
        .await?;
    assert_eq!(changed.cards, [Card { note: None, ..card("b") }]);
    assert!(changed.lanes.is_empty());
    Ok(())
}

async fn they_are_set(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "set").await?;
    let changed = db
        .run(
            update(Key::of(&one))
                .set(Board::CARDS.at(1), card("second"))
                .set(Board::CARDS.at(0).member(Card::TITLE), "first")
                .append(Board::CARDS.at(2).member(Card::VOTES), [2, 3])
                .set(Board::COUNTS.entry("z"), 3)
                .set_if_missing(Board::COUNTS.entry("x"), 9)
                .append(Board::LANES.entry("left"), [3])
                .append(Board::LANES.entry("right"), [4])
                .insert(Board::LABELS.entry("one"), ["blue".to_owned()])
                .returning_new(),
        )
        .await?;
    let titles: Vec<&str> = changed.cards.iter().map(|card| card.title.as_str()).collect();
    assert_eq!(titles, ["first", "second", "c"]);
    assert_eq!(changed.cards[2].votes, [1, 2, 3]);
    let counts = ["x", "y", "z"].map(|name| changed.counts.get(name).copied());
    assert_eq!(counts, [Some(1), Some(2), Some(3)]);
    assert_eq!(changed.lanes.get("left"), Some(&vec![1, 2, 3]));
    assert_eq!(changed.lanes.get("right"), Some(&vec![4]));
    assert_eq!(changed.labels.get("one").map(BTreeSet::len), Some(2));
    // Setting past the end of a list appends.
    let changed = db.run(update(Key::of(&one)).set(Board::SLOTS.at(7), 7).returning_new()).await?;
    assert_eq!(changed.slots, [Some(0), Some(1), Some(2), Some(7)]);
    // A missing map has no elements to set.
    let nowhere = Board::LANES.entry("nowhere").at(0);
    assert!(is_invalid(&db.run(update(Key::of(&one)).set(nowhere, 1)).await));
    Ok(())
}

/// Regression: setting a list element to `None` removed it and shifted the elements after it.
async fn nothing_keeps_its_place_in_a_list(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "nothing").await?;
    let changed =
        db.run(update(Key::of(&one)).set(Board::SLOTS.at(1), None).returning_new()).await?;
    assert_eq!(changed.slots, [Some(0), None, Some(2)]);
    let missing = update(Key::of(&one)).set(Board::SLOTS.at(1), 1);
    let missing = missing.only_if(Board::SLOTS.at(1).missing().and(Board::SLOTS.at(2).exists()));
    assert_eq!(db.run(missing.returning_new()).await?.slots, one.slots);
    Ok(())
}

/// Regression: an entry without a value was not stored, and setting an entry to `None` removed it;
/// both lost the key.
async fn nothing_keeps_its_key_in_a_map(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "no-value").await?;
    assert_eq!(db.get(Key::of(&one).consistent()).await?.as_ref(), Some(&one));
    let empty = update(Key::of(&one)).set(Board::MARKS.entry("x"), None);
    let changed = db.run(empty.returning_new()).await?;
    assert_eq!(changed.marks, ["x", "y"].map(|key| (key.to_owned(), None)).into());
    let (x, z) = (|| Board::MARKS.entry("x"), || Board::MARKS.entry("z"));
    let filled = update(Key::of(&one)).set(x(), 2).remove(Board::MARKS.entry("y"));
    let filled = filled.only_if(x().missing().and(z().missing()).and(!Board::MARKS.missing()));
    let changed = db.run(filled.returning_new()).await?;
    assert_eq!(changed.marks, [("x".to_owned(), Some(2))].into());
    let outcome = db.run(update(Key::of(&one)).remove(x()).only_if(x().missing())).await;
    assert!(is_refused(&outcome), "{outcome:?}");
    // An empty set in a map is stored as NULL and can only be set as a whole.
    let none = || Board::LABELS.entry("none");
    let outcome = db.run(update(Key::of(&one)).insert(none(), ["red".to_owned()])).await;
    assert!(is_invalid(&outcome), "{outcome:?}");
    let labels = BTreeSet::from(["red".to_owned()]);
    let changed = db.run(update(Key::of(&one)).set(none(), &labels).returning_new()).await?;
    assert_eq!(changed.labels.get("none"), Some(&labels));
    Ok(())
}

async fn one_part_changes_once(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "overlap").await?;
    let change = || update(Key::of(&one));
    let owner = || id::<BoardId>("other");
    let overlapping = [
        change().set(Board::TITLE, "a").remove(Board::TITLE),
        change().set(Board::TITLE, "a").set(Board::TITLE, "b"),
        change().set(Board::COUNTS, BTreeMap::new()).remove(Board::COUNTS.entry("x")),
        change().add(Board::COUNTS.entry("x"), 1).set(Board::COUNTS.entry("x"), 1),
        change().append(Board::CARDS, [card("d")]).remove(Board::CARDS.at(0)),
        change().set(Board::OWNER, owner()).set(Board::OWNER, one.owner.clone()),
    ];
    for (place, update) in overlapping.into_iter().enumerate() {
        let outcome = db.run(update).await;
        let is_overlap = matches!(outcome, Err(Error::Expression(Fault::Overlap(..))));
        assert!(is_overlap, "{place}: {outcome:?}");
    }
    let in_transaction = change().set(Board::TITLE, "a").remove(Board::TITLE);
    let outcome = db.transact((in_transaction,)).await;
    assert!(matches!(outcome, Err(Error::Expression(Fault::Overlap(..)))), "{outcome:?}");
    assert_eq!(db.get(Key::of(&one).consistent()).await?, Some(one));
    Ok(())
}

/// Regression: an empty list of values was rejected as an empty expression.
async fn none_of_no_values(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "none").await?;
    let among = |titles: &[&'static str]| Board::TITLE.is_in(titles.iter().copied());
    let outcome = db.run(delete(Key::of(&one)).only_if(among(&[]))).await;
    assert!(is_refused(&outcome), "{outcome:?}");
    let found = async |condition| db.query(Board::by_owner().filter(condition)).all().await;
    assert_eq!(found(among(&[])).await?, []);
    assert!(!found(among(&["t", "u"])).await?.is_empty());
    assert!(!found(!among(&[])).await?.is_empty());
    db.run(delete(Key::of(&one)).only_if(!among(&[]))).await?;
    Ok(())
}
