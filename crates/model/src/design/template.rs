//! Key templates as text: `GAME#{code}`.

use crate::key::{Form, Segment};
use serde::{Deserialize, Serialize};
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

/// A piece of a [`Template`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Text that stands in every key.
    Literal(String),
    /// The value of a field.
    Field {
        /// The field's name.
        name: String,
        /// With how many digits a number is written, if the template says so.
        width: Option<u8>,
    },
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

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// A brace opens and nothing closes it.
    Unclosed(String),
    /// A brace closes and nothing opened it.
    Unopened(String),
    /// Between the braces is no name.
    Nameless(String),
    /// After the colon is no width.
    Width(String, String),
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed(text) => write!(
                f,
                "`{text}` has a `{{` without a `}}`: close it, or write `{{{{` for the character"
            ),
            Self::Unopened(text) => write!(
                f,
                "`{text}` has a `}}` without a `{{`: open it, or write `}}}}` for the character"
            ),
            Self::Nameless(text) => {
                write!(f, "`{text}` has braces without a name: write a field's name between them")
            }
            Self::Width(text, width) => write!(
                f,
                "`{text}` has the width `{width}`: write a zero and the number of digits, at most \
                 38, as in `{{minute:04}}`"
            ),
        }
    }
}

impl std::error::Error for TemplateError {}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(place) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(place);
            literal.push_str(before);
            if let Some(after) = brace.strip_prefix("{{") {
                literal.push('{');
                rest = after;
            } else if let Some(after) = brace.strip_prefix("}}") {
                literal.push('}');
                rest = after;
            } else if let Some(after) = brace.strip_prefix('{') {
                let (field, after) = after
                    .split_once('}')
                    .ok_or_else(|| TemplateError::Unclosed(text.to_owned()))?;
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(field_of(field, text)?);
                rest = after;
            } else {
                return Err(TemplateError::Unopened(text.to_owned()));
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self { pieces })
    }
}

fn field_of(field: &str, text: &str) -> Result<Piece, TemplateError> {
    /// Numbers have at most this many digits.
    const WIDTH_MAX: u8 = 38;

    let (name, width) = match field.split_once(':') {
        None => (field, None),
        Some((name, width)) => {
            let digits = width.strip_prefix('0').unwrap_or_default();
            let found = digits.parse().ok().filter(|width| (1..=WIDTH_MAX).contains(width));
            let wrong = || TemplateError::Width(text.to_owned(), width.to_owned());
            (name, Some(found.ok_or_else(wrong)?))
        }
    };
    if name.is_empty() || name.contains('{') {
        return Err(TemplateError::Nameless(text.to_owned()));
    }
    Ok(Piece::Field { name: name.to_owned(), width })
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
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => {
                    f.write_str(&text.replace('{', "{{").replace('}', "}}"))?;
                }
                Piece::Field { name, width: None } => write!(f, "{{{name}}}")?,
                Piece::Field { name, width: Some(width) } => write!(f, "{{{name}:0{width}}}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_as_it_was() {
        for text in ["", "METADATA", "GAME#{code}", "{a}{b}", "{{{a}}}", "{n:04}#é", "{{}}"] {
            let template: Template = text.parse().unwrap();
            assert_eq!(template.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_template_says_what_to_do() {
        let message = |text: &str| text.parse::<Template>().unwrap_err().to_string();
        assert_eq!(
            message("GAME#{code"),
            "`GAME#{code` has a `{` without a `}`: close it, or write `{{` for the character"
        );
        assert_eq!(
            message("GAME#code}"),
            "`GAME#code}` has a `}` without a `{`: open it, or write `}}` for the character"
        );
        assert_eq!(
            message("GAME#{}"),
            "`GAME#{}` has braces without a name: write a field's name between them"
        );
        for width in ["4", "", "0", "039", "00", "0x"] {
            assert!(message(&format!("{{n:{width}}}")).contains("as in `{minute:04}`"), "{width}");
        }
    }

    #[test]
    fn numbers_are_filled_with_zeros() {
        let template: Template = "GOAL#{minute:04}#{id}".parse().unwrap();
        let key = template.fill(|name| if name == "id" { "x".into() } else { "7".into() });
        assert_eq!(key, "GOAL#0007#x");
    }
}
