//! Everything that can be wrong with an expression, and the words that the service has for it.

use super::{Path, function::Function, update::Clause};
use crate::excerpt::Excerpt;
use crate::{Type, Value};
use std::fmt;

/// What is wrong with an expression before any item is looked at.
///
/// Displays as the service's words, which follow `Invalid ConditionExpression: ` or whichever
/// parameter it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// There is no text.
    Empty,
    /// The text has more characters than [`super::SIZE_MAX`].
    TooLong(usize),
    /// A token that cannot stand where it stands.
    Syntax {
        /// The token, or `<EOF>`.
        token: String,
        /// The token with those beside it.
        near: String,
    },
    /// Two pairs of parentheses around the same thing.
    RedundantParentheses,
    /// There is no function of this name.
    UnknownFunction(String),
    /// The function is for updates, and this is a condition.
    NotForConditions(Function),
    /// The function is for conditions, and this is an update.
    NotForUpdates(Function),
    /// A condition where an operand stands, or the other way round.
    Misused(Function),
    /// The name must be written as a placeholder.
    ReservedWord(String),
    /// The index is greater than [`super::INDEX_MAX`].
    IndexOutOfRange(String),
    /// An attribute needs a name.
    EmptyName,
    /// The name of an attribute has more bytes than it may have.
    LongName,
    /// The path has more elements than [`super::LEVELS_MAX`].
    TooManyLevels(usize),
    /// The name's placeholder stands for nothing.
    UndefinedName(String),
    /// The value's placeholder stands for nothing.
    UndefinedValue(String),
    /// The function takes another number of operands.
    OperandCount(Function, usize),
    /// A path is compared to itself.
    SameOperand(&'static str, Path),
    /// The operator or function does not take operands of this type.
    OperandType(&'static str, Type),
    /// The operator or function takes a value of one type, and was given a path, which could be
    /// of any.
    AnyOperandType(&'static str),
    /// The function takes a path.
    PathWanted(Function),
    /// The second operand of `attribute_type` names no type.
    UnknownType(String),
    /// The bounds of a BETWEEN are of different types.
    BoundTypes(Box<(Value, Value)>),
    /// The bounds of a BETWEEN are in the wrong order.
    BoundOrder(Box<(Value, Value)>),
    /// IN with more operands than [`super::IN_OPERANDS_MAX`].
    TooManyInOperands(usize),
    /// More operators and functions than [`super::OPERATORS_MAX`].
    TooManyOperators,
    /// A clause of an update stands twice.
    RepeatedClause(Clause),
    /// ADD or DELETE cannot do this with a value of this type.
    ClauseOperandType(Clause, Type),
    /// Names and values that are used again have more bytes together than
    /// [`super::REPEATED_SIZE_MAX`].
    RepeatedTooLarge,
    /// One path is part of the other.
    Overlap(Path, Path),
    /// The paths take the same attribute for a map and for a list.
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
            // The service lists all types that there are, in no order that it keeps to.
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

/// The name that errors of ADD and DELETE, and no others, have for a type.
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
