//! Additions stay within the range of the field's type.

use super::{id, is_invalid, is_refused};
use crate::{Fixture, TestResult};
use singlet::dynamo::Number;
use singlet::operation::OutOfRange;
use singlet::prelude::*;
use singlet::{Db, Error};
use singlet_testing::{TestStore, on_every_backend};
use std::collections::BTreeMap;
use std::time::Duration;

on_every_backend! {
    a_sum_that_does_not_fit_is_refused,
    sums_reach_the_ends_of_their_ranges,
    every_kind_of_amount,
    an_upsert_counts_from_zero,
    a_condition_comes_before_a_range,
    an_index_key_can_be_added_to,
    a_field_is_set_from_another,
    fields_are_compared_with_fields,
}

id!(CounterId, LeaseId);

#[table(
    name = "{env}-counters",
    key = (PK),
    index(byScore = (board, score: N)),
    ttl = TTL,
    entities(Counter, Lease)
)]
pub(crate) struct Counters;

/// The score alone is the sort key of the index.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Counters, key = ("COUNTER#{id}"), byScore leaders = ("{board}", "{score}"))]
pub(crate) struct Counter {
    pub(crate) id: CounterId,
    pub(crate) board: String,
    pub(crate) score: u32,
    pub(crate) value: u64,
    pub(crate) small: u8,
    pub(crate) previous: u8,
    pub(crate) limit: u8,
    pub(crate) quota: u16,
    pub(crate) signed: i8,
    pub(crate) maybe: Option<u16>,
    #[attribute(null)]
    pub(crate) nullable: Option<u8>,
    pub(crate) ratio: f64,
    pub(crate) exact: Number,
    pub(crate) per_day: BTreeMap<String, u8>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Counters, key = ("LEASE#{id}"))]
pub(crate) struct Lease {
    pub(crate) id: LeaseId,
    pub(crate) uses: u8,
    #[attribute(ttl)]
    pub(crate) until: Expiry,
}

pub(crate) fn counter(id: &str) -> Counter {
    Counter {
        id: self::id(id),
        board: id.to_owned(),
        score: 0,
        value: 1,
        small: 250,
        previous: 0,
        limit: 7,
        quota: 7,
        signed: -120,
        maybe: None,
        nullable: None,
        ratio: 1.0,
        exact: Number::from(1),
        per_day: [("monday".to_owned(), 250)].into(),
    }
}

async fn stored(fixture: &Fixture, id: &str) -> singlet::Result<(Db<Counters>, Counter)> {
    let db = fixture.open::<Counters>();
    db.provision().await?;
    let counter = counter(id);
    db.run(put(&counter)).await?;
    Ok((db, counter))
}

fn out_of_range<T: std::fmt::Debug>(outcome: Result<T, Error>) -> OutOfRange {
    match outcome {
        Err(Error::OutOfRange(sum)) => *sum,
        other => panic!("{other:?}"),
    }
}

/// Regression: an `add` out of the type's range succeeded, and every later read failed.
async fn a_sum_that_does_not_fit_is_refused(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "refused").await?;
    let change = || update(Key::of(&one));
    let outcomes = [
        db.run(change().add(Counter::VALUE, -5)).await,
        db.run(change().add(Counter::SMALL, 10)).await,
        db.run(change().add(Counter::SIGNED, -10)).await,
        db.run(change().add(Counter::MAYBE, -1)).await,
        db.run(change().add(Counter::PER_DAY.entry("monday"), 10)).await,
        db.run(change().add(Counter::PER_DAY.entry("sunday"), 256)).await,
        db.run(change().set_sum(Counter::PREVIOUS, Counter::SMALL, 6)).await,
        db.transact((change().add(Counter::VALUE, -5),)).await,
    ];
    let texts = outcomes.map(|outcome| {
        let text = out_of_range(outcome).to_string();
        let (text, item) = text.split_once(" (").unwrap();
        assert!(item.starts_with("Counter PK = `") && item.contains("refused"), "{item}");
        text.to_owned()
    });
    let expected = [
        "`value` of Counter holds numbers from 0 to 18446744073709551615, and 1 + -5 is not one",
        "`small` of Counter holds numbers from 0 to 255, and 250 + 10 is not one",
        "`signed` of Counter holds numbers from -128 to 127, and -120 + -10 is not one",
        "`maybe` of Counter holds numbers from 0 to 65535, and 0 + -1 is not one",
        "`per_day.monday` of Counter holds numbers from 0 to 255, and 250 + 10 is not one",
        "`per_day.sunday` of Counter holds numbers from 0 to 255, and 0 + 256 is not one",
        "`previous` of Counter holds numbers from 0 to 255, and 250 + 6 is not one",
        "`value` of Counter holds numbers from 0 to 18446744073709551615, and 1 + -5 is not one",
    ];
    assert_eq!(texts, expected);
    assert_eq!(db.get(Key::of(&one).consistent()).await?, Some(one));
    Ok(())
}

