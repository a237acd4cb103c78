//! Key templates as text: `GAME#{code}`. The grammar is in `crates/singlet-template`, shared with
//! the macros.

use crate::key::{Form, Segment};
use serde::{Deserialize, Serialize};
pub use singlet_template::{Piece, TemplateError};
use std::fmt;
use std::str::FromStr;

/// A key template: literals, and fields in braces.
///
/// `{minute:04}` is an integer padded to four digits, so that numbers sort correctly as text. A
/// literal brace is doubled.
///
/// ```
/// use singlet::design::Template;
///
/// let template: Template = "GOAL#{third:01}#{minute:04}#{eventId}".parse()?;
/// assert_eq!(template.fields().collect::<Vec<_>>(), ["third", "minute", "eventId"]);
/// assert_eq!(template.to_string(), "GOAL#{third:01}#{minute:04}#{eventId}");
/// # Ok::<(), singlet::design::TemplateError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Template {
    pieces: Vec<Piece>,
}

impl Template {
    /// The pieces, in order. Literals are never adjacent.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The names of the fields, in order.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::Field { name, .. } => Some(name.as_str()),
        })
    }

    /// Whether it contains this field.
    #[must_use]
    pub fn names(&self, field: &str) -> bool {
        self.fields().any(|name| name == field)
    }

    /// The field, if the template is a single field without a width.
    #[must_use]
    pub fn as_field(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Field { name, width: None }] => Some(name),
            _ => None,
        }
    }

    /// The text, if the template has no fields.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The template as segments. `form` gives the form of fields without a width.
    pub fn segments(&self, form: impl Fn(&str) -> Form) -> Vec<Segment<'_>> {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => Segment::Literal(text),
                Piece::Field { name, width: Some(width) } => {
                    Segment::part(name, Form::Digits(*width))
                }
                Piece::Field { name, width: None } => Segment::part(name, form(name)),
            })
            .collect()
    }

    /// Builds the key, with field values from `value`.
    pub fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let mut key = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => key.push_str(text),
                Piece::Field { name, width } => {
                    let value = value(name);
                    let width = width.map_or(0, usize::from);
                    key.extend(std::iter::repeat_n('0', width.saturating_sub(value.len())));
                    key.push_str(&value);
                }
            }
        }
        key
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        singlet_template::pieces(text).map(|pieces| Self { pieces })
    }
}

/// Merges adjacent literals.
impl FromIterator<Piece> for Template {
    fn from_iter<I: IntoIterator<Item = Piece>>(all: I) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in all {
            match (pieces.last_mut(), piece) {
                (Some(Piece::Literal(before)), Piece::Literal(text)) => before.push_str(&text),
                (_, piece) => pieces.push(piece),
            }
        }
        Self { pieces }
    }
}

impl TryFrom<String> for Template {
    type Error = TemplateError;

    fn try_from(text: String) -> Result<Self, TemplateError> {
        text.parse()
    }
}

impl From<Template> for String {
    fn from(template: Template) -> Self {
        template.to_string()
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| piece.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_filled_with_zeros() {
        let template: Template = "GOAL#{minute:04}#{id}".parse().unwrap();
        let key = template.fill(|name| if name == "id" { "x".into() } else { "7".into() });
        assert_eq!(key, "GOAL#0007#x");
    }
}
