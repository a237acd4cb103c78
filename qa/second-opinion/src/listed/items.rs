//! How items are written.

use super::{Explains, Rule};
use crate::difference::{Difference, Exchange};
use crate::outcome::{Outcome, number, sort_key};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "Numbers keep the form in which they came",
        is_rare: false,
        explains: Explains::When(number_form),
    },
    Rule { name: "Streams lose empty maps", is_rare: false, explains: Explains::When(empty_map) },
    Rule {
        name: "A query that reaches its limit at its last item",
        is_rare: true,
        explains: Explains::When(last_possible_item),
    },
    Rule {
        name: "Keys that are equal numbers are one key",
        is_rare: true,
        explains: Explains::When(equal_keys),
    },
    Rule { name: "Long keys in key conditions", is_rare: true, explains: Explains::When(long_key) },
    Rule { name: "Digits of other scripts", is_rare: true, explains: Explains::When(other_digits) },
    Rule {
        name: "Filters on an index see what it holds",
        is_rare: true,
        explains: Explains::When(unprojected_filter),
    },
    Rule {
        name: "Names without an expression",
        is_rare: true,
        explains: Explains::When(needless_names),
    },
];

/// An empty map comes out of Local's streams as a value without a type.
fn empty_map(exchange: &Exchange, difference: &Difference) -> bool {
    exchange.operation == "GetRecords"
        && matches!(difference, Difference::Member { path, ours: Some(Value::Object(map)), local: None }
            if path.ends_with("/M") && map.is_empty())
}

/// We give a key to go on from whenever the limit is reached. Local does not if it knows that
/// no other item can follow: the last one has the greatest key that was asked for.
fn last_possible_item(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member {
        path,
        ours: Some(Value::Array(ours)),
        local: Some(Value::Array(local)),
    } = difference
    else {
        return false;
    };
    let [before @ .., empty] = ours.as_slice() else {
        return false;
    };
    let without_key = |page: &Value| {
        let mut page = page.clone();
        page.as_object_mut().map(|page| page.remove("LastEvaluatedKey"));
        sort_key(&page)
    };
    exchange.operation == "Query"
        && path.is_empty()
        && exchange.request["Limit"].is_number()
        && empty["ScannedCount"] == 0
        && before.len() == local.len()
        && before.iter().map(without_key).eq(local.iter().map(without_key))
}

/// Local filters whole items, of which it then returns what the index holds.
fn unprojected_filter(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member { path, .. } = difference else {
        return false;
    };
    let names = filter_names(&exchange.request);
    let lacks_one = |item: &Value| names.iter().any(|name| item.get(name).is_none());
    let is_of_part = [&exchange.ours, &exchange.local].into_iter().any(|outcome| {
        let Outcome::Accepted(answer) = outcome else { return false };
        answer["Items"].as_object().is_some_and(|items| items.values().any(lacks_one))
    });
    matches!(exchange.operation.as_str(), "Query" | "Scan")
        && exchange.request["IndexName"].is_string()
        && (is_of_part || exchange.request["Select"] == "COUNT")
        && (path == "/Count" || path.starts_with("/Items/") || path.starts_with("/Order"))
}

/// The attributes that a filter names.
fn filter_names(request: &Value) -> Vec<String> {
    const WORDS: [&str; 11] = [
        "and",
        "or",
        "not",
        "between",
        "in",
        "size",
        "contains",
        "begins_with",
        "attribute_type",
        "attribute_exists",
        "attribute_not_exists",
    ];
    let expression = request["FilterExpression"].as_str().unwrap_or_default();
    let paths = expression
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '#' | ':' | '.'))
        .filter_map(|path| path.split('.').next())
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '#')))
        .filter(|name| !WORDS.contains(&name.to_lowercase().as_str()));
    let name = |word: &str| match &request["ExpressionAttributeNames"][word] {
        Value::String(name) => name.clone(),
        _ => word.to_owned(),
    };
    let legacy = [&request["ScanFilter"], &request["QueryFilter"]];
    let legacy = legacy.into_iter().filter_map(Value::as_object).flat_map(|map| map.keys());
    paths.map(name).chain(legacy.cloned()).collect()
}

/// Local compares keys as they are written.
fn equal_keys(exchange: &Exchange, difference: &Difference) -> bool {
    *difference == Difference::Verdict
        && matches!(exchange.operation.as_str(), "BatchGetItem" | "BatchWriteItem")
        && exchange.ours.refusal().is_some_and(|ours| ours.message.ends_with("contains duplicates"))
        && exchange.local.is_accepted()
}

/// Local does not always measure what key conditions compare with.
fn long_key(exchange: &Exchange, difference: &Difference) -> bool {
    *difference == Difference::Verdict
        && exchange.operation == "Query"
        && exchange.local.is_accepted()
        && exchange.ours.refusal().is_some_and(|ours| ours.message.contains(" size limit of"))
}

/// Java takes the digits of all scripts for digits.
fn other_digits(exchange: &Exchange, difference: &Difference) -> bool {
    *difference == Difference::Verdict
        && exchange.ours.refusal().is_some_and(|ours| {
            let (_, shown) = ours
                .message
                .split_once("cannot be converted to a numeric value: ")
                .unwrap_or_default();
            shown.chars().any(|c| c.is_numeric() && !c.is_ascii())
        })
}

/// Local passes over placeholders if there are none.
fn needless_names(exchange: &Exchange, difference: &Difference) -> bool {
    let has_empty = |name: &str| exchange.body.contains(&format!("\"{name}\":{{}}"));
    *difference == Difference::Verdict
        && exchange.ours.refusal().is_some_and(|ours| {
            let message =
                |name: &str| format!("{name} can only be specified when using expressions");
            ["ExpressionAttributeNames", "ExpressionAttributeValues"]
                .iter()
                .any(|name| ours.message.starts_with(&message(name)) && has_empty(name))
        })
}

/// The same number, which we write as every such number is written.
fn number_form(_: &Exchange, difference: &Difference) -> bool {
    let Difference::Member {
        path,
        ours: Some(Value::String(ours)),
        local: Some(Value::String(local)),
    } = difference
    else {
        return false;
    };
    let mut parts = path.rsplit('/');
    let is_number = matches!((parts.next(), parts.next()), (Some("N"), _) | (Some(_), Some("NS")));
    is_number && number(local).as_ref() == Some(ours)
}
