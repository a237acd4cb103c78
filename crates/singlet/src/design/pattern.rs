//! Access patterns: how the application uses the tables.

use super::is_default;
use super::named::named;
use super::operation::Operation;
use serde::{Deserialize, Serialize};

/// Something that the application does with the tables, in one or several operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessPattern {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who waits for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub caller: Caller,
    /// What sets it off: routes, jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggered_by: Vec<String>,
    /// How often it happens, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// How often it happens at the busiest time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
    /// Whether its operations are one transaction: all of its writes, or all of its reads if it
    /// has no others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub transaction: bool,
    /// What it does. None is how a design says that it does not serve this yet.
    #[serde(default)]
    pub operations: Vec<Operation>,
}

named!(AccessPattern, "pattern", name);

impl AccessPattern {
    /// A pattern of these operations, for a user.
    pub fn new(name: impl Into<String>, operations: Vec<Operation>) -> Self {
        Self {
            name: name.into(),
            description: None,
            caller: Caller::default(),
            triggered_by: Vec::new(),
            frequency: None,
            per_second: None,
            transaction: false,
            operations,
        }
    }
}

/// Who waits for an access pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// A person, or a request on behalf of one.
    #[default]
    User,
    /// A job.
    System,
    /// Both.
    Both,
}

impl Caller {
    /// Whether a person waits.
    #[must_use]
    pub fn is_user(self) -> bool {
        matches!(self, Self::User | Self::Both)
    }
}

/// A finding that is known and meant to be so.
///
/// It covers the findings with its code whose place has all that is named here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The rule's code.
    pub code: String,
    /// The table in which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// The attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// The access pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Why it is meant to be so.
    pub because: String,
}
