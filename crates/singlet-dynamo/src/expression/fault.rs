//! Every mistake in an expression, with the service's message.

use super::{Path, function::Function, update::Clause};
use crate::excerpt::Excerpt;
use crate::{Type, Value};
use std::fmt;

/// A mistake in an expression, found without an item.
///
/// Displays as the service's message, which follows `Invalid ConditionExpression: ` or another
/// parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The text is empty.
    Empty,
    /// The text has more characters than [`super::SIZE_MAX`].
    TooLong(usize),
    /// An unexpected token.
    Syntax {
        /// The token, or `<EOF>`.
        token: String,
        /// The token with its neighbours.
        near: String,
    },
    /// Two pairs of parentheses around the same expression.
    RedundantParentheses,
    /// There is no function of this name.
    UnknownFunction(String),
    /// A function of updates in a condition.
    NotForConditions(Function),
    /// A function of conditions in an update.
    NotForUpdates(Function),
    /// A condition used as an operand, or the other way round.
    Misused(Function),
    /// A reserved word, which must be written as a placeholder.
    ReservedWord(String),
    /// The index is greater than [`super::INDEX_MAX`].
    IndexOutOfRange(String),
    /// An empty attribute name.
    EmptyName,
    /// An attribute name that is too long.
    LongName,
    /// The path has more elements than [`super::LEVELS_MAX`].
    TooManyLevels(usize),
    /// The name placeholder is not defined.
    UndefinedName(String),
    /// The value placeholder is not defined.
    UndefinedValue(String),
    /// The function takes another number of operands.
    OperandCount(Function, usize),
    /// A path is compared to itself.
    SameOperand(&'static str, Path),
    /// The operator or function does not take operands of this type.
    OperandType(&'static str, Type),
    /// The operator or function needs a value of one type, but got a path, which could have any.
    AnyOperandType(&'static str),
    /// The function needs a path.
    PathWanted(Function),
    /// The second operand of `attribute_type` is not a type.
    UnknownType(String),
    /// The bounds of a BETWEEN are of different types.
    BoundTypes(Box<(Value, Value)>),
    /// The bounds of a BETWEEN are in the wrong order.
    BoundOrder(Box<(Value, Value)>),
    /// IN with more operands than [`super::IN_OPERANDS_MAX`].
    TooManyInOperands(usize),
    /// More operators and functions than [`super::OPERATORS_MAX`].
    TooManyOperators,
    /// A clause of an update occurs twice.
    RepeatedClause(Clause),
    /// ADD or DELETE does not support this type.
    ClauseOperandType(Clause, Type),
    /// Repeated names and values exceed [`super::REPEATED_SIZE_MAX`] bytes in total.
    RepeatedTooLarge,
    /// One path is a prefix of the other.
    Overlap(Path, Path),
    /// The paths use the same attribute as a map and as a list.
    Conflict(Path, Path),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const OPERANDS: &str = "for operator or function; operator or function:";
        match self {
            Self::Empty => f.write_str("The expression can not be empty;"),
            Self::TooLong(size) => write!(
                f,
                "Expression size has exceeded the maximum allowed size; expression size: {size}"
            ),
            Self::Syntax { token, near } => {
                write!(f, "Syntax error; token: \"{token}\", near: \"{near}\"")
            }
            Self::RedundantParentheses => f.write_str("The expression has redundant parentheses;"),
            Self::UnknownFunction(name) => write!(f, "Invalid function name; function: {name}"),
            Self::NotForConditions(function) => write!(
                f,
                "The function is not allowed in a condition expression; function: {function}"
            ),
            Self::NotForUpdates(function) => write!(
                f,
                "The function is not allowed in an update expression; function: {function}"
            ),
            Self::Misused(function) => write!(
                f,
                "The function is not allowed to be used this way in an expression; function: {function}"
            ),
            Self::ReservedWord(name) => {
                write!(f, "Attribute name is a reserved keyword; reserved keyword: {name}")
            }
            Self::IndexOutOfRange(index) => {
                write!(f, "List index is not within the allowable range; index: [{index}]")
            }
            Self::EmptyName => f.write_str("Empty attribute name"),
            Self::LongName => {
                f.write_str("Attribute name is too large, must be less than 65536 bytes")
            }
            Self::TooManyLevels(levels) => {
                write!(f, "The document path has too many nesting levels; nesting levels: {levels}")
            }
            Self::UndefinedName(name) => write!(
                f,
                "An expression attribute name used in the document path is not defined; attribute name: {name}"
            ),
            Self::UndefinedValue(name) => write!(
                f,
                "An expression attribute value used in expression is not defined; attribute value: {name}"
            ),
            Self::OperandCount(function, count) => write!(
                f,
                "Incorrect number of operands {OPERANDS} {function}, number of operands: {count}"
            ),
            Self::SameOperand(operator, path) => write!(
                f,
                "The first operand must be distinct from the remaining operands for this operator or function; operator: {operator}, first operand: {}",
                Excerpt(path)
            ),
            Self::OperandType(operator, kind) => {
                write!(f, "Incorrect operand type {OPERANDS} {operator}, operand type: {kind}")
            }
            // The service lists all types, in varying order.
            Self::AnyOperandType(operator) => write!(
                f,
                "Incorrect operand type {OPERANDS} {operator}, operand type: {{NS,SS,L,BS,N,M,B,BOOL,NULL,S}}"
            ),
            Self::PathWanted(function) => {
                write!(
                    f,
                    "Operator or function requires a document path; operator or function: {function}"
                )
            }
            Self::UnknownType(name) => write!(
                f,
                "Invalid attribute type name found; type: {}, valid types: {{N,BS,L,B,NULL,M,S,SS,NS,BOOL}}",
                Excerpt(name)
            ),
            Self::BoundTypes(bounds) => write!(
                f,
                "The BETWEEN operator requires same data type for lower and upper bounds; {}",
                Bounds(bounds)
            ),
            Self::BoundOrder(bounds) => write!(
                f,
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; {}",
                Bounds(bounds)
            ),
            Self::TooManyInOperands(count) => write!(
                f,
                "The IN operator is provided with too many operands; number of operands: {count}"
            ),
            // The service stops counting at the first one too many.
            Self::TooManyOperators => write!(
                f,
                "The expression contains too many operators; operator count: {}",
                super::OPERATORS_MAX + 1
            ),
            Self::RepeatedClause(clause) => {
                write!(f, "The \"{clause}\" section can only be used once in an update expression;")
            }
            Self::ClauseOperandType(clause, kind) => write!(
                f,
                "Incorrect operand type for operator or function; operator: {clause}, operand type: {}, typeSet: ALLOWED_FOR_{clause}_OPERAND",
                long_name(*kind)
            ),
            Self::RepeatedTooLarge => write!(
                f,
                "The names and values that are used more than once exceed the maximum size; maximum size: {}",
                super::REPEATED_SIZE_MAX
            ),
            Self::Overlap(one, two) => write!(
                f,
                "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {}, path two: {}",
                Excerpt(one),
                Excerpt(two)
            ),
            Self::Conflict(one, two) => write!(
                f,
                "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: {}, path two: {}",
                Excerpt(one),
                Excerpt(two)
            ),
        }
    }
}

impl std::error::Error for Fault {}

struct Bounds<'a>(&'a (Value, Value));

impl fmt::Display for Bounds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lower, upper) = self.0;
        write!(
            f,
            "lower bound operand: AttributeValue: {}, upper bound operand: AttributeValue: {}",
            Excerpt(format_args!("{lower:?}")),
            Excerpt(format_args!("{upper:?}"))
        )
    }
}

/// The type's name in the errors of ADD and DELETE.
fn long_name(kind: Type) -> &'static str {
    match kind {
        Type::S => "STRING",
        Type::N => "NUMBER",
        Type::B => "BINARY",
        Type::Bool => "BOOLEAN",
        Type::Null => "NULL",
        Type::M => "MAP",
        Type::L => "LIST",
        Type::Ss => "STRING_SET",
        Type::Ns => "NUMBER_SET",
        Type::Bs => "BINARY_SET",
    }
}
