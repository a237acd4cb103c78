//! Parameters that several operations share.

use crate::error::{Error, Result};
use crate::expression::Parameter;

/// A parameter from before expressions by its name, and whether the request has it.
pub(super) type Given = (&'static str, bool);

/// Refuses parameters from before expressions beside expressions.
pub(super) fn check_styles(legacy: &[Given], expressions: &[(Parameter, bool)]) -> Result<()> {
    let old: Vec<&str> = legacy.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    let new: Vec<&str> =
        expressions.iter().filter(|(_, given)| *given).map(|(name, _)| name.name()).collect();
    if old.is_empty() || new.is_empty() {
        return Ok(());
    }
    Err(Error::validation(format!(
        "Can not use both expression and non-expression parameters in the same request: \
         Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
        old.join(", "),
        new.join(", ")
    )))
}

/// What UpdateItem gives back of the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnValues {
    /// Nothing.
    #[default]
    None,
    /// The whole item as it was.
    AllOld,
    /// What the update touched, as it was.
    UpdatedOld,
    /// The whole item as it is.
    AllNew,
    /// What the update touched, as it is.
    UpdatedNew,
}

impl ReturnValues {
    /// The names, in the order in which the service lists them.
    pub(super) const CHOICES: [(&str, Self); 5] = [
        ("ALL_NEW", Self::AllNew),
        ("UPDATED_OLD", Self::UpdatedOld),
        ("ALL_OLD", Self::AllOld),
        ("NONE", Self::None),
        ("UPDATED_NEW", Self::UpdatedNew),
    ];

    /// Whether to give back the old item, which is all that PutItem and DeleteItem can do.
    pub(super) fn old_only(self) -> Result<bool> {
        match self {
            Self::None => Ok(false),
            Self::AllOld => Ok(true),
            _ => Err(Error::validation("ReturnValues can only be ALL_OLD or NONE")),
        }
    }
}

/// `ReturnItemCollectionMetrics`: whether it is `SIZE`.
pub(super) const COLLECTION_METRICS: [(&str, bool); 2] = [("SIZE", true), ("NONE", false)];

/// `ReturnValuesOnConditionCheckFailure`: whether it is `ALL_OLD`.
pub(super) const ON_FAILURE: [(&str, bool); 2] = [("ALL_OLD", true), ("NONE", false)];
