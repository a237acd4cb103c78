//! What requests are said to have cost.

use super::{Explains, Rule};
use crate::difference::{Difference, Exchange};
use serde_json::{Value, json};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "DeleteItem tells its cost unasked",
        is_rare: false,
        explains: Explains::When(told_unasked),
    },
    Rule {
        name: "What a batch does not find costs too",
        is_rare: false,
        explains: Explains::When(batch_get),
    },
    Rule {
        name: "A query of nothing costs the least",
        is_rare: false,
        explains: Explains::When(empty_query),
    },
    Rule {
        name: "Deleting what is not there costs one unit in a batch too",
        is_rare: false,
        explains: Explains::When(batch_write),
    },
    Rule {
        name: "Costs of transactions are told as reads and writes",
        is_rare: false,
        explains: Explains::When(reads_and_writes),
    },
    Rule {
        name: "Every action of a transaction is rounded up by itself",
        is_rare: false,
        explains: Explains::When(rounded),
    },
    Rule {
        name: "Indexes cost a transaction what they cost otherwise",
        is_rare: false,
        explains: Explains::When(indexes_in_transactions),
    },
    Rule {
        name: "Rows of an index cost what they hold",
        is_rare: false,
        explains: Explains::When(index_rows),
    },
    Rule {
        name: "A scan of a local index that completes its rows",
        is_rare: true,
        explains: Explains::When(completed_rows),
    },
    Rule {
        name: "An item that comes into no index costs none",
        is_rare: false,
        explains: Explains::When(outside_of_index),
    },
    Rule {
        name: "Item collections are told of",
        is_rare: false,
        explains: Explains::When(collections),
    },
];

/// The number of the entry in the list of capacities, the rest of the path, and both figures.
fn figures(difference: &Difference) -> Option<(usize, &str, f64, f64)> {
    let Difference::Member { path, ours: Some(ours), local: Some(local) } = difference else {
        return None;
    };
    let (entry, rest) = path.strip_prefix("/ConsumedCapacity/")?.split_once('/')?;
    Some((entry.parse().ok()?, rest, ours.as_f64()?, local.as_f64()?))
}

/// The name of the table of an entry in the list of capacities.
fn table(exchange: &Exchange, entry: usize) -> &str {
    let crate::outcome::Outcome::Accepted(answer) = &exchange.ours else {
        return "";
    };
    answer["ConsumedCapacity"][entry]["TableName"].as_str().unwrap_or_default()
}

fn told_unasked(exchange: &Exchange, difference: &Difference) -> bool {
    let asked = &exchange.request["ReturnConsumedCapacity"];
    exchange.operation == "DeleteItem"
        && (asked.is_null() || *asked == json!("NONE"))
        && matches!(difference, Difference::Member { path, ours: None, .. } if path == "/ConsumedCapacity")
}

/// Local counts nothing for keys that it does not find.
fn batch_get(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((entry, _, ours, local)) = figures(difference) else {
        return false;
    };
    let crate::outcome::Outcome::Accepted(answer) = &exchange.ours else {
        return false;
    };
    let name = table(exchange, entry);
    let len = |list: &Value| list.as_array().map_or(0, Vec::len);
    let asked = len(&exchange.request["RequestItems"][name]["Keys"]);
    let found = len(&answer["Responses"][name]);
    exchange.operation == "BatchGetItem" && local < ours && ours - local <= (asked - found) as f64
}

/// Local counts nothing for a query that reads nothing.
fn empty_query(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member { path, ours: Some(ours), local: Some(local) } = difference else {
        return false;
    };
    let crate::outcome::Outcome::Accepted(answer) = &exchange.ours else {
        return false;
    };
    // The answer is one page, or the list of all of them.
    let Some((page, _)) = path.split_once("/ConsumedCapacity/") else {
        return false;
    };
    let least = if exchange.request["ConsistentRead"] == json!(true) { 1.0 } else { 0.5 };
    exchange.operation == "Query"
        && answer.pointer(page).is_some_and(|page| page["ScannedCount"] == json!(0))
        && path.ends_with("/CapacityUnits")
        && ours.as_f64() == Some(least)
        && local.as_f64() == Some(0.0)
}

