//! Differences that patterns cannot describe.

use super::{constraint, is_refusal, same_in_other_words};
use crate::difference::{Difference, Exchange};
use crate::outcome::{Outcome, Refusal, number, sort_key};
use serde_json::Value;

/// Looks up a matcher by name.
pub(super) fn function(name: &str) -> Option<fn(&Exchange, &Difference) -> bool> {
    Some(match name {
        "earlier_mistake" => earlier_mistake,
        "filter_on_index" => filter_on_index,
        "item_of_nothing" => item_of_nothing,
        "last_possible_item" => last_possible_item,
        "member_given_twice" => member_given_twice,
        "not_projected" => not_projected,
        "number_form" => number_form,
        "overlapping_paths" => overlapping_paths,
        "reason_in_other_words" => reason_in_other_words,
        "refused_alone" => refused_alone,
        "stray_scalar" => stray_scalar,
        "too_long_together" => too_long_together,
        "update_faults" => update_faults,
        "violated_constraints" => constraint::violated_constraints,
        _ => return None,
    })
}

/// Looks up a matcher for silent differences by name.
pub(super) fn silent(name: &str) -> Option<fn(&Value) -> bool> {
    Some(match name {
        "lacks_action" => lacks_action,
        "only_takes_away" => only_takes_away,
        _ => return None,
    })
}

/// Both errors, if both refuse and differ.
fn refusals<'a>(
    exchange: &'a Exchange,
    difference: &Difference,
) -> Option<(&'a Refusal, &'a Refusal)> {
    match difference {
        Difference::Verdict => Some((exchange.ours.refusal()?, exchange.local.refusal()?)),
        Difference::Member { .. } => None,
    }
}

/// Whether our error comes from an earlier stage of validation than Local's.
fn earlier_mistake(exchange: &Exchange, difference: &Difference) -> bool {
    refusals(exchange, difference).is_some_and(|(ours, local)| {
        matches!((stage(ours), stage(local)), (Some(ours), Some(local)) if ours < local)
    })
}

/// The stage of an error; the earliest of its reasons for a cancelled transaction.
fn stage(refusal: &Refusal) -> Option<usize> {
    let stage_of = |refusal: &Refusal| {
        let lines = include_str!("../../stages.txt").lines().filter(|line| !line.starts_with('#'));
        let mut stage = 0;
        for line in lines {
            match line.is_empty() {
                true => stage += 1,
                false if is_refusal(line, refusal) => return Some(stage),
                false => {}
            }
        }
        None
    };
    let invalid = reasons(refusal).iter().filter(|reason| reason["Code"] == "ValidationError");
    let stages = invalid.map(|reason| {
        stage_of(&Refusal {
            code: "ValidationException".to_owned(),
            message: reason["Message"].as_str().unwrap_or_default().to_owned(),
            ..refusal.clone()
        })
    });
    stages.chain([stage_of(refusal)]).min().flatten()
}

/// The same number, which we write in canonical form.
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

/// We return a `LastEvaluatedKey` whenever the limit is reached. Local does not if the last item
/// has the greatest requested key.
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

