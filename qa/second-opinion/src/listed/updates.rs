//! What updates make of items.

use super::{Explains, Rule, SilentRule};
use crate::difference::{Difference, Exchange};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule { name: TAKES_AWAY, is_rare: false, explains: Explains::When(item_of_nothing) },
    Rule {
        name: "Updated parts of attributes",
        is_rare: true,
        explains: Explains::When(updated_parts),
    },
    Rule {
        name: "Index keys that are computed",
        is_rare: true,
        explains: Explains::When(computed_key),
    },
    Rule {
        name: "A set taken from the key of an index",
        is_rare: true,
        explains: Explains::When(set_from_key),
    },
    Rule {
        name: "Both operands of if_not_exists are looked at",
        is_rare: true,
        explains: Explains::When(if_not_exists),
    },
];

pub(super) const SILENT_RULES: &[SilentRule] = &[
    SilentRule { name: TAKES_AWAY, is_such: only_takes_away },
    SilentRule { name: "Local forgets updates without an action", is_such: lacks_action },
];

const TAKES_AWAY: &str = "Taking away from an item that is not there";

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

/// Local tells of the item that it made, and counts what it wrote.
fn item_of_nothing(exchange: &Exchange, difference: &Difference) -> bool {
    let too_long = "One or more parameter values were invalid: Size limit exceeded";
    if removed_part(exchange, difference)
        || (only_takes_away(&exchange.request) && refused_by_local(exchange, difference, too_long))
    {
        return true;
    }
    let Difference::Member { path, ours, local } = difference else {
        return false;
    };
    if exchange.operation != "UpdateItem" || !only_takes_away(&exchange.request) {
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

/// Whether the difference is that we accept what Local refuses in these words.
fn refused_by_local(exchange: &Exchange, difference: &Difference, message: &str) -> bool {
    *difference == Difference::Verdict
        && exchange.ours.is_accepted()
        && exchange.local.refusal().is_some_and(|local| local.message == message)
}

/// Local looks for the second operand even if the first is there.
fn if_not_exists(exchange: &Exchange, difference: &Difference) -> bool {
    let message = "The provided expression refers to an attribute that does not exist in the item";
    let is_cancelled = *difference == Difference::Verdict
        && exchange.ours.refusal().is_some_and(|ours| ours.code == "TransactionCanceledException")
        && exchange.local.refusal().is_some_and(|local| local.message == message);
    (refused_by_local(exchange, difference, message) || is_cancelled)
        && exchange.body.contains("if_not_exists(")
}

/// Local refuses to remove from a part of an item that is not there.
fn removed_part(exchange: &Exchange, difference: &Difference) -> bool {
    let message = "The document path provided in the update expression is invalid for update";
    let is_cancelled =
        exchange.ours.refusal().is_some_and(|ours| ours.code == "TransactionCanceledException");
    let is_other = *difference == Difference::Verdict
        && is_cancelled
        && exchange.local.refusal().is_some_and(|local| local.message == message);
    (refused_by_local(exchange, difference, message) || is_other)
        && exchange.body.to_uppercase().contains("REMOVE ")
}

/// Asked for what was updated, Local returns whole attributes of which a part was.
fn updated_parts(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member { path, ours: None, local: Some(_) } = difference else {
        return false;
    };
    let asked = exchange.request["ReturnValues"].as_str().unwrap_or_default();
    let depth = path.split('/').count();
    exchange.operation == "UpdateItem"
        && asked.starts_with("UPDATED_")
        && path.starts_with("/Attributes/")
        && depth > 3
}

/// Local does not look at the type of a sum, nor of what a function within a function gives.
fn computed_key(exchange: &Exchange, difference: &Difference) -> bool {
    let update = exchange.request["UpdateExpression"].as_str().unwrap_or_default();
    let is_sum = update.contains(" + ") || update.contains(" - ");
    let is_nested = update.matches("if_not_exists(").count() > 1;
    *difference == Difference::Verdict
        && exchange.local.is_accepted()
        && exchange.ours.refusal().is_some_and(|ours| {
            let is_mismatch = ours.message.contains("Type mismatch for Index Key")
                && ours.message.contains("Actual: N");
            let is_unsupported =
                ours.message.ends_with("update the secondary index key to unsupported type");
            (is_mismatch && is_sum) || (is_unsupported && is_nested)
        })
}

/// Local does nothing if the attribute is not there.
fn set_from_key(exchange: &Exchange, difference: &Difference) -> bool {
    let body = exchange.body.to_uppercase();
    *difference == Difference::Verdict
        && exchange.local.is_accepted()
        && exchange.ours.refusal().is_some_and(|ours| {
            let (_, kinds) =
                ours.message.split_once("Type mismatch for Index Key ").unwrap_or_default();
            ["SS", "NS", "BS"].iter().any(|set| kinds.contains(&format!("Actual: {set} ")))
        })
        && (body.contains("DELETE ") || body.contains("\"DELETE\""))
}
