//! A work budget does not change the result of an expression, and constant parts are computed once.
//!
//! A filter used to rebuild its search table for every item, even for a text longer than the value,
//! and compared each item with all of 600,000 elements of a list.

use proptest::collection::vec;
use proptest::prelude::*;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::expression::{Condition, Element, Evaluator, Operand, Path};
use singlet_dynamo::fuel::{Fuel, OutOfFuel};
use singlet_dynamo::{Item, Value};
use singlet_testing::naive::{self, Change, Claim, Given, NewValue, Side, build_update};
use singlet_testing::strategy::expression::{changes, conditions, items, values};

/// More often than lists are searched before they are indexed.
const ITEMS: usize = 40;

/// Evaluates with slices of this size, and returns whether that needed another slice.
fn in_slices(evaluator: &mut Evaluator<'_>, item: &Item, slice: u64) -> (bool, bool) {
    let stored = binary::encode(item);
    let mut pauses = 0;
    let mut pause = || {
        pauses += 1;
        true
    };
    let mut fuel = Fuel::sliced(slice, &mut pause);
    let holds = evaluator.matches(Some(ItemRef::new(&stored).unwrap()), &mut fuel).unwrap();
    (holds, pauses > 0)
}

/// The units that an evaluation takes.
fn units(evaluator: &mut Evaluator<'_>, item: &Item) -> u64 {
    let stored = binary::encode(item);
    let mut fuel = Fuel::limited(u64::MAX);
    evaluator.matches(Some(ItemRef::new(&stored).unwrap()), &mut fuel).unwrap();
    u64::MAX - fuel.left()
}

fn attribute(name: &str) -> Path {
    Path::attribute(name).unwrap()
}

fn item(value: Value) -> Item {
    Item::from([("a", value)])
}

