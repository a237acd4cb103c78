//! The target `expression`: parse, print and evaluate every kind of expression.

use crate::cases;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::expression::{
    Condition, KeyCondition, Parameter, Placeholders, Printer, Projection, SIZE_MAX, Update,
};
use singlet_dynamo::json::{Reader, Writer};
use singlet_dynamo::{Error, Item, Value};
use std::collections::BTreeMap;

/// The item that expressions are applied to. It has every type, and nested values.
const ITEM: &str = r##"{"a":{"M":{"b":{"L":[{"N":"1"},{"S":"x"},{"M":{"c":{"NULL":true}}}]},"c":{"N":"-2.5"}}},
    "b":{"S":"text"},"c":{"N":"42"},"d":{"B":"AAEC"},"e":{"SS":["x","y"]},"f":{"NS":["1","2"]},
    "g":{"BS":["AA=="]},"h":{"BOOL":true},"l":{"L":[{"N":"1"},{"L":[{"S":"deep"}]}]},"pk":{"S":"p"}}"##;

/// Parses the input as each kind of expression, with every placeholder defined. An accepted
/// expression must survive printing and apply to an item without a panic.
pub fn expression(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let item = Item::from_json(ITEM.as_bytes()).expect("the item is one");
    let stored = binary::encode(&item);
    let stored = ItemRef::new(&stored).expect("the item is one");
    let meanings = Meanings::of_placeholders_in(text, &item);

    let parameter = Parameter::ConditionExpression;
    if let Ok(condition) = Condition::parse(text, parameter, &mut meanings.placeholders()) {
        let _ = condition.matches(None);
        let found = condition.matches(Some(stored));
        if let Some(again) = printed_and_parsed(
            |printer| printer.condition(&condition),
            |text, placeholders| Condition::parse(text, parameter, placeholders),
        ) {
            assert_eq!(again, condition);
            assert_eq!(again.matches(Some(stored)), found);
        }
        // A key condition is a restricted condition.
        if let Ok(key_condition) = KeyCondition::from_condition(condition)
            && let Some(again) = printed_and_parsed(
                |printer| printer.key_condition(&key_condition),
                |text, placeholders| {
                    Condition::parse(text, parameter, placeholders)
                        .and_then(KeyCondition::from_condition)
                },
            )
        {
            assert_eq!(again, key_condition);
        }
    }

    let parameter = Parameter::ProjectionExpression;
    if let Ok(projection) = Projection::parse(text, parameter, &mut meanings.placeholders()) {
        let _ = projection.project(stored);
        if let Some(again) = printed_and_parsed(
            |printer| printer.projection(&projection),
            |text, placeholders| Projection::parse(text, parameter, placeholders),
        ) {
            assert_eq!(again, projection);
        }
    }

    let parameter = Parameter::UpdateExpression;
    if let Ok(update) = Update::parse(text, parameter, &mut meanings.placeholders()) {
        // The result may be refused as too large or too deep.
        let _ = update.apply(Some(stored), &Item::new());
        let _ = update.apply(None, &Item::new());
        let _ = update.updated_old(Some(stored));
        let _ = update.updated_new(stored);
        if let Some(again) = printed_and_parsed(
            |printer| printer.update(&update),
            |text, placeholders| Update::parse(text, parameter, placeholders),
        ) {
            assert_eq!(again, update);
        }
    }
}

/// Prints and parses again. `None` if the printed text is too long to parse: a placeholder may be
/// longer than the name it replaces.
fn printed_and_parsed<'v, T>(
    print: impl FnOnce(&mut Printer<'v>) -> String,
    parse: impl FnOnce(&str, &mut Placeholders) -> Result<T, Error>,
) -> Option<T> {
    let mut printer = Printer::new();
    let printed = print(&mut printer);
    if printed.len() > SIZE_MAX {
        return None;
    }
    let parsed = parse(&printed, &mut Meanings::of(&printer));
    Some(parsed.unwrap_or_else(|error| panic!("{printed}: {error}")))
}

/// Names and values of placeholders.
#[derive(Default)]
struct Meanings {
    names: BTreeMap<String, String>,
    values: BTreeMap<String, Value>,
}

impl Meanings {
    /// Defines every placeholder in a text. Its letters choose one of the item's attributes.
    fn of_placeholders_in(text: &str, item: &Item) -> Self {
        let mut meanings = Self::default();
        for (at, sign) in text.match_indices(['#', ':']) {
            let word = text.get(at + 1..).unwrap_or_default();
            let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
            let key = text.get(at..=at + end).unwrap_or_default().to_owned();
            let choice = key.bytes().map(usize::from).sum::<usize>();
            if sign == "#" {
                let names = ["a", "b", "c", "d", "e", "f", "l", "pk", "a.b", "size"];
                meanings.names.insert(key, names[choice % names.len()].to_owned());
            } else {
                let value = item.iter().nth(choice % item.len()).map(|(_, value)| value.clone());
                meanings.values.insert(key, value.unwrap_or(Value::Null));
            }
        }
        meanings
    }

    /// The placeholders that a printer assigned.
    fn of(printer: &Printer<'_>) -> Placeholders {
        let names = printer.names().map(|(key, name)| (key, name.to_owned()));
        let values = printer.values().map(|(key, value)| (key, value.clone()));
        Self { names: names.collect(), values: values.collect() }.placeholders()
    }

    /// The placeholders, read from JSON as in a request.
    fn placeholders(&self) -> Placeholders {
        let mut names = Writer::new();
        names.object(|object| {
            for (key, name) in &self.names {
                object.string(key, name);
            }
        });
        let mut values = Writer::new();
        values.object(|object| {
            for (key, value) in &self.values {
                object.member(key, |writer| value.write_json(writer));
            }
        });
        let (names, values) = (names.into_bytes(), values.into_bytes());
        let mut placeholders = Placeholders::default();
        let read = Reader::new(&names)
            .and_then(|mut reader| placeholders.read_names(&mut reader))
            .and_then(|()| Reader::new(&values))
            .and_then(|mut reader| placeholders.read_values(&mut reader));
        read.expect("placeholders can be read");
        placeholders
    }
}

/// The expressions of all cases, and a few more.
pub(super) fn expressions() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = [
        "a = :a AND (b <> :b OR NOT c BETWEEN :c AND :d) AND attribute_exists(a.b[0])",
        "size(a) > :n AND contains(e, :s) OR begins_with(b, :p) AND attribute_type(h, :t)",
        "a IN (:a, :b, :c) AND attribute_not_exists(#gone)",
        "pk = :p AND sk BETWEEN :a AND :b",
        "a.b[0], b, #c.d, l[1][0]",
        "SET a.b[1] = :x, c = c + :n, l = list_append(l, :l), z = if_not_exists(z, :z) REMOVE b",
        "ADD c :n, e :s DELETE f :f SET d = :d REMOVE l[0], l[1]",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    for case in cases::load().expect("the case files can be read") {
        let marks = case.request.body.match_indices("Expression\":\"");
        seeds.extend(marks.filter_map(|(at, mark)| {
            let text = case.request.body.get(at + mark.len()..)?;
            Some(text.split('"').next()?.as_bytes().to_vec())
        }));
    }
    seeds
}