async fn sums_reach_the_ends_of_their_ranges(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "ends").await?;
    let change = || update(Key::of(&one));
    let changed = db
        .run(
            change()
                .add(Counter::VALUE, -1)
                .add(Counter::SMALL, 5)
                .add(Counter::SIGNED, -8)
                .add(Counter::MAYBE, 65_535)
                .add(Counter::PER_DAY.entry("monday"), -250)
                .add(Counter::PER_DAY.entry("sunday"), 255)
                .returning_new(),
        )
        .await?;
    assert_eq!((changed.value, changed.small, changed.signed), (0, 255, -128));
    assert_eq!(changed.maybe, Some(u16::MAX));
    assert_eq!(changed.per_day, [("monday".to_owned(), 0), ("sunday".to_owned(), 255)].into());
    // One sum out of range rejects the whole update.
    let outcome = db.run(change().add(Counter::VALUE, 1).add(Counter::MAYBE, 1)).await;
    assert_eq!(out_of_range(outcome).field, "maybe");
    assert_eq!(db.get(Key::of(&one).consistent()).await?, Some(changed));
    Ok(())
}

async fn every_kind_of_amount(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "amounts").await?;
    let change = || update(Key::of(&one));
    let changed = db
        .run(
            change()
                .add(Counter::VALUE, u64::MAX - 1)
                .add(Counter::SMALL, 1_u8)
                .add(Counter::SIGNED, 1_i128)
                .add(Counter::RATIO, 0.5)
                .add(Counter::EXACT, "1e-20".parse::<Number>()?)
                .returning_new(),
        )
        .await?;
    assert_eq!((changed.value, changed.small, changed.signed), (u64::MAX, 251, -119));
    assert_eq!((changed.ratio, changed.exact), (1.5, "1.00000000000000000001".parse()?));
    let changed =
        db.run(change().add(Counter::RATIO, -2).add(Counter::EXACT, 0.25).returning_new()).await?;
    assert_eq!((changed.ratio, changed.exact), (-0.5, "1.25000000000000000001".parse()?));
    // NULL is not a missing number.
    let outcome = db.run(change().add(Counter::NULLABLE, 1)).await;
    assert!(is_invalid(&outcome), "{outcome:?}");
    db.run(change().set(Counter::NULLABLE, 1)).await?;
    db.run(change().add(Counter::NULLABLE, 254)).await?;
    assert_eq!(out_of_range(db.run(change().add(Counter::NULLABLE, 1)).await).max, 255.into());
    let outcome = db.run(change().add(Counter::RATIO, f64::NAN)).await;
    assert!(matches!(outcome, Err(Error::NotStorable(_))), "{outcome:?}");
    Ok(())
}

async fn an_upsert_counts_from_zero(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Counters>();
    db.provision().await?;
    let later = Expiry::at(db.now().after(Duration::from_secs(3600)));
    let past = Expiry::at(db.now().before(Duration::from_secs(3600)));
    let id: LeaseId = id("lease");
    let use_it =
        |uses: i32| upsert(Lease::key(&id)).add(Lease::USES, uses).set(Lease::UNTIL, later);
    assert_eq!(out_of_range(db.run(use_it(-1)).await).stored, None);
    assert_eq!(out_of_range(db.transact((use_it(256),)).await).stored, None);
    assert_eq!(db.run(use_it(200).returning_new()).await?.uses, 200);
    assert_eq!(out_of_range(db.run(use_it(56)).await).stored, Some(Number::from(200)));
    assert_eq!(db.run(use_it(55).returning_new()).await?.uses, 255);
    // An expired item counts as missing, so counting restarts at zero.
    db.run(put(&Lease { id: id.clone(), uses: 200, until: past })).await?;
    assert_eq!(out_of_range(db.run(use_it(-1)).await).stored, None);
    assert_eq!(db.run(use_it(100).returning_new()).await?.uses, 100);
    db.run(put(&Lease { id: id.clone(), uses: 200, until: past })).await?;
    db.transact((use_it(101),)).await?;
    assert_eq!(db.get(Lease::key(&id).consistent()).await?.map(|lease| lease.uses), Some(101));
    Ok(())
}

