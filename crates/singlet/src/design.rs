//! A design as data: tables, entities, key templates and access patterns.
//!
//! A [`Design`] describes a single-table design in machine-readable form. It comes from a JSON file
//! ([`Design::from_json`]; the reference is `docs/design-file.md`) or from Rust types. It may
//! contain mistakes: [`Design::check`] reports them all at once, each with an explanation.
//!
//! - [`Table`], [`Index`]: where items are stored.
//! - [`Entity`], [`Attribute`], [`Template`]: the kinds of items and their keys.
//! - [`AccessPattern`], [`Operation`]: how the application reads and writes them.
//! - [`check`]: the rules and their findings.

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
mod key;
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
pub use key::{KeyAttribute, KeyAttributes};
pub use operation::{Action, ExpiredItems, KeyCondition, KeyTest, Operation};
pub use pattern::{Acceptance, AccessPattern, Caller};
pub use table::{Billing, Index, Projection, Table};
pub use template::{Piece, Template, TemplateError};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Text: a constant in macro output, owned when read from a file.
pub type Text = Cow<'static, str>;
/// A list: a constant in macro output, owned when read from a file.
pub type List<T> = Cow<'static, [T]>;

/// Borrows the text in a `const` context.
pub(crate) const fn text(text: &Text) -> &str {
    match text {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => text.as_str(),
    }
}

/// Borrows the elements in a `const` context.
pub(crate) const fn list<T: Clone>(list: &List<T>) -> &[T] {
    match list {
        Cow::Borrowed(list) => list,
        Cow::Owned(list) => list.as_slice(),
    }
}

/// Tables, and the access patterns of an application.
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
    /// Name of the design.
    pub name: String,
    /// Purpose of the design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The character that separates key parts; identifiers may not contain it.
    #[serde(
        default = "default_delimiter",
        deserialize_with = "form::delimiter",
        skip_serializing_if = "is_default_delimiter"
    )]
    pub delimiter: char,
    /// The tables.
    #[serde(with = "named")]
    pub tables: Vec<Table>,
    /// The application's access patterns.
    #[serde(default, with = "named")]
    pub patterns: Vec<AccessPattern>,
    /// Accepted findings of [`Design::check`], with reasons.
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

    /// The delimiter of a table's keys: its own, or the design's.
    #[must_use]
    pub fn delimiter_of(&self, table: &Table) -> char {
        table.delimiter.unwrap_or(self.delimiter)
    }

    /// The table with this name.
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

/// Whether a member has its default value, so that it can be left out of the file.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