/// Local filters the whole item and returns only its projected attributes.
fn filter_on_index(exchange: &Exchange, difference: &Difference) -> bool {
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

/// The attribute names in a filter.
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

/// Whether an object has a duplicate member, one of which parsing has dropped.
fn member_given_twice(exchange: &Exchange, difference: &Difference) -> bool {
    let refused = exchange.ours.refusal().is_some_and(|ours| {
        ours.code == "SerializationException" || ours.code == "ValidationException"
    });
    // Requests have no whitespace, so the length tells.
    *difference == Difference::Verdict
        && refused
        && exchange.request.is_object()
        && exchange.request.to_string().len() < exchange.body.len()
}

/// A number or Boolean in place of a string, or the reverse.
fn stray_scalar(exchange: &Exchange, difference: &Difference) -> bool {
    let ours = exchange.ours.refusal();
    *difference == Difference::Verdict
        && ours.is_some_and(|ours| ours.code == "SerializationException")
        && has_stray_scalar("", &exchange.request)
}

/// Number and Boolean members; all other scalars are strings.
const NUMBERS: &[&str] =
    &["Limit", "Segment", "TotalSegments", "ReadCapacityUnits", "WriteCapacityUnits"];
const TRUTHS: &[&str] = &[
    "ConsistentRead",
    "ScanIndexForward",
    "BOOL",
    "NULL",
    "Exists",
    "Enabled",
    "StreamEnabled",
    "DeletionProtectionEnabled",
];

/// Whether a scalar has the wrong type.
fn has_stray_scalar(name: &str, value: &Value) -> bool {
    let (is_number, is_truth) = (NUMBERS.contains(&name), TRUTHS.contains(&name));
    match value {
        Value::Null => false,
        Value::String(_) => is_number || is_truth,
        Value::Number(number) => !is_number || number.as_i64().is_none(),
        Value::Bool(_) => !is_truth,
        Value::Array(elements) => elements.iter().any(|element| has_stray_scalar("", element)),
        Value::Object(members) => members.iter().any(|(name, value)| has_stray_scalar(name, value)),
    }
}

/// Update errors that depend on the item.
const UPDATE_FAULTS: &[&str] = &[
    "The document path provided in the update expression is invalid for update",
    "The provided expression refers to an attribute that does not exist in the item",
    "An operand in the update expression has an incorrect data type",
    "Number overflow. Attempting to store a number with magnitude larger than supported range",
    "DynamoDB only supports precision up to 38 digits",
];

/// Whether both errors can come from one update.
fn are_update_faults(ours: &str, local: &str) -> bool {
    UPDATE_FAULTS.contains(&ours) && UPDATE_FAULTS.contains(&local)
}

/// Whether an update error depends on the item.
fn is_update_fault(message: &str) -> bool {
    UPDATE_FAULTS.contains(&message)
}

/// An update with several errors: which one is reported is undocumented.
fn update_faults(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((ours, local)) = refusals(exchange, difference) else {
        return false;
    };
    let actions = exchange.request["UpdateExpression"].as_str().map_or(0, |update| {
        1 + update.matches(',').count()
            + update.matches(" SET ").count()
            + update.matches(" REMOVE ").count()
            + update.matches(" ADD ").count()
            + update.matches(" DELETE ").count()
    });
    exchange.operation == "UpdateItem"
        && ours.code == local.code
        && are_update_faults(&ours.message, &local.message)
        && actions > 1
}

/// The same attributes in hash set order.
fn not_projected(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((ours, local)) = refusals(exchange, difference) else {
        return false;
    };
    let parts = |message: &str| {
        let (words, names) = message.strip_suffix(']')?.rsplit_once(" [")?;
        let mut names: Vec<String> = names.split(", ").map(str::to_owned).collect();
        names.sort();
        words.contains("does not project").then(|| (words.to_owned(), names))
    };
    ours.code == local.code
        && parts(&ours.message).is_some()
        && parts(&ours.message) == parts(&local.message)
}

/// Local names two of the paths, not always the overlapping ones.
fn overlapping_paths(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((ours, local)) = refusals(exchange, difference) else {
        return false;
    };
    let parts = |message: &str| {
        let (words, paths) = message.split_once("Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [")?;
        let (one, two) = paths.strip_suffix(']')?.split_once("], path two: [")?;
        Some((words.to_owned(), one.to_owned(), two.to_owned()))
    };
    let (Some(ours), Some(local)) = (parts(&ours.message), parts(&local.message)) else {
        return false;
    };
    let is_within = |inner: &str, outer: &str| {
        inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(", "))
    };
    ours.0 == local.0 && (is_within(&ours.1, &ours.2) || is_within(&ours.2, &ours.1))
}

fn reasons(refusal: &Refusal) -> &[Value] {
    refusal.details["CancellationReasons"].as_array().map_or(&[], Vec::as_slice)
}

