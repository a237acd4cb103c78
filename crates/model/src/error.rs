//! What can go wrong.

use crate::attribute::Unstorable;
use crate::backend::BackendError;
use crate::item::Corrupt;
use crate::shape::KeyFault;
use crate::transaction::OPERATIONS_MAX;
use singlet_dynamo::expression::Fault;
use singlet_dynamo::{ErrorKind, Item};
use std::fmt;

/// What an operation gives, or why it does not.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation did not do what it was asked.
///
/// An application has errors of its own: a code is taken, it is not your turn. They are given to
/// the operation that they belong to, with [`or`](crate::operation::Operation::or), and come back
/// when that operation is refused. All they need is a `From<singlet::Error>` for everything else.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The condition of a write did not hold: the item is not there, or is there already, or is
    /// not as the condition says.
    ConditionFailed {
        /// The name of the entity's type.
        entity: &'static str,
        /// The item as it is stored, if there is one.
        item: Option<Box<Item>>,
    },
    /// Another transaction is changing one of the items, and did not finish while this one waited.
    Conflict,
    /// The store has more to do than it takes on, and it still had when all attempts were made.
    Throttled,
    /// A value cannot stand in a key.
    Key(KeyFault),
    /// A value has no form in DynamoDB.
    Unstorable(Unstorable),
    /// A condition compares with a value that is missing.
    MissingOperand,
    /// A condition, an update or a projection is larger than DynamoDB takes, or contradicts itself.
    Expression(Fault),
    /// An index does not hold what is to be read of its items.
    NotProjected {
        /// The index.
        index: &'static str,
        /// An attribute that it does not hold.
        attribute: &'static str,
    },
    /// A stored item is not what its entity says.
    Corrupt(Corrupt),
    /// An upsert might have to make an item, and does not set all that one must have.
    Incomplete {
        /// The name of the entity's type.
        entity: &'static str,
        /// The attribute that would be missing.
        attribute: &'static str,
    },
    /// A transaction has more operations than it may have.
    TooManyOperations {
        /// How many it has.
        count: usize,
    },
    /// A table is being made or changed for longer than anybody waits.
    NotReady {
        /// Its name.
        table: String,
    },
    /// Some of a batch was not carried out, however often it was tried.
    Unprocessed {
        /// How many items.
        count: usize,
    },
    /// A cursor was made by somebody else, or for another query.
    Cursor,
    /// Pages are read, and the settings have no secret with which cursors are signed.
    NoCursorKey,
    /// The operating system gave no random numbers for the secret with which cursors are signed.
    RandomUnavailable,
    /// The store does not do this.
    Backend(BackendError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConditionFailed { entity, item: Some(_) } => {
                write!(f, "the stored {entity} is not as the condition says")
            }
            Self::ConditionFailed { entity, item: None } => {
                write!(f, "there is no {entity} as the condition says")
            }
            Self::Conflict => f.write_str("another transaction is changing one of the items"),
            Self::Throttled => f.write_str("the store has too much to do; try again later"),
            Self::Key(fault) => fault.fmt(f),
            Self::Unstorable(fault) => fault.fmt(f),
            Self::MissingOperand => f.write_str("a condition compares with a missing value"),
            Self::Expression(fault) => fault.fmt(f),
            Self::NotProjected { index, attribute } => {
                write!(f, "the index {index} does not hold `{attribute}`; read less with `project`")
            }
            Self::Corrupt(fault) => fault.fmt(f),
            Self::Incomplete { entity, attribute } => {
                write!(f, "a new {entity} would have no `{attribute}`: set it in the upsert")
            }
            Self::TooManyOperations { count } => {
                write!(
                    f,
                    "a transaction has at most {OPERATIONS_MAX} operations, and this one {count}"
                )
            }
            Self::NotReady { table } => write!(f, "the table {table} is still being made"),
            Self::Unprocessed { count } => {
                write!(
                    f,
                    "the store has too much to do: {count} items of a batch were not processed"
                )
            }
            Self::Cursor => f.write_str("the cursor is not one of this query"),
            Self::NoCursorKey => f.write_str(
                "there is no key to sign cursors with: set `Settings::cursor_key`, to a secret that all instances share, or to `CursorKey::of_this_process()`",
            ),
            Self::RandomUnavailable => f.write_str("the operating system gives no random numbers"),
            Self::Backend(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Key(fault) => Some(fault),
            Self::Unstorable(fault) => Some(fault),
            Self::Expression(fault) => Some(fault),
            Self::Corrupt(fault) => Some(fault),
            Self::Backend(error) => Some(error),
            _ => None,
        }
    }
}

impl From<KeyFault> for Error {
    fn from(fault: KeyFault) -> Self {
        Self::Key(fault)
    }
}

impl From<Unstorable> for Error {
    fn from(fault: Unstorable) -> Self {
        Self::Unstorable(fault)
    }
}

impl From<Corrupt> for Error {
    fn from(fault: Corrupt) -> Self {
        Self::Corrupt(fault)
    }
}

/// What every operation can meet has a name of its own.
impl From<BackendError> for Error {
    fn from(error: BackendError) -> Self {
        match &error {
            BackendError::Refused(refused) => match refused.kind() {
                ErrorKind::Throttling | ErrorKind::ProvisionedThroughputExceeded => Self::Throttled,
                ErrorKind::TransactionConflict => Self::Conflict,
                _ => Self::Backend(error),
            },
            BackendError::Failed(_) => Self::Backend(error),
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Expression(fault)
    }
}

/// A request that the language refuses to build.
impl From<singlet_dynamo::Error> for Error {
    fn from(error: singlet_dynamo::Error) -> Self {
        BackendError::Refused(error).into()
    }
}
