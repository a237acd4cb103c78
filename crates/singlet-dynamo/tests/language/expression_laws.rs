//! Expressions agree with a second, naive evaluation, and survive printing and parsing. No text
//! causes a panic, a stack overflow or a long run.

use proptest::prelude::*;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::expression::{
    Comparator, Condition, KeyCondition, KeyTest, Parameter, Placeholders, Printer, Projection,
    Update,
};
use singlet_dynamo::schema::{KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType};
use singlet_dynamo::{Item, Value};
use singlet_testing::fuzz::{Random, growth, mutate};
use singlet_testing::naive::{self, Claim, build_update, changes_of};
use singlet_testing::strategy::expression::{changes, conditions, items, paths, values};
use singlet_testing::{cases, strategy};
use std::cmp::Ordering;

/// The placeholders in a printer's output.
fn placeholders(printer: &Printer<'_>) -> Placeholders {
    let mut placeholders = Placeholders::default();
    let mut json = singlet_dynamo::json::Writer::new();
    json.object(|object| {
        for (key, name) in printer.names() {
            object.string(&key, name);
        }
    });
    let names = json.into_bytes();
    let values: Item = printer.values().map(|(key, value)| (key, value.clone())).collect();
    let values = values.to_json();
    let read = |json: &[u8], read: &mut dyn FnMut(&mut singlet_dynamo::json::Reader<'_>)| {
        read(&mut singlet_dynamo::json::Reader::new(json).unwrap());
    };
    if printer.names().len() > 0 {
        read(&names, &mut |reader| placeholders.read_names(reader).unwrap());
    }
    if printer.values().len() > 0 {
        read(&values, &mut |reader| placeholders.read_values(reader).unwrap());
    }
    placeholders.check().unwrap();
    placeholders
}

fn keys_of_one_type() -> impl Strategy<Value = [Value; 3]> {
    use proptest::array::uniform3;
    prop_oneof![
        uniform3(strategy::text().prop_map(Value::S)),
        uniform3(strategy::number().prop_map(Value::N)),
        uniform3(strategy::blob().prop_map(Value::B)),
    ]
}

fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::S(a), Value::S(b)) => a.cmp(b),
        (Value::N(a), Value::N(b)) => a.cmp(b),
        (Value::B(a), Value::B(b)) => a.cmp(b),
        _ => unreachable!("of one type"),
    }
}

/// One of the tests of a key attribute, if its type supports it.
fn key_test(which: u8, value: &Value, other: &Value) -> Option<KeyTest> {
    let compare = |comparator| Some(KeyTest::Compare(comparator, value.clone()));
    match which {
        0 => compare(Comparator::Equal),
        1 => compare(Comparator::Less),
        2 => compare(Comparator::LessOrEqual),
        3 => compare(Comparator::Greater),
        4 => compare(Comparator::GreaterOrEqual),
        5 => {
            let (low, high) =
                if order(value, other).is_gt() { (other, value) } else { (value, other) };
            Some(KeyTest::Between(low.clone(), high.clone()))
        }
        _ if matches!(value, Value::N(_)) => None,
        _ => Some(KeyTest::BeginsWith(value.clone())),
    }
}

