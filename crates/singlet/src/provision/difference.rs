//! Differences between a table and its design.

use std::fmt;

/// A difference between a table and its design. Displays as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The name of the table.
    pub table: String,
    /// What differs.
    pub kind: DifferenceKind,
    text: String,
}

/// Kinds of differences between a table and its design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The primary key: it is another table.
    Key,
    /// The billing mode.
    Billing,
    /// The key or the projection of an index.
    Index,
    /// A local index is missing, which only a new table can get.
    MissingIndex,
    /// The design does not have an index of the table, which a newer program may have made.
    ExtraIndex,
    /// The images in the stream.
    Stream,
    /// The attribute of the time to live.
    TimeToLive,
    /// The design has no time to live, which a newer program may have enabled.
    ExtraTimeToLive,
}

impl Difference {
    pub(super) fn new(table: &str, kind: DifferenceKind, text: String) -> Self {
        Self { table: table.to_owned(), kind, text }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