/// Local counts two units for deleting what is not there.
fn batch_write(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((entry, path, ours, local)) = figures(difference) else {
        return false;
    };
    let requests = exchange.request["RequestItems"][table(exchange, entry)].as_array();
    let deletes =
        requests.into_iter().flatten().filter(|request| request["DeleteRequest"].is_object());
    exchange.operation == "BatchWriteItem"
        && matches!(path, "CapacityUnits" | "Table/CapacityUnits")
        && local > ours
        && local - ours <= deletes.count() as f64
}

fn reads_and_writes(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member { path, ours: Some(_), local: None } = difference else {
        return false;
    };
    let kind = match exchange.operation.as_str() {
        "TransactGetItems" => "/ReadCapacityUnits",
        "TransactWriteItems" => "/WriteCapacityUnits",
        _ => return false,
    };
    path.starts_with("/ConsumedCapacity/") && path.ends_with(kind)
}

/// Local adds up the sizes of all actions before it rounds, and takes one unit for a delete of
/// nothing, where we take two.
fn rounded(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((entry, path, ours, local)) = figures(difference) else {
        return false;
    };
    let name = table(exchange, entry);
    let actions = exchange.request["TransactItems"].as_array();
    let own: Vec<(&str, &Value)> = actions
        .into_iter()
        .flatten()
        .filter_map(|action| action.as_object()?.iter().next())
        .map(|(kind, action)| (kind.as_str(), action))
        .filter(|(_, action)| action["TableName"] == name)
        .collect();
    let deletes = own.iter().filter(|(kind, _)| *kind == "Delete").count();
    // What is rounded once for all is at least what the largest of them is rounded to.
    let ours_max = local * own.len() as f64 + deletes as f64;
    exchange.operation.starts_with("Transact")
        && !path.contains("SecondaryIndexes/")
        && local < ours
        && ours <= ours_max
}

fn collections(_: &Exchange, difference: &Difference) -> bool {
    matches!(difference, Difference::Member { path, ours: Some(_), local: None } if path == "/ItemCollectionMetrics")
}

/// Local doubles what a transaction writes to indexes, as it does for the table.
fn indexes_in_transactions(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((_, path, ours, local)) = figures(difference) else {
        return false;
    };
    let is_of_index = path.contains("SecondaryIndexes/");
    exchange.operation == "TransactWriteItems"
        && local > ours
        && local <= 2.0 * ours
        && (is_of_index || path == "CapacityUnits")
}

/// Local counts whole items where an index holds parts of them, and more than whole items where
/// a local index holds all.
fn index_rows(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member { path, ours: Some(ours), local: Some(local) } = difference else {
        return false;
    };
    let is_read = matches!(exchange.operation.as_str(), "Query" | "Scan")
        && exchange.request["IndexName"].is_string()
        && path.contains("/ConsumedCapacity/");
    let is_write = path.contains("/LocalSecondaryIndexes/");
    (is_read || is_write) && path.ends_with("/CapacityUnits") && local.as_f64() > ours.as_f64()
}

/// Local counts a write to an index if the item had one attribute of its key, and has the other.
fn outside_of_index(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member { path, ours, local: Some(local) } = difference else {
        return false;
    };
    let is_of_index = path.contains("/GlobalSecondaryIndexes");
    let is_sum = path.ends_with("/CapacityUnits")
        && !path.contains("/Table/")
        && !path.contains("/LocalSecondaryIndexes");
    let more =
        ours.as_ref().and_then(Value::as_f64).unwrap_or_default() < local.as_f64().unwrap_or(1.0);
    matches!(
        exchange.operation.as_str(),
        "PutItem" | "UpdateItem" | "BatchWriteItem" | "TransactWriteItems"
    ) && path.starts_with("/ConsumedCapacity")
        && more
        && ((is_of_index && ours.is_none()) || is_sum)
}

/// A scan of a local index that asks for more than the index holds reads the table too, which
/// Local does not count.
fn completed_rows(exchange: &Exchange, difference: &Difference) -> bool {
    let Difference::Member { path, ours: Some(ours), local: Some(local) } = difference else {
        return false;
    };
    exchange.operation == "Scan"
        && exchange.request["IndexName"].is_string()
        && matches!(
            path.as_str(),
            "/ConsumedCapacity/CapacityUnits" | "/ConsumedCapacity/Table/CapacityUnits"
        )
        && ours.as_f64() > local.as_f64()
}
