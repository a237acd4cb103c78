//! The parameters from before there were expressions, translated into the same ASTs.
//!
//! `Expected`, `QueryFilter` and `ScanFilter` become conditions, `KeyConditions` a key
//! condition, `AttributeUpdates` an update, `AttributesToGet` a projection. Each has checks and
//! words of its own, which are here; what they mean is what the AST means.

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

/// How the conditions of several attributes go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ConditionalOperator {
    /// All must hold.
    #[default]
    And,
    /// One must hold.
    Or,
}

impl ConditionalOperator {
    /// The names, in the order in which the service lists them.
    pub(crate) const CHOICES: [(&str, Self); 2] = [("OR", Self::Or), ("AND", Self::And)];

    /// Refuses the parameter where there are not two conditions that it could join.
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

    /// The conditions as one; `None` if there are none. There may be any number of them: the limit
    /// on operators is one of expressions.
    fn join(self, conditions: Vec<Condition>) -> Option<Condition> {
        conditions.into_iter().reduce(match self {
            Self::And => Condition::and_also,
            Self::Or => Condition::or_else,
        })
    }
}