/// Local fails the whole request with the error of one action, or adds reasons for others.
fn refused_alone(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((ours, local)) = refusals(exchange, difference) else {
        return false;
    };
    if ours.code != "TransactionCanceledException" {
        return false;
    }
    let told = match reasons(local) {
        [] if matches!(
            local.code.as_str(),
            "ValidationException" | "TransactionCanceledException"
        ) =>
        {
            &local.message
        }
        // It may include other actions, whose conditions we did not evaluate.
        named => {
            let invalid = named.iter().find(|reason| reason["Code"] == "ValidationError");
            invalid.and_then(|reason| reason["Message"].as_str()).unwrap_or_default()
        }
    };
    // Of several invalid actions, we report the ones that violate the schema.
    let updates = exchange.body.matches("\"UpdateExpression\"").count();
    let is_of_another = updates > 0 && reasons(ours).len() > 1 && is_update_fault(told);
    reasons(ours).iter().any(|reason| {
        let own = reason["Message"].as_str().unwrap_or_default();
        let is_same = own == told || same_in_other_words(own, told) || are_update_faults(own, told);
        reason["Code"] == "ValidationError" && (is_same || is_of_another)
    })
}

/// We cancel a transaction that makes a composite index key too long; Local does not.
fn too_long_together(exchange: &Exchange, difference: &Difference) -> bool {
    let (Difference::Verdict, Some(ours), None) =
        (difference, exchange.ours.refusal(), exchange.local.refusal())
    else {
        return false;
    };
    let messages = reasons(ours).iter().filter_map(|reason| reason["Message"].as_str());
    messages.into_iter().any(|message| message.starts_with("Aggregate size for "))
}

fn reason_in_other_words(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member {
        path,
        ours: Some(Value::String(ours)),
        local: Some(Value::String(local)),
    } = difference
    else {
        return false;
    };
    exchange.operation.starts_with("Transact")
        && path.starts_with("/CancellationReasons/")
        && path.ends_with("/Message")
        && (*local == format!("{ours}.") || same_in_other_words(ours, local))
}

/// Whether the update sets nothing.
fn only_takes_away(update: &Value) -> bool {
    match (update["UpdateExpression"].as_str(), update["AttributeUpdates"].as_object()) {
        (Some(expression), _) => {
            let upper = expression.to_uppercase();
            !upper.contains("SET ") && !upper.contains("ADD ")
        }
        (None, Some(updates)) => {
            !updates.is_empty() && updates.values().all(|update| update["Action"] == "DELETE")
        }
        (None, None) => false,
    }
}

fn lacks_action(update: &Value) -> bool {
    let updates = update["AttributeUpdates"].as_object();
    updates.is_some_and(|updates| updates.values().any(|update| update["Action"].is_null()))
}

/// Local creates an item with only its key, returns it and charges for it.
fn item_of_nothing(exchange: &Exchange, difference: &Difference) -> bool {
    if !only_takes_away(&exchange.request) {
        return false;
    }
    if *difference == Difference::Verdict {
        let too_long = "One or more parameter values were invalid: Size limit exceeded";
        return exchange.ours.is_accepted()
            && exchange.local.refusal().is_some_and(|local| local.message == too_long);
    }
    let Difference::Member { path, ours, local } = difference else {
        return false;
    };
    if exchange.operation != "UpdateItem" {
        return false;
    }
    let is_key = |item: &Value| {
        item.as_object().is_some_and(|item| item.keys().all(|name| name == "pk" || name == "sk"))
    };
    let costs_more = || {
        let units = |value: &Option<Value>| value.as_ref().and_then(Value::as_f64);
        path.starts_with("/ConsumedCapacity")
            && units(ours).unwrap_or_default() < units(local).unwrap_or(1.0)
    };
    (path == "/Attributes" && ours.is_none() && local.as_ref().is_some_and(is_key)) || costs_more()
}
