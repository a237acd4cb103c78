//! Expressions: conditions, key conditions, projections and updates.
//!
//! An expression's text is parsed in the service's steps, since they decide which of several errors
//! is reported: tokens, then a syntax tree (`syntax`), then the names of functions and attributes
//! in text order, then placeholders and operands. The result holds attribute names and
//! [`Value`](crate::Value)s, and no placeholders:
//!
//! - [`Condition`] is a predicate over an item. It serves ConditionExpression, FilterExpression and
//!   the legacy parameters.
//! - [`KeyCondition`] selects a partition and a range of sort keys.
//! - [`Projection`] selects parts of an item.
//! - [`Update`] turns an old item into a new one.
//!
//! They can also be built in Rust, by constructors that refuse what the service refuses, and
//! [`Printer`] turns them back into text with placeholders. No function here recurses deeper than
//! [`OPERATORS_MAX`] or [`LEVELS_MAX`].
//!
//! ```
//! use singlet_dynamo::expression::{Condition, Parameter, Placeholders};
//! use singlet_dynamo::{Item, Value, binary};
//!
//! let mut placeholders = Placeholders::of(&[("#r", "round")], [(":max", Value::from(9))]);
//! let text = "attribute_exists(winner) OR #r < :max";
//! let condition = Condition::parse(text, Parameter::ConditionExpression, &mut placeholders)?;
//! placeholders.check_all_used()?;
//!
//! let stored = binary::encode(&Item::from([("round", Value::from(3))]));
//! assert!(condition.matches(Some(binary::ItemRef::new(&stored)?)));
//! assert!(!condition.matches(None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod condition;
mod fault;
mod function;
mod key_condition;
mod lexer;
mod operand;
mod overlap;
mod path;
mod placeholders;
mod print;
mod projection;
mod reserved;
mod schema;
mod syntax;
mod update;

pub use condition::{Comparator, Condition, Evaluator, Test};
pub use fault::Fault;
pub use function::Function;
pub(crate) use key_condition::unindexable;
pub use key_condition::{ByteRange, KeyCondition, KeyRange, KeyTest};
pub use operand::{Measured, Operand};
pub use path::{Element, Path};
pub use placeholders::{
    PLACEHOLDER_SIZE_MAX, PLACEHOLDERS_SIZE_MAX, Placeholders, REPEATED_SIZE_MAX,
};
pub use print::Printer;
pub use projection::Projection;
pub(crate) use update::Made;
pub use update::{
    Action, Clause, Computation, IfNotExists, SetOperand, SetValue, Update, UpdateFault,
};

use crate::error::Error;
use std::fmt;

/// Maximum length of an expression, counted like the service in UTF-16 code units.
pub const SIZE_MAX: usize = 4096;
/// Maximum number of operators and functions in an expression.
pub const OPERATORS_MAX: usize = 300;
/// Maximum number of operands of IN.
pub const IN_OPERANDS_MAX: usize = 100;
/// Maximum number of elements in a path.
pub const LEVELS_MAX: usize = 32;
/// Maximum list index in a path.
pub const INDEX_MAX: u32 = i32::MAX as u32;

/// The request parameter that contains an expression, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the parameters' names")]
pub enum Parameter {
    ConditionExpression,
    FilterExpression,
    KeyConditionExpression,
    ProjectionExpression,
    UpdateExpression,
}

impl Parameter {
    /// The name in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConditionExpression => "ConditionExpression",
            Self::FilterExpression => "FilterExpression",
            Self::KeyConditionExpression => "KeyConditionExpression",
            Self::ProjectionExpression => "ProjectionExpression",
            Self::UpdateExpression => "UpdateExpression",
        }
    }

    /// The error for a fault in this parameter.
    fn refuse(self, fault: &Fault) -> Error {
        Error::validation(format!("Invalid {self}: {fault}"))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
