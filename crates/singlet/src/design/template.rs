//! Key templates as text: `GAME#{code}`. Their grammar is in `crates/singlet-template`, for the macros too.

use crate::key::{Form, Segment};
use serde::{Deserialize, Serialize};
pub use singlet_template::{Piece, TemplateError};
use std::fmt;
use std::str::FromStr;

/// How a key is put together: literals, and fields in braces.
///
/// `{minute:04}` is a whole number written with four digits, which is how numbers keep their order
/// within text. A brace that is meant as such is written twice.
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
    /// The pieces, in their order. No two literals stand next to each other.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The names of the fields, in their order.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::Field { name, .. } => Some(name.as_str()),
        })
    }

    /// Whether it names this field.
    #[must_use]
    pub fn names(&self, field: &str) -> bool {
        self.fields().any(|name| name == field)
    }

    /// The field that it is, if it is nothing but the value of one.
    #[must_use]
    pub fn as_field(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Field { name, width: None }] => Some(name),
            _ => None,
        }
    }

    /// The text that it is, if it names no field.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The template in the language of [`crate::key`], where `form` says what fields look like
    /// that have no width of their own.
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

    /// The key that comes out when `value` says what the fields have.
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

/// Literals that stand next to each other become one.
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