fn passes(value: &Value, test: &KeyTest) -> bool {
    match test {
        KeyTest::Compare(comparator, other) => match comparator {
            Comparator::Equal => order(value, other).is_eq(),
            Comparator::NotEqual => order(value, other).is_ne(),
            Comparator::Less => order(value, other).is_lt(),
            Comparator::LessOrEqual => order(value, other).is_le(),
            Comparator::Greater => order(value, other).is_gt(),
            Comparator::GreaterOrEqual => order(value, other).is_ge(),
        },
        KeyTest::Between(low, high) => order(value, low).is_ge() && order(value, high).is_le(),
        KeyTest::BeginsWith(prefix) => match (value, prefix) {
            (Value::S(value), Value::S(prefix)) => value.starts_with(prefix.as_str()),
            (Value::B(value), Value::B(prefix)) => value.starts_with(prefix),
            _ => false,
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn conditions_mean_the_same_to_both(condition in conditions(), item in items()) {
        let Some(real) = condition.build() else { return Ok(()) };
        let stored = binary::encode(&item);
        let view = ItemRef::new(&stored).unwrap();
        prop_assert_eq!(real.matches(Some(view)), condition.holds(&item));
        prop_assert_eq!(real.matches(None), condition.holds(&Item::new()));
        // Taking it apart again loses nothing.
        prop_assert_eq!(Claim::of(&real).holds(&item), condition.holds(&item));
    }

    #[test]
    fn conditions_are_printed_and_read_again(condition in conditions()) {
        let Some(real) = condition.build() else { return Ok(()) };
        let mut printer = Printer::new();
        let text = printer.condition(&real);
        let mut placeholders = placeholders(&printer);
        let read = Condition::parse(&text, Parameter::ConditionExpression, &mut placeholders);
        prop_assert_eq!(read.unwrap(), real, "{}", text);
        placeholders.check_all_used().unwrap();
    }

    #[test]
    fn updates_mean_the_same_to_both(changes in changes(), item in items()) {
        let Some(real) = build_update(&changes) else { return Ok(()) };
        let stored = binary::encode(&item);
        let made = real.apply(Some(ItemRef::new(&stored).unwrap()), &Item::new());
        match (made, naive::update(&changes, &item)) {
            (Ok(made), Ok(expected)) => {
                prop_assert_eq!(&made, &expected);
                // The result can be stored.
                prop_assert!(ItemRef::new(&binary::encode(&made)).is_ok());
            }
            (made, expected) => prop_assert_eq!(made, expected),
        }
        let again = naive::update(&changes_of(&real), &item);
        prop_assert_eq!(again, naive::update(&changes, &item));
    }

    #[test]
    fn an_update_of_a_missing_item_starts_from_its_key(changes in changes(), key in items()) {
        // Removing from a missing item has no effect, for any path.
        let kept: Vec<_> = changes.iter().filter(|change| !change.removes()).cloned().collect();
        let Some(real) = build_update(&changes) else { return Ok(()) };
        let stored = binary::encode(&key);
        let view = ItemRef::new(&stored).unwrap();
        let expected = match build_update(&kept) {
            Some(kept) => kept.apply(Some(view), &Item::new()),
            None => Ok(key.clone()),
        };
        prop_assert_eq!(real.apply(None, &key), expected);
        prop_assert_eq!(real.updated_old(None), Item::new());
    }

    #[test]
    fn updates_are_printed_and_read_again(changes in changes()) {
        let Some(real) = build_update(&changes) else { return Ok(()) };
        let mut printer = Printer::new();
        let text = printer.update(&real);
        let mut placeholders = placeholders(&printer);
        let read = Update::parse(&text, Parameter::UpdateExpression, &mut placeholders);
        prop_assert_eq!(read.unwrap(), real, "{}", text);
        placeholders.check_all_used().unwrap();
    }

    #[test]
    fn an_update_returns_what_it_changed(changes in changes(), item in items()) {
        let Some(real) = build_update(&changes) else { return Ok(()) };
        let stored = binary::encode(&item);
        let old = ItemRef::new(&stored).unwrap();
        let Ok(new) = real.apply(Some(old), &Item::new()) else { return Ok(()) };
        let changed: Vec<_> = changes.iter().map(|change| change.path().clone()).collect();
        prop_assert_eq!(real.updated_old(Some(old)), naive::project(&changed, &item));
        let stored = binary::encode(&new);
        let after = real.updated_new(ItemRef::new(&stored).unwrap());
        prop_assert_eq!(after, naive::project(&changed, &new));
    }

    #[test]
    fn projections_mean_the_same_to_both(
        paths in proptest::collection::vec(paths(), 1..5),
        item in items(),
    ) {
        let Ok(real) = Projection::new(paths.clone()) else { return Ok(()) };
        let stored = binary::encode(&item);
        let view = ItemRef::new(&stored).unwrap();
        prop_assert_eq!(real.project(view), naive::project(&paths, &item));
        let whole: Option<Vec<&str>> = real.whole_attributes().map(Iterator::collect);
        prop_assert_eq!(whole.is_some(), paths.iter().all(|path| path.is_attribute()));

        let mut printer = Printer::new();
        let text = printer.projection(&real);
        let mut placeholders = placeholders(&printer);
        let read = Projection::parse(&text, Parameter::ProjectionExpression, &mut placeholders);
        prop_assert_eq!(read.unwrap(), real, "{}", text);
    }

    #[test]
    fn keys_sort_attribute_by_attribute(
        values in proptest::collection::vec((keys_of_one_type(), any::<bool>()), 1..=8),
    ) {
        let names: Vec<String> = (0..values.len()).map(|place| format!("k{place}")).collect();
        let mut elements = Vec::new();
        let [mut one, mut other] = [Item::new(), Item::new()];
        let mut expected = Ordering::Equal;
        for (place, (([a, b, _], is_same), name)) in values.iter().zip(&names).enumerate() {
            let b = if *is_same { a } else { b };
            if [a, b].iter().any(|value| value.size() == 0) {
                return Ok(());
            }
            let role = if place < values.len().div_ceil(2) { KeyRole::Hash } else { KeyRole::Range };
            let kind = KeyType::from_name(a.kind().as_str()).unwrap();
            elements.push((KeyAttribute::new(name.as_str(), kind), role));
            one.insert(name.as_str(), a.clone());
            other.insert(name.as_str(), b.clone());
            expected = expected.then(order(a, b));
        }
        let schema = KeySchema::new(elements, KeyLimits::Composite).unwrap();
        let [one_key, other_key] = [&one, &other].map(|item| schema.key_of_item(item).unwrap());
        prop_assert_eq!(one_key.as_bytes().cmp(other_key.as_bytes()), expected);
        prop_assert_eq!(schema.attributes_of(&one_key), Some(one));
    }

    /// Equalities on the first sort attributes, then any test of the next one, with or without
    /// further attributes of other types.
    #[test]
    fn key_conditions_are_ranges_of_bytes(
        asked in proptest::collection::vec((keys_of_one_type(), any::<bool>()), 1..=4),
        last_test in 0..7_u8,
        count in 1..=4_usize,
    ) {
        let nonempty = |value: &Value| *value != Value::from("") && *value != Value::B(vec![]);
        let mut elements = vec![(KeyAttribute::new("pk", KeyType::S), KeyRole::Hash)];
        let mut item = Item::from([("pk", Value::from("p"))]);
        let mut condition = KeyCondition::partition("pk", Value::from("p"));
        let mut expected = true;
        for (place, ([value, other, own], is_same)) in asked.iter().enumerate() {
            if !nonempty(value) || !nonempty(other) || !nonempty(own) {
                return Ok(());
            }
            let own = if *is_same { value } else { own };
            let name = format!("sk{place}");
            let kind = KeyType::from_name(value.kind().as_str()).unwrap();
            elements.push((KeyAttribute::new(name.as_str(), kind), KeyRole::Range));
            item.insert(name.as_str(), own.clone());
            let count = count.min(asked.len());
            if place < count {
                let which = if place + 1 == count { last_test } else { 0 };
                let Some(test) = key_test(which, value, other) else { return Ok(()) };
                expected &= passes(own, &test);
                condition = condition.and(name, test).unwrap();
            }
        }
        let schema = KeySchema::new(elements, KeyLimits::Composite).unwrap();
        let key = schema.key_of_item(&item).unwrap();
        let range = condition.range(&schema, None).unwrap();
        prop_assert_eq!(range.contains(&key), expected, "{:?} {:?}", range, key);
        // Any bytes may follow the sort key, as the rest of a row's key does.
        for following in [&b""[..], b"\0", b"\0\0\0", b"\xff\xff\xff", b"x"] {
            let row = [key.sort_bytes(), following].concat();
            prop_assert_eq!(range.sort_bytes().contains(&row), expected, "{:?} {:?}", range, row);
        }

        let mut printer = Printer::new();
        let text = printer.key_condition(&condition);
        let parameter = Parameter::KeyConditionExpression;
        let read = Condition::parse(&text, parameter, &mut placeholders(&printer)).unwrap();
        prop_assert_eq!(KeyCondition::from_condition(read).unwrap(), condition, "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\u{e9}\u{1f600}]{0,60}", value in values()) {
        read_as_everything(&text, value);
    }
}

/// Parses a text as each kind of expression. Accepted ones are printed and parsed again.
fn read_as_everything(text: &str, value: Value) {
    let mut all = Placeholders::of(
        &[("#a", "a"), ("#b", "b")],
        [(":n", Value::from(1)), (":s", Value::from("s")), (":v", value)],
    );
    let item = Item::from([("a", Value::from(1)), ("b", Value::L(vec![Value::from(2)]))]);
    let stored = binary::encode(&item);
    let view = ItemRef::new(&stored).unwrap();
    if let Ok(condition) = Condition::parse(text, Parameter::FilterExpression, &mut all) {
        let _ = condition.matches(Some(view));
        let mut printer = Printer::new();
        let printed = printer.condition(&condition);
        let again =
            Condition::parse(&printed, Parameter::FilterExpression, &mut placeholders(&printer));
        // Placeholders may be longer than their names, which can make the text too long.
        if printed.len() <= singlet_dynamo::expression::SIZE_MAX {
            assert_eq!(again.unwrap(), condition, "{text} printed as {printed}");
        }
        let _ = KeyCondition::from_condition(condition);
    }
    if let Ok(update) = Update::parse(text, Parameter::UpdateExpression, &mut all) {
        let _ = update.apply(Some(view), &Item::new());
        let mut printer = Printer::new();
        let printed = printer.update(&update);
        let again =
            Update::parse(&printed, Parameter::UpdateExpression, &mut placeholders(&printer));
        if printed.len() <= singlet_dynamo::expression::SIZE_MAX {
            assert_eq!(again.unwrap(), update, "{text} printed as {printed}");
        }
    }
    if let Ok(projection) = Projection::parse(text, Parameter::ProjectionExpression, &mut all) {
        let _ = projection.project(view);
    }
}

/// The expressions of all cases.
fn expressions() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for case in cases::load().unwrap() {
        let mut rest = case.request.body.as_str();
        while let Some((_, after)) = rest.split_once("Expression\":\"") {
            let (text, after) = after.split_once('"').unwrap_or((after, ""));
            all.push(text.as_bytes().to_vec());
            rest = after;
        }
    }
    assert!(all.len() > 400, "only {} expressions", all.len());
    all
}

#[test]
fn damaged_expressions_are_read_or_refused() {
    let seeds = expressions();
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let input = mutate(&seeds, &mut random);
        read_as_everything(&String::from_utf8_lossy(&input), Value::from(1));
    }
}

/// Texts that overflow the stack of a recursive parser, evaluator or destructor.
fn hostile(size: usize) -> Vec<String> {
    let repeated = |start: &str, piece: &str, middle: &str, end: &str, last: &str| {
        let room = size - start.len() - middle.len() - last.len();
        let count = room / (piece.len() + end.len());
        [start, &piece.repeat(count), middle, &end.repeat(count), last].concat()
    };
    vec![
        repeated("", "(", "", "", ""),
        repeated("", "(", "a", ")", " = :n"),
        repeated("", "NOT ", "a = :n", "", ""),
        repeated("", "NOT (", "a = :n", ")", ""),
        repeated("", "size(", "a", ")", " = :n"),
        repeated("", "(a=b AND ", "a=b", ")", ""),
        repeated("", "(a=b AND (a=b OR ", "a=b", "))", ""),
        repeated("", "a=b AND ", "a=b", "", ""),
        repeated("", "a=b OR ", "a=b", "", ""),
        repeated("a IN (", "b,", "b", "", ")"),
        repeated("", "a.", "a", "", " = :n"),
        repeated("a", "[0]", "", "", " = :n"),
        repeated("SET a = ", "if_not_exists(b,", "c", ")", ""),
        repeated("SET a = ", "(", "b", ")", ""),
        repeated("SET a = b", " + b", "", "", ""),
        repeated("REMOVE ", "a,", "a", "", ""),
        repeated("", "a,", "a", "", ""),
        repeated("", "[", "", "", ""),
        repeated("", "a[0],", "a", "", ""),
    ]
}

#[test]
fn no_expression_overflows_a_small_stack() {
    // The default stack size of threads, in a build without optimisation.
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(|| {
        for size in [100, 1000, 2000, 4096] {
            for text in hostile(size) {
                read_as_everything(&text, Value::from(1));
            }
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn a_longer_expression_takes_longer_in_proportion() {
    for (which, text) in hostile(512).iter().enumerate() {
        let grown = growth(
            512,
            |size| hostile(size)[which].clone().into_bytes(),
            |input| {
                let text = std::str::from_utf8(input).unwrap();
                for _ in 0..20 {
                    read_as_everything(text, Value::from(1));
                }
            },
        );
        assert!(grown.is_linear(), "{grown:?} for {text}");
    }
}