/// An application's error type.
#[derive(Debug)]
enum Refusal {
    NoneLeft,
    Database(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// A failed condition and an out-of-range sum are separate errors.
async fn a_condition_comes_before_a_range(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "order").await?;
    let take = |count: i32| update(Key::of(&one)).add(Counter::VALUE, -count);
    let outcome = db.run(take(2).only_if(Counter::VALUE.ge(2))).await;
    assert!(is_refused(&outcome), "{outcome:?}");
    let sum = out_of_range(db.run(take(2).only_if(Counter::VALUE.ge(1))).await);
    assert_eq!((sum.stored, sum.amount), (Some(Number::from(1)), Number::from(-2)));

    let guarded = |least: u64| take(2).only_if(Counter::VALUE.ge(least)).or(Refusal::NoneLeft);
    assert!(matches!(db.run(guarded(2)).await, Err(Refusal::NoneLeft)));
    assert!(matches!(db.transact((guarded(2),)).await, Err(Refusal::NoneLeft)));
    let outcomes = [db.run(guarded(1)).await, db.transact((guarded(1),)).await];
    for outcome in outcomes {
        assert!(matches!(outcome, Err(Refusal::Database(Error::OutOfRange(_)))), "{outcome:?}");
    }
    // A missing item is a failed condition, not an out-of-range sum.
    let nobody = update(Counter::key(id::<CounterId>("nobody"))).add(Counter::VALUE, -2);
    assert!(is_refused(&db.run(nobody).await));
    Ok(())
}

async fn an_index_key_can_be_added_to(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "leaders-1").await?;
    let board = "leaders".to_owned();
    let other = Counter { id: id("leaders-2"), score: 5, ..one.clone() };
    for counter in [&one, &other] {
        db.run(put(&Counter { board: board.clone(), ..counter.clone() })).await?;
    }
    let leaders = async || {
        let found = db.query(Counter::leaders(board.clone()).descending()).all().await?;
        Ok::<Vec<CounterId>, Error>(found.into_iter().map(|one| one.id).collect())
    };
    assert_eq!(leaders().await?, [other.id.clone(), one.id.clone()]);
    db.run(update(Key::of(&one)).add(Counter::SCORE, 7)).await?;
    assert_eq!(leaders().await?, [one.id.clone(), other.id.clone()]);
    let outcome = db.run(update(Key::of(&one)).add(Counter::SCORE, -8)).await;
    assert_eq!(out_of_range(outcome).field, "score");
    Ok(())
}

async fn a_field_is_set_from_another(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "from").await?;
    let change = || update(Key::of(&one));
    // All actions of an update see the old item.
    let changed = db
        .run(
            change()
                .set_from(Counter::PREVIOUS, Counter::SMALL)
                .add(Counter::SMALL, -1)
                .set_from(Counter::PER_DAY.entry("tuesday"), Counter::PER_DAY.entry("monday"))
                .returning_new(),
        )
        .await?;
    assert_eq!((changed.previous, changed.small), (250, 249));
    assert_eq!(changed.per_day.get("tuesday"), Some(&250));
    let changed =
        db.run(change().set_sum(Counter::PREVIOUS, Counter::SMALL, 6).returning_new()).await?;
    assert_eq!(changed.previous, 255);
    let outcome = db.run(change().set_sum(Counter::PREVIOUS, Counter::SMALL, -250)).await;
    assert_eq!(out_of_range(outcome).stored, Some(Number::from(249)));
    // A missing value cannot be copied.
    let sunday = || Counter::PER_DAY.entry("sunday");
    assert!(is_invalid(&db.run(change().set_from(Counter::PREVIOUS, sunday())).await));
    assert!(is_invalid(&db.run(change().set_sum(Counter::PREVIOUS, sunday(), -1)).await));
    Ok(())
}

async fn fields_are_compared_with_fields(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, one) = stored(fixture, "compared").await?;
    let one = Counter { small: 7, previous: 5, maybe: Some(7), ..one };
    db.run(put(&one)).await?;
    let monday = || Counter::PER_DAY.entry("monday");
    let holding = [
        Counter::SMALL.gt(Counter::PREVIOUS),
        Counter::PREVIOUS.lt(Counter::SMALL).and(Counter::PREVIOUS.le(Counter::SMALL)),
        Counter::SMALL.ne(Counter::PREVIOUS),
        Counter::SMALL.ge(Counter::PREVIOUS),
        Counter::SMALL.between(Counter::PREVIOUS, monday()),
        Counter::SMALL.is_in([Counter::PREVIOUS, Counter::LIMIT]),
        monday().gt(Counter::SMALL),
        Counter::LIMIT.eq(Counter::SMALL),
        // One of the two may be missing.
        Counter::MAYBE.eq(Counter::QUOTA),
        Counter::QUOTA.ge(Counter::MAYBE),
    ];
    for (place, condition) in holding.into_iter().enumerate() {
        let outcome =
            db.run(update(Key::of(&one)).set(Counter::BOARD, "b").only_if(condition)).await;
        assert!(outcome.is_ok(), "{place}: {outcome:?}");
    }
    let failing = [
        Counter::SMALL.eq(Counter::PREVIOUS),
        Counter::SMALL.lt(Counter::PREVIOUS),
        Counter::SMALL.lt(Counter::PER_DAY.entry("sunday")),
    ];
    for condition in failing {
        assert!(is_refused(&db.run(delete(Key::of(&one)).only_if(condition)).await));
    }
    // DynamoDB rejects comparing a field with itself; so does the library.
    let outcome = db.run(delete(Key::of(&one)).only_if(Counter::SMALL.eq(Counter::SMALL))).await;
    assert!(matches!(outcome, Err(Error::Expression(_))), "{outcome:?}");
    Ok(())
}
