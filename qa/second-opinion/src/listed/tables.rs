//! What is said of tables.

use super::{Explains, Rule};
use crate::difference::{Difference, Exchange};
use serde_json::{Value, json};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "Tables are made, changed and deleted at once",
        is_rare: false,
        explains: Explains::When(status),
    },
    Rule {
        name: "Descriptions lack what is new",
        is_rare: false,
        explains: Explains::When(lacking),
    },
    Rule {
        name: "Throughput is described in full",
        is_rare: false,
        explains: Explains::When(throughput),
    },
    Rule {
        name: "When a table became on-demand",
        is_rare: false,
        explains: Explains::When(on_demand_time),
    },
    Rule { name: "Sizes of indexes", is_rare: false, explains: Explains::When(index_sizes) },
    Rule {
        name: "An index that is being made",
        is_rare: true,
        explains: Explains::When(new_index),
    },
    Rule {
        name: "Attributes of an index that is being deleted",
        is_rare: true,
        explains: Explains::When(definitions),
    },
    Rule {
        name: "The stream of a table that is deleted",
        is_rare: false,
        explains: Explains::When(deleted_stream),
    },
    Rule {
        name: "On-demand tables have no throughput to set",
        is_rare: true,
        explains: Explains::When(|exchange, difference| {
            *difference == Difference::Verdict
                && exchange.local.is_accepted()
                && exchange.ours.refusal().is_some_and(|ours| {
                    ours.message.ends_with("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
                })
        }),
    },
    Rule {
        name: "A new index and its attributes",
        is_rare: true,
        explains: Explains::When(|exchange, difference| {
            *difference == Difference::Verdict
                && exchange.operation == "UpdateTable"
                && exchange.local.is_accepted()
                && exchange.ours.refusal().is_some_and(|ours| {
                    ours.message.contains(
                        "Some index key attributes are not defined in AttributeDefinitions",
                    )
                })
        }),
    },
    Rule {
        name: "Definitions of attributes that are no keys",
        is_rare: true,
        explains: Explains::When(|exchange, difference| {
            *difference == Difference::Verdict
                && exchange.operation == "CreateTable"
                && exchange.local.is_accepted()
                && exchange.ours.refusal().is_some_and(|ours| {
                    ours.message.contains("Some AttributeDefinitions are not used")
                })
        }),
    },
    Rule {
        name: "Tags without a key",
        is_rare: true,
        explains: Explains::When(|exchange, difference| {
            *difference == Difference::Verdict
                && exchange.local.is_accepted()
                && exchange
                    .ours
                    .refusal()
                    .is_some_and(|ours| ours.message.starts_with("The Tag Key provided is invalid"))
        }),
    },
    Rule {
        name: "Endpoints are not described",
        is_rare: false,
        explains: Explains::When(|exchange, _| {
            exchange.operation == "DescribeEndpoints"
                && exchange.ours.is_accepted()
                && exchange
                    .local
                    .refusal()
                    .is_some_and(|local| local.code == "UnknownOperationException")
        }),
    },
];

/// The path within the description of a table, and what both say there.
fn described(difference: &Difference) -> Option<(&str, Option<&Value>, Option<&Value>)> {
    let Difference::Member { path, ours, local } = difference else {
        return None;
    };
    let within =
        path.strip_prefix("/TableDescription/").or_else(|| path.strip_prefix("/Table/"))?;
    Some((within, ours.as_ref(), local.as_ref()))
}

/// The name of a member of a global index, if the path leads to one.
fn of_global_index(path: &str) -> Option<&str> {
    path.strip_prefix("GlobalSecondaryIndexes/")?.split_once('/').map(|(_, member)| member)
}

fn status(exchange: &Exchange, difference: &Difference) -> bool {
    let Some((path, Some(ours), Some(local))) = described(difference) else {
        return false;
    };
    let told = match exchange.operation.as_str() {
        "CreateTable" => "CREATING",
        "UpdateTable" => "UPDATING",
        "DeleteTable" => "DELETING",
        _ => return false,
    };
    let is_status = path == "TableStatus" || of_global_index(path) == Some("IndexStatus");
    is_status && *ours == told && *local == json!("ACTIVE")
}

fn lacking(_: &Exchange, difference: &Difference) -> bool {
    let Some((path, Some(_), None)) = described(difference) else {
        return false;
    };
    matches!(path, "TableId" | "WarmThroughput" | "TableClassSummary")
        || of_global_index(path) == Some("WarmThroughput")
}

/// Local tells of changes of throughput that never were, and nothing of that of indexes.
fn throughput(_: &Exchange, difference: &Difference) -> bool {
    match described(difference) {
        Some((path, None, Some(local))) => {
            let times = ["LastIncreaseDateTime", "LastDecreaseDateTime"];
            let of_table = path.strip_prefix("ProvisionedThroughput/");
            of_table.is_some_and(|member| times.contains(&member)) && *local == json!("never")
        }
        Some(("ProvisionedThroughput/LastIncreaseDateTime", Some(ours), Some(local))) => {
            *ours == json!("a time") && *local == json!("never")
        }
        Some((path, Some(ours), None)) => match of_global_index(path) {
            Some("ProvisionedThroughput") => {
                *ours
                    == json!({"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0})
            }
            Some("ProvisionedThroughput/NumberOfDecreasesToday") => *ours == json!(0),
            _ => false,
        },
        _ => false,
    }
}

fn on_demand_time(exchange: &Exchange, difference: &Difference) -> bool {
    let path = "BillingModeSummary/LastUpdateToPayPerRequestDateTime";
    exchange.operation == "CreateTable"
        && matches!(described(difference), Some((found, None, Some(_))) if found == path)
}

/// Local measures whole items where an index holds parts of them.
fn index_sizes(_: &Exchange, difference: &Difference) -> bool {
    let Some((path, Some(ours), Some(local))) = described(difference) else {
        return false;
    };
    let is_of_index = path.contains("SecondaryIndexes/") && path.ends_with("/IndexSizeBytes");
    is_of_index && ours.as_u64() < local.as_u64()
}

/// An index that is being made has no size yet, and none that it is limited to.
fn new_index(exchange: &Exchange, difference: &Difference) -> bool {
    match described(difference) {
        Some((path, Some(ours), Some(local))) => {
            exchange.operation == "UpdateTable"
                && of_global_index(path) == Some("Backfilling")
                && *ours == json!(false)
                && *local == json!(true)
        }
        Some((path, Some(ours), None)) => {
            exchange.operation == "UpdateTable"
                && matches!(of_global_index(path), Some("IndexSizeBytes" | "ItemCount"))
                && *ours == json!(0)
        }
        Some((path, None, Some(local))) => {
            of_global_index(path) == Some("OnDemandThroughput")
                && *local == json!({"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1})
        }
        _ => false,
    }
}

/// Local forgets the attributes of an index with the request, we with the index.
fn definitions(exchange: &Exchange, difference: &Difference) -> bool {
    let Some(("AttributeDefinitions", Some(Value::Array(ours)), Some(Value::Array(local)))) =
        described(difference)
    else {
        return false;
    };
    exchange.operation == "UpdateTable"
        && exchange.body.contains("\"Delete\"")
        && local.iter().all(|definition| ours.contains(definition))
}

fn deleted_stream(exchange: &Exchange, difference: &Difference) -> bool {
    exchange.operation == "DeleteTable"
        && matches!(described(difference), Some(("StreamSpecification", None, Some(_))))
}
