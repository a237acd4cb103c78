//! Parameters that several operations share.

use crate::error::{Error, Result};
use crate::expression::Parameter;

/// A legacy parameter, and whether the request has it.
pub(super) type Given = (&'static str, bool);

/// Refuses legacy parameters combined with expressions.
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

/// What UpdateItem returns of the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnValues {
    /// Nothing.
    #[default]
    None,
    /// The whole old item.
    AllOld,
    /// The old values of the updated attributes.
    UpdatedOld,
    /// The whole new item.
    AllNew,
    /// The new values of the updated attributes.
    UpdatedNew,
}

impl ReturnValues {
    /// The names, in the service's order.
    pub(super) const CHOICES: [(&str, Self); 5] = [
        ("ALL_NEW", Self::AllNew),
        ("UPDATED_OLD", Self::UpdatedOld),
        ("ALL_OLD", Self::AllOld),
        ("NONE", Self::None),
        ("UPDATED_NEW", Self::UpdatedNew),
    ];

    /// Whether to return the old item, the only choice of PutItem and DeleteItem.
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
