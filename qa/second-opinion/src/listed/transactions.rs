//! Why transactions are cancelled.

use super::refusals::{are_update_faults, is_update_fault};
use super::{Explains, Rule, same_in_other_words};
use crate::difference::{Difference, Exchange};
use crate::outcome::Refusal;
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "An action that cannot be carried out cancels the transaction",
        is_rare: false,
        explains: Explains::When(refused_alone),
    },
    Rule {
        name: "Reasons of a cancelled transaction, in other words",
        is_rare: false,
        explains: Explains::When(reason_in_other_words),
    },
];

fn reasons(refusal: &Refusal) -> &[Value] {
    refusal.details["CancellationReasons"].as_array().map_or(&[], Vec::as_slice)
}

/// Local refuses the whole request in the words of one action, or names other actions with it.
fn refused_alone(exchange: &Exchange, difference: &Difference) -> bool {
    let (Some(ours), Some(local)) = (exchange.ours.refusal(), exchange.local.refusal()) else {
        return false;
    };
    if *difference != Difference::Verdict || ours.code != "TransactionCanceledException" {
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
        // Others may be told of too, whose conditions we have not looked at.
        named => {
            let invalid = named.iter().find(|reason| reason["Code"] == "ValidationError");
            invalid.and_then(|reason| reason["Message"].as_str()).unwrap_or_default()
        }
    };
    // Of several actions that cannot be carried out, we tell of those that do not fit the table.
    let updates = exchange.body.matches("\"UpdateExpression\"").count();
    let is_of_another = updates > 0 && reasons(ours).len() > 1 && is_update_fault(told);
    reasons(ours).iter().any(|reason| {
        let own = reason["Message"].as_str().unwrap_or_default();
        let is_same = own == told || same_in_other_words(own, told) || are_update_faults(own, told);
        reason["Code"] == "ValidationError" && (is_same || is_of_another)
    })
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
