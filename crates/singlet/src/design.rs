//! A design as data: tables, entities, key templates and access patterns.
//!
//! [`Design`] is what a document about a single-table design says, in a form that programs can
//! read. It comes from a JSON file ([`Design::from_json`]; the reference is `docs/design-file.md`)
//! or from Rust types, and is deliberately able to hold mistakes: finding them is what
//! [`Design::check`] is for, all at once and each with an explanation.
//!
//! - [`Table`], [`Index`]: where items lie.
//! - [`Entity`], [`Attribute`], [`Template`]: what lies there, under which keys.
//! - [`AccessPattern`], [`Operation`]: how the application gets at it.
//! - [`check`]: the rules, and what they find.

mod attribute;
pub mod check;
mod cloudformation;
mod cost;
mod create_table;
mod definition;
mod difference;
mod document;
mod entity;
mod example;
mod expression;
mod file;
mod form;
mod named;
mod operation;
mod pattern;
mod reach;
mod shapes;
mod subject;
mod table;
mod template;
mod workbench;

pub use attribute::{Attribute, AttributeType};
pub use cost::Cost;
pub use entity::{Discriminator, Entity, EntityKey, Expiry, IndexKey, Mirror, Since, When};
pub use file::ReadError;
pub use operation::{Action, ExpiredItems, KeyCondition, KeyTest, Operation};
pub use pattern::{Acceptance, AccessPattern, Caller};
pub use table::{Billing, Index, Table};
pub use template::{Piece, Template, TemplateError};

use serde::{Deserialize, Serialize};

/// A design: some tables, and how an application uses them.
///
/// ```
/// use singlet::design::Design;
///
/// let design = Design::from_json(r#"{
///     "name": "snakes",
///     "tables": {"snakes": {
///         "key": {"partition": "PK", "sort": "SK"},
///         "entities": {"Game": {
///             "key": {"partition": "GAME#{code}", "sort": "METADATA"},
///             "attributes": {"code": "id", "status": "text"}
///         }}
///     }},
///     "patterns": {"Get game": {"operations": [
///         {"action": "GetItem", "key": {"PK": "GAME#{code}", "SK": "METADATA"}}
///     ]}}
/// }"#)?;
/// assert_eq!(design.tables[0].entities[0].name, "Game");
/// # Ok::<(), singlet::design::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The character between the parts of its keys, which identifiers may not contain.
    #[serde(
        default = "default_delimiter",
        deserialize_with = "form::delimiter",
        skip_serializing_if = "is_default_delimiter"
    )]
    pub delimiter: char,
    /// Its tables.
    #[serde(with = "named")]
    pub tables: Vec<Table>,
    /// How the application uses them.
    #[serde(default, with = "named")]
    pub patterns: Vec<AccessPattern>,
    /// Findings of [`Design::check`] that are known, and meant to be so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Acceptance>,
}

impl Design {
    /// A design without tables.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            delimiter: default_delimiter(),
            tables: Vec::new(),
            patterns: Vec::new(),
            accepted: Vec::new(),
        }
    }

    /// The character between the parts of the keys of a table: its own, or that of the design.
    #[must_use]
    pub fn delimiter_of(&self, table: &Table) -> char {
        table.delimiter.unwrap_or(self.delimiter)
    }

    /// The table of this name.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

fn default_delimiter() -> char {
    crate::key::DELIMITER
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_default_delimiter(delimiter: &char) -> bool {
    *delimiter == default_delimiter()
}

/// Whether a member has the value that it has when it is left out, and so can be left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
