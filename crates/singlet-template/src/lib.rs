//! The grammar of key templates: text with fields in braces, `GAME#{code}`.
//!
//! Templates occur in Rust declarations, which the macros read, and in design files, which
//! `singlet` reads. The macros cannot depend on `singlet`, so the shared grammar is here.
//!
//! ```
//! use singlet_template::{Piece, pieces};
//!
//! let goal = pieces("GOAL#{minute:04}")?;
//! assert_eq!(goal, [
//!     Piece::Literal("GOAL#".into()),
//!     Piece::Field { name: "minute".into(), width: Some(4) },
//! ]);
//! # Ok::<(), singlet_template::TemplateError>(())
//! ```

use std::fmt;

/// Maximum number of digits: the precision of a DynamoDB number.
pub const WIDTH_MAX: u8 = 38;

/// Whether a character can separate key parts: ASCII, but not a letter, digit, space or control
/// character.
///
/// ```
/// use singlet_template::is_delimiter;
///
/// assert!(is_delimiter('#') && is_delimiter('|'));
/// assert!(!is_delimiter('a') && !is_delimiter(' ') && !is_delimiter('→'));
/// ```
#[must_use]
pub const fn is_delimiter(character: char) -> bool {
    character.is_ascii_punctuation()
}

/// Message for an invalid delimiter.
pub const DELIMITER_RULE: &str =
    "a delimiter is one ASCII character that is neither a letter, a digit nor a space";

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Fixed text.
    Literal(String),
    /// The value of a field.
    Field {
        /// Name of the field.
        name: String,
        /// Number of digits, if the template gives one.
        width: Option<u8>,
    },
}

/// Formats the piece in template syntax.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            Self::Field { name, width: None } => write!(f, "{{{name}}}"),
            Self::Field { name, width: Some(width) } => write!(f, "{{{name}:0{width}}}"),
        }
    }
}

/// A syntax error in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// An opening brace without a closing one.
    Unclosed(String),
    /// A closing brace without an opening one.
    Unopened(String),
    /// No valid name between the braces.
    Nameless(String),
    /// No valid width after the colon.
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
                 {WIDTH_MAX}, as in `{{minute:04}}`"
            ),
        }
    }
}

impl std::error::Error for TemplateError {}

/// Parses a template. Literals are never adjacent or empty.
///
/// `{minute:04}` is an integer padded to four digits, so that numbers sort correctly as text. A
/// literal brace is doubled.
///
/// # Errors
///
/// If a brace is unbalanced, or a name or width is invalid.
pub fn pieces(text: &str) -> Result<Vec<Piece>, TemplateError> {
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
            let (field, after) =
                after.split_once('}').ok_or_else(|| TemplateError::Unclosed(text.to_owned()))?;
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
    Ok(pieces)
}

fn field_of(field: &str, text: &str) -> Result<Piece, TemplateError> {
    let (name, width) = match field.split_once(':') {
        None => (field, None),
        Some((name, width)) => {
            let digits = width.strip_prefix('0').unwrap_or_default();
            // `parse` would accept a sign.
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            let found = digits.parse().ok().filter(|width| (1..=WIDTH_MAX).contains(width));
            let found = found.filter(|_| is_plain);
            let wrong = || TemplateError::Width(text.to_owned(), width.to_owned());
            (name, Some(found.ok_or_else(wrong)?))
        }
    };
    if name.is_empty() || name.contains('{') {
        return Err(TemplateError::Nameless(text.to_owned()));
    }
    Ok(Piece::Field { name: name.to_owned(), width })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_as_it_was() -> Result<(), TemplateError> {
        for text in ["", "METADATA", "GAME#{code}", "{a}{b}", "{{{a}}}", "{n:04}#é", "{{}}"] {
            let written: String = pieces(text)?.iter().map(ToString::to_string).collect();
            assert_eq!(written, text);
        }
        Ok(())
    }

    #[test]
    fn what_is_no_template_says_what_to_do() {
        let message = |text: &str| pieces(text).map_err(|error| error.to_string());
        for (text, expected) in [
            (
                "GAME#{code",
                "`GAME#{code` has a `{` without a `}`: close it, or write `{{` for the character",
            ),
            (
                "GAME#code}",
                "`GAME#code}` has a `}` without a `{`: open it, or write `}}` for the character",
            ),
            ("GAME#{}", "`GAME#{}` has braces without a name: write a field's name between them"),
        ] {
            assert_eq!(message(text), Err(expected.to_owned()));
        }
        for width in ["4", "", "0", "039", "00", "0x", "0+4"] {
            let found = message(&format!("{{n:{width}}}")).err().unwrap_or_default();
            assert!(found.contains("as in `{minute:04}`"), "{width}: {found}");
        }
        assert!(message("{n:038}").is_ok());
    }
}
