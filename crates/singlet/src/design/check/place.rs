//! Locations in a design.

use crate::design::Acceptance;
use serde::Serialize;
use std::fmt;

/// Location of a finding, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The access pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Position in the pattern's operations, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<usize>,
    /// The table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// The attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

impl Place {
    pub(in crate::design) fn table(name: &str) -> Self {
        Self { table: Some(name.to_owned()), ..Self::default() }
    }

    pub(super) fn pattern(name: &str) -> Self {
        Self { pattern: Some(name.to_owned()), ..Self::default() }
    }

    /// Adds an entity.
    pub(super) fn entity(mut self, name: &str) -> Self {
        self.entity = Some(name.to_owned());
        self
    }

    /// Adds an index.
    pub(super) fn index(mut self, name: &str) -> Self {
        self.index = Some(name.to_owned());
        self
    }

    /// Adds an attribute.
    pub(super) fn attribute(mut self, name: &str) -> Self {
        self.attribute = Some(name.to_owned());
        self
    }

    /// Whether it matches every name in an acceptance.
    pub(super) fn has_all_of(&self, acceptance: &Acceptance) -> bool {
        let has = |own: &Option<String>, wanted: &Option<String>| wanted.is_none() || own == wanted;
        has(&self.pattern, &acceptance.pattern)
            && has(&self.table, &acceptance.table)
            && has(&self.index, &acceptance.index)
            && has(&self.entity, &acceptance.entity)
            && has(&self.attribute, &acceptance.attribute)
    }
}

/// `table 'snakes', entity 'Game'`
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.operation.map(|number| number.to_string());
        let parts = [
            ("pattern", self.pattern.as_deref(), "'"),
            ("operation", number.as_deref(), ""),
            ("table", self.table.as_deref(), "'"),
            ("index", self.index.as_deref(), "'"),
            ("entity", self.entity.as_deref(), "'"),
            ("attribute", self.attribute.as_deref(), "'"),
        ];
        let mut is_first = true;
        for (noun, name, quote) in parts {
            if let Some(name) = name {
                let comma = if is_first { "" } else { ", " };
                write!(f, "{comma}{noun} {quote}{name}{quote}")?;
                is_first = false;
            }
        }
        if is_first { f.write_str("the design") } else { Ok(()) }
    }
}
