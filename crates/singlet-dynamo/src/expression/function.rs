//! The functions of expressions.

use std::fmt;

/// A function of conditions or updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the functions' names")]
pub enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
}

impl Function {
    const ALL: [Self; 8] = [
        Self::AttributeExists,
        Self::AttributeNotExists,
        Self::AttributeType,
        Self::BeginsWith,
        Self::Contains,
        Self::Size,
        Self::IfNotExists,
        Self::ListAppend,
    ];

    /// The name in expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AttributeExists => "attribute_exists",
            Self::AttributeNotExists => "attribute_not_exists",
            Self::AttributeType => "attribute_type",
            Self::BeginsWith => "begins_with",
            Self::Contains => "contains",
            Self::Size => "size",
            Self::IfNotExists => "if_not_exists",
            Self::ListAppend => "list_append",
        }
    }

    /// The function with this case-sensitive name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The number of operands.
    pub(super) fn operand_count(self) -> usize {
        match self {
            Self::AttributeExists | Self::AttributeNotExists | Self::Size => 1,
            _ => 2,
        }
    }

    /// Whether it is a function of updates; all others belong to conditions.
    pub(super) fn is_for_updates(self) -> bool {
        matches!(self, Self::IfNotExists | Self::ListAppend)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
