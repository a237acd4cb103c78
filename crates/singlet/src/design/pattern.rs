//! Access patterns: how the application uses the tables.

use super::is_default;
use super::named::named;
use super::operation::Operation;
use serde::{Deserialize, Serialize};

/// A use of the tables by the application, as one or more operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessPattern {
    /// Name of the pattern.
    #[serde(skip)]
    pub name: String,
    /// Purpose of the pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who waits for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub caller: Caller,
    /// Routes or jobs that trigger it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggered_by: Vec<String>,
    /// Frequency, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// Peak rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
    /// Whether its writes form one transaction; its reads do if it has no writes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub transaction: bool,
    /// Its operations. Empty if the design does not serve the pattern yet.
    #[serde(default)]
    pub operations: Vec<Operation>,
}

named!(AccessPattern, "pattern", name);

impl AccessPattern {
    /// A user-facing pattern with these operations.
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
    /// Whether a user waits for it.
    #[must_use]
    pub fn is_user(self) -> bool {
        matches!(self, Self::User | Self::Both)
    }
}

/// A finding that the design accepts.
///
/// Covers all findings with this code whose place matches every name given here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The rule's code.
    pub code: String,
    /// The table of the finding.
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
    /// Reason for accepting it.
    pub because: String,
}

impl Acceptance {
    /// Accepts all findings of a rule, for this reason.
    #[must_use]
    pub fn new(code: &str, because: &str) -> Self {
        Self { code: code.to_owned(), because: because.to_owned(), ..Self::default() }
    }

    /// Only those about this index.
    #[must_use]
    pub fn index(mut self, name: &str) -> Self {
        self.index = Some(name.to_owned());
        self
    }

    /// Only those about this entity.
    #[must_use]
    pub fn entity(mut self, name: &str) -> Self {
        self.entity = Some(name.to_owned());
        self
    }

    /// Only those about this access pattern.
    #[must_use]
    pub fn pattern(mut self, name: &str) -> Self {
        self.pattern = Some(name.to_owned());
        self
    }
}
