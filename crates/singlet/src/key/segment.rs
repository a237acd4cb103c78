//! Key templates, piece by piece.

/// The default separator of key parts, which identifiers may not contain.
pub const DELIMITER: char = '#';

/// The form of a key part's values in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One or more characters, except this one (ASCII): an identifier.
    Without(u8),
    /// Any characters, or none: unchecked text.
    Open,
    /// This many decimal digits.
    Digits(u8),
    /// A UTC timestamp with milliseconds: `2026-01-31T09:30:00.000Z`.
    Timestamp,
    /// A UTC timestamp with nanoseconds: `2026-01-31T09:30:00.000000000Z`.
    TimestampNanos,
    /// A date: `2026-01-31`.
    Date,
    /// A UUID with hyphens, in lowercase: `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`.
    Uuid,
}

impl Form {
    /// The form of identifiers: they cannot contain the [`DELIMITER`].
    pub const CLOSED: Self = Self::Without(DELIMITER as u8);

    /// The form of identifiers without this delimiter, an ASCII character.
    #[must_use]
    pub const fn without(delimiter: char) -> Self {
        assert!(
            delimiter.is_ascii_punctuation(),
            "a delimiter is one ASCII character that is neither a letter, a digit nor a space"
        );
        Self::Without(delimiter as u8)
    }

    /// Whether all values of this form have the same length. Only such values sort the same way
    /// alone and within a key, and no value is a prefix of another.
    #[must_use]
    pub const fn is_fixed_width(self) -> bool {
        matches!(self, Self::Digits(_)) || self.picture().is_some()
    }

    /// The pattern of a timestamp, a date or a UUID, with `0` for each digit and `f` for each
    /// hexadecimal digit.
    pub(crate) const fn picture(self) -> Option<&'static str> {
        match self {
            Self::Timestamp => Some("0000-00-00T00:00:00.000Z"),
            Self::TimestampNanos => Some("0000-00-00T00:00:00.000000000Z"),
            Self::Date => Some("0000-00-00"),
            Self::Uuid => Some("ffffffff-ffff-ffff-ffff-ffffffffffff"),
            Self::Without(_) | Self::Open | Self::Digits(_) => None,
        }
    }
}

/// A piece of a key template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment<'t> {
    /// Literal text.
    Literal(&'t str),
    /// The value of a field.
    Part {
        /// The field's name.
        name: &'t str,
        /// The form of its values.
        form: Form,
    },
}

impl<'t> Segment<'t> {
    /// The value of the field with this name.
    #[must_use]
    pub const fn part(name: &'t str, form: Form) -> Self {
        Self::Part { name, form }
    }
}