/// Texts of two letters, long enough that their search table is cached, and often substrings of
/// each other.
fn texts(lens: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    (vec(prop_oneof![Just(b'a'), Just(b'b')], 1..4), lens)
        .prop_map(|(pattern, len)| pattern.into_iter().cycle().take(len).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn conditions_mean_the_same_in_slices(
        condition in conditions(),
        all in vec(items(), 1..4),
        slice in 1_u64..2000,
    ) {
        let Some(real) = condition.build() else { return Ok(()) };
        let mut evaluator = real.evaluator();
        for item in all.iter().chain(&all) {
            prop_assert_eq!(in_slices(&mut evaluator, item, slice).0, condition.holds(item));
        }
    }

    #[test]
    fn a_limit_ends_an_evaluation_or_changes_nothing(
        condition in conditions(),
        item in items(),
        limit in 0_u64..2000,
    ) {
        let Some(real) = condition.build() else { return Ok(()) };
        let stored = binary::encode(&item);
        let view = ItemRef::new(&stored).unwrap();
        match real.evaluator().matches(Some(view), &mut Fuel::limited(limit)) {
            Ok(holds) => prop_assert_eq!(holds, condition.holds(&item)),
            Err(OutOfFuel) => prop_assert!(units(&mut real.evaluator(), &item) > limit),
        }
    }

    #[test]
    fn an_indexed_list_has_what_it_has(
        list in vec(values(), 32..60),
        others in vec(values(), ITEMS / 2),
        is_in in any::<bool>(),
    ) {
        let wanted = Side::Path(attribute("a"));
        let claim = match is_in {
            true => Claim::In(wanted, list.iter().cloned().map(Side::Value).collect()),
            false => Claim::Contains(Side::Value(Value::L(list.clone())), wanted),
        };
        let real = claim.build().unwrap();
        let mut evaluator = real.evaluator();
        for value in others.into_iter().chain(list.into_iter().take(ITEMS / 2)) {
            let item = item(value);
            prop_assert_eq!(in_slices(&mut evaluator, &item, 1000).0, claim.holds(&item));
        }
        prop_assert!(!in_slices(&mut evaluator, &Item::new(), 1000).0);
    }

    #[test]
    fn a_kept_search_finds_what_is_there(
        part in texts(60..80),
        all in vec((texts(0..60), texts(0..120)), 8),
        is_text in any::<bool>(),
    ) {
        let value = |bytes: &[u8]| match is_text {
            true => Value::S(String::from_utf8(bytes.to_vec()).unwrap()),
            false => Value::B(bytes.to_vec()),
        };
        let claim = Claim::Contains(Side::Path(attribute("a")), Side::Value(value(&part)));
        let real = claim.build().unwrap();
        let mut evaluator = real.evaluator();
        for (before, after) in all {
            for bytes in [[&*before, &part, &*after].concat(), [&*before, &*after].concat()] {
                let item = item(value(&bytes));
                prop_assert_eq!(in_slices(&mut evaluator, &item, 1000).0, claim.holds(&item));
            }
        }
    }

    #[test]
    fn updates_mean_the_same_within_a_limit(
        changes in changes(),
        item in items(),
        limit in 0_u64..5000,
    ) {
        let Some(real) = build_update(&changes) else { return Ok(()) };
        let stored = binary::encode(&item);
        let view = ItemRef::new(&stored).unwrap();
        if let Ok(made) = real.apply_within(Some(view), &Item::new(), &mut Fuel::limited(limit)) {
            prop_assert_eq!(made, naive::update(&changes, &item));
        }
    }

    #[test]
    fn many_changes_mean_the_same_as_few(
        names in vec((0_u8..60, 0_u8..6, values()), 32..80),
        places in vec((0_u32..60, any::<bool>()), 0..40),
        list_len in 0_i64..50,
        map_len in 0_u8..50,
    ) {
        let mut item = Item::new();
        for number in 0..40 {
            item.insert(format!("a{number:02}"), Value::from(i64::from(number)));
        }
        item.insert("list", Value::L((0..list_len).map(Value::from).collect()));
        let field = |number: u8| format!("f{number:02}");
        let fields = (0..map_len).map(|number| (field(number), Value::from(true)));
        item.insert("map", Value::M(fields.collect()));

        let mut changes: Vec<Change> = Vec::new();
        for (number, kind, value) in names {
            let at = |name: &str, element| Path::new(name, vec![element]).unwrap();
            let whole = attribute(&format!("a{number:02}"));
            let set = |path, value| Change::Set(path, NewValue::Operand(Given::Value(value)));
            changes.push(match kind {
                0 => Change::Remove(whole),
                1 => Change::Add(whole, Value::from(1)),
                2 => Change::Remove(at("map", Element::Field(field(number)))),
                3 => set(at("map", Element::Field(field(number))), value),
                _ => set(whole, value),
            });
        }
        for (place, is_set) in places {
            let path = Path::new("list", vec![Element::Index(place)]).unwrap();
            let value = NewValue::Operand(Given::Value(Value::from("set")));
            changes.push(if is_set { Change::Set(path, value) } else { Change::Remove(path) });
        }
        changes.sort_by(|a, b| a.path().cmp(b.path()));
        changes.dedup_by(|a, b| a.path() == b.path());
        let Some(real) = build_update(&changes) else { return Ok(()) };
        let stored = binary::encode(&item);
        let view = ItemRef::new(&stored).unwrap();
        prop_assert_eq!(real.apply(Some(view), &Item::new()), naive::update(&changes, &item));
    }
}

#[test]
fn a_text_that_is_longer_than_the_value_costs_nothing() {
    let word = Operand::Value("ab".repeat(750_000).into());
    let condition = Condition::contains(Operand::Path(attribute("a")), word).unwrap();
    let bytes = Operand::Value(Value::B(vec![7; 1_500_000]));
    let of_bytes = Condition::contains(Operand::Path(attribute("a")), bytes).unwrap();
    assert!(units(&mut condition.evaluator(), &item(Value::from("x".repeat(1000)))) < 1000);
    assert!(units(&mut of_bytes.evaluator(), &item(Value::B(vec![7; 1000]))) < 1000);
}

#[test]
fn a_search_is_prepared_once() {
    let word = Operand::Value("ab".repeat(50_000).into());
    let condition = Condition::contains(Operand::Path(attribute("a")), word).unwrap();
    let item = item(Value::from("ab".repeat(50_000) + "c"));
    let mut evaluator = condition.evaluator();
    let first = units(&mut evaluator, &item);
    let second = units(&mut evaluator, &item);
    assert!(second < first / 2, "{first} {second}");
}

#[test]
fn a_long_list_is_indexed_once() {
    const LEN: u64 = 600_000;
    let list = Value::L((0..LEN).map(|number| Value::from(number as i64)).collect());
    let condition =
        Condition::contains(Operand::Value(list), Operand::Path(attribute("a"))).unwrap();
    let mut evaluator = condition.evaluator();
    let missing = item(Value::from(-1));
    let first = units(&mut evaluator, &missing);
    assert!(first > LEN);
    for _ in 0..ITEMS {
        units(&mut evaluator, &missing);
    }
    let later = units(&mut evaluator, &missing);
    assert!(later < 1000, "{later}");
    let (holds, _) = in_slices(&mut evaluator, &item(Value::from(599_999)), 1000);
    assert!(holds);
}

#[test]
fn constant_parts_are_computed_once() {
    let text = || Operand::Value("ab".repeat(500_000).into());
    let condition = Condition::contains(text(), Operand::Value("abc".into())).unwrap();
    let mut evaluator = condition.evaluator();
    let nothing = Item::new();
    assert!(units(&mut evaluator, &nothing) > 1_000_000);
    assert!(units(&mut evaluator, &nothing) < 100);
}

#[test]
fn a_long_evaluation_is_paused_within_one_item() {
    let tests = (0..100).map(|number| {
        let word = Operand::Value(format!("abac{number}").into());
        Condition::contains(Operand::Path(attribute("a")), word).unwrap()
    });
    let condition = Condition::or(tests.collect()).unwrap();
    let item = item(Value::from("ab".repeat(150_000)));
    let (holds, is_paused) = in_slices(&mut condition.evaluator(), &item, 1_000_000);
    assert!(!holds && is_paused);
}

/// Each of many actions used to search the whole item, and each inserted or removed element moved
/// all those behind it: a minute for one request.
#[test]
fn many_actions_take_linear_time() {
    // `AttributeUpdates` may have 10,000 of them.
    const LEN: usize = 9_000;
    let mut item = Item::new();
    for number in 0..LEN {
        item.insert(format!("a{number:05}"), Value::from(true));
    }
    let stored = binary::encode(&item);
    // As legacy parameters, which are not limited in number.
    let body = |first: char| {
        let one = |number: usize| {
            format!(r#""{first}{number:05}x":{{"Action":"PUT","Value":{{"BOOL":true}}}}"#)
        };
        let updates: Vec<String> = (0..LEN).map(one).collect();
        format!(
            r#"{{"TableName":"table","Key":{{"pk":{{"S":"k"}}}},"AttributeUpdates":{{{}}}}}"#,
            updates.join(",")
        )
    };
    for first in ['A', 'a', 'b'] {
        let request =
            singlet_dynamo::operation::UpdateItem::from_json(body(first).as_bytes()).unwrap();
        let mut fuel = Fuel::limited(u64::MAX);
        let view = ItemRef::new(&stored).unwrap();
        let made = request.update.unwrap().apply_within(Some(view), &Item::new(), &mut fuel);
        assert_eq!(made.unwrap().unwrap().len(), 2 * LEN);
        assert!(u64::MAX - fuel.left() < 1000 * LEN as u64);
    }
}
