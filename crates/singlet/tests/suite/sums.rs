//! No sequence of additions makes an item unreadable.

use crate::stories::arithmetic::{Counter, Counters, counter};
use proptest::prelude::*;
use singlet::prelude::*;
use singlet::{Error, block_on};
use std::collections::BTreeMap;

/// One addition: the field, the amount, and the kind of request.
#[derive(Clone, Copy, Debug)]
struct Addition {
    field: usize,
    amount: i128,
    sent: usize,
}

fn addition() -> impl Strategy<Value = Addition> {
    let near = |end: i128| (end - 2)..=(end + 2);
    let amount = prop_oneof![
        -300_i128..300,
        near(0),
        near(i128::from(u8::MAX)),
        near(i128::from(u16::MAX)),
        near(i128::from(u64::MAX)),
        near(-i128::from(u64::MAX)),
        Just(i128::MAX),
        Just(i128::MIN),
    ];
    (0..7_usize, amount, 0..3_usize).prop_map(|(field, amount, sent)| Addition {
        field,
        amount,
        sent,
    })
}

/// The sum, if its type can hold it.
fn sum<T: TryFrom<i128>>(number: impl Into<i128>, amount: i128) -> Option<T> {
    number.into().checked_add(amount).and_then(|sum| T::try_from(sum).ok())
}

/// The counter after the addition, if the sum fits.
fn added(mut one: Counter, Addition { field, amount, .. }: Addition) -> Option<Counter> {
    let entry = |one: &Counter, name: &str| one.per_day.get(name).copied().unwrap_or(0);
    match field {
        0 => one.value = sum(one.value, amount)?,
        1 => one.small = sum(one.small, amount)?,
        2 => one.signed = sum(one.signed, amount)?,
        3 => one.maybe = Some(sum(one.maybe.unwrap_or(0), amount)?),
        4 => one.score = sum(one.score, amount)?,
        5 => {
            let sum = sum(entry(&one, "monday"), amount)?;
            one.per_day.insert("monday".to_owned(), sum);
        }
        _ => {
            let sum = sum(entry(&one, "sunday"), amount)?;
            one.per_day.insert("sunday".to_owned(), sum);
        }
    }
    Some(one)
}

async fn add(db: &Db<Counters>, one: &Counter, addition: Addition) -> singlet::Result<()> {
    let Addition { field, amount, sent } = addition;
    let change = || match sent {
        0 => upsert(Key::of(one))
            .set(Counter::BOARD, one.board.clone())
            .set_if_missing(Counter::PREVIOUS, 0)
            .set_if_missing(Counter::LIMIT, 0)
            .set_if_missing(Counter::QUOTA, 0)
            .set_if_missing(Counter::RATIO, 0.0)
            .set_if_missing(Counter::EXACT, one.exact),
        _ => update(Key::of(one)),
    };
    // An upsert must set all fields, including the one added to.
    let whole = || match sent {
        0 => {
            let mut whole = change();
            if field != 0 {
                whole = whole.set_if_missing(Counter::VALUE, 0);
            }
            if field != 1 {
                whole = whole.set_if_missing(Counter::SMALL, 0);
            }
            if field != 2 {
                whole = whole.set_if_missing(Counter::SIGNED, 0);
            }
            if field != 4 {
                whole = whole.set_if_missing(Counter::SCORE, 0);
            }
            if field < 5 {
                whole = whole.set_if_missing(Counter::PER_DAY, BTreeMap::new());
            }
            whole
        }
        _ => change(),
    };
    let operation = match field {
        0 => whole().add(Counter::VALUE, amount),
        1 => whole().add(Counter::SMALL, amount),
        2 => whole().add(Counter::SIGNED, amount),
        3 => whole().add(Counter::MAYBE, amount),
        4 => whole().add(Counter::SCORE, amount),
        // An upsert cannot create a map and add to one of its entries.
        5 => update(Key::of(one)).add(Counter::PER_DAY.entry("monday"), amount),
        _ => update(Key::of(one)).add(Counter::PER_DAY.entry("sunday"), amount),
    };
    match sent {
        2 => db.transact((operation,)).await,
        _ => db.run(operation).await,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_additions_make_an_item_unreadable(additions in prop::collection::vec(addition(), 1..40)) {
        block_on(async {
            let db = Db::<Counters>::memory().await.unwrap();
            let mut one = counter("sums");
            db.run(create(&one)).await.unwrap();
            for addition in additions {
                let outcome = add(&db, &one, addition).await;
                match added(one.clone(), addition) {
                    Some(fits) => {
                        assert!(outcome.is_ok(), "{addition:?} {one:?}: {outcome:?}");
                        one = fits;
                    }
                    None => {
                        // DynamoDB numbers have at most 38 digits.
                        let is_refused =
                            matches!(outcome, Err(Error::OutOfRange(_) | Error::NotStorable(_)));
                        assert!(is_refused, "{addition:?} {one:?}: {outcome:?}");
                    }
                }
                let stored = db.get(Key::of(&one).consistent()).await.unwrap();
                assert_eq!(stored.as_ref(), Some(&one), "{addition:?}");
            }
        });
    }
}
