//! The legacy parameters that predate expressions, translated into the same ASTs.
//!
//! `Expected`, `QueryFilter` and `ScanFilter` become conditions, `KeyConditions` a key condition,
//! `AttributeUpdates` an update, `AttributesToGet` a projection. Each has its own checks and
//! messages, which are here.

mod attribute_updates;
mod attributes_to_get;
mod by_name;
mod comparison;
mod expected;
mod filter;

pub(crate) use attribute_updates::AttributeUpdates;
pub(crate) use attributes_to_get::AttributesToGet;
pub(crate) use expected::Expected;
pub(crate) use filter::Conditions;

use crate::error::{Error, Result};
use crate::expression::Condition;

/// How the conditions on several attributes are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ConditionalOperator {
    /// All must hold.
    #[default]
    And,
    /// At least one must hold.
    Or,
}

impl ConditionalOperator {
    /// The names, in the service's order.
    pub(crate) const CHOICES: [(&str, Self); 2] = [("OR", Self::Or), ("AND", Self::And)];

    /// Refuses the parameter without at least two conditions.
    pub(crate) fn check(given: Option<Self>, conditions: usize) -> Result<Self> {
        match (given, conditions) {
            (Some(_), 0) => Err(Error::validation(
                "ConditionalOperator cannot be used without Filter or Expected",
            )),
            (Some(_), 1) => Err(Error::validation(
                "ConditionalOperator can only be used when Filter or Expected has two or more elements",
            )),
            _ => Ok(given.unwrap_or_default()),
        }
    }

    /// Combines the conditions; `None` if there are none. Their number is not limited: only
    /// expressions have a limit on operators.
    fn join(self, conditions: Vec<Condition>) -> Option<Condition> {
        conditions.into_iter().reduce(match self {
            Self::And => Condition::and_also,
            Self::Or => Condition::or_else,
        })
    }
}
