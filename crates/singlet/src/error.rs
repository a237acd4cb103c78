//! What can go wrong.

use crate::attribute::NotStorable;
use crate::backend::BackendError;
use crate::item::Corrupt;
use crate::operation::OutOfRange;
use crate::shape::KeyFault;
use crate::subject::Subject;
use crate::transaction::OPERATIONS_MAX;
use singlet_dynamo::expression::Fault;
use singlet_dynamo::limits::ITEM_SIZE_MAX;
use singlet_dynamo::{self as dynamo, ErrorKind, Item};
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
        /// The item as it is stored, if there is one. If entities share keys, it may be one of
        /// another entity.
        item: Option<Box<Item>>,
        /// The item that was to be written or checked, if it is known.
        subject: Option<Box<Subject>>,
    },
    /// An `add` would have made a number that the type of its field cannot hold. Nothing was
    /// written.
    OutOfRange(Box<OutOfRange>),
    /// The token of a transaction was used within the last ten minutes by another one, which was
    /// carried out. This one was not: give it a token of its own.
    IdempotentParameterMismatch {
        /// The token.
        token: String,
    },
    /// Another transaction is changing one of the items, and did not finish while this one waited.
    Conflict {
        /// The item, if it is known.
        subject: Option<Box<Subject>>,
    },
    /// The store has more to do than it takes on, and it still had when all attempts were made.
    Throttled {
        /// The item of the request, if it was about one.
        subject: Option<Box<Subject>>,
    },
    /// An item is larger than DynamoDB takes, which is 400 KB, or would be so after an update.
    ItemTooLarge {
        /// The item. Its size is known if it was to be written as a whole.
        subject: Box<Subject>,
    },
    /// DynamoDB refuses a request.
    Refused {
        /// Why, in DynamoDB's words.
        error: dynamo::Error,
        /// The item of the request, if it was about one.
        subject: Option<Box<Subject>>,
    },
    /// A value cannot stand in a key.
    Key(KeyFault),
    /// A value has no form in DynamoDB.
    NotStorable(NotStorable),
    /// A condition compares with a value that is missing.
    MissingOperand,
    /// A condition, an update or a projection is larger than DynamoDB takes, or contradicts itself.
    Expression(Fault),
    /// An index does not hold what is to be read of its items, or what they are filtered by.
    NotProjected {
        /// The index.
        index: &'static str,
        /// An attribute that it does not hold.
        attribute: &'static str,
    },
    /// A query filters by an attribute of the key that it reads, which DynamoDB refuses: what the key
    /// must be is said with [`with`](crate::Query::with) and with ranges.
    FilteredKey {
        /// The index, if it is not the table that is read.
        index: Option<&'static str>,
        /// The key attribute.
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
        /// Their keys, as far as they are known.
        keys: Vec<Item>,
    },
    /// A cursor was made by somebody else, or for another query.
    Cursor,
    /// Pages are read, and the settings have no secret with which cursors are signed.
    NoCursorKey,
    /// The operating system gave no random numbers for the secret with which cursors are signed.
    RandomUnavailable,
    /// A table has no stream, so that nobody can go on from a position in it.
    NoStream {
        /// Its name.
        table: String,
    },
    /// A position is no longer in the stream: it is older than a day, or the stream was made anew.
    PositionExpired {
        /// The name of the table.
        table: String,
    },
    /// A text is no position, or one of another table.
    Position,
    /// Something failed on the way: the disk, the network, the credentials.
    Backend(BackendError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConditionFailed { entity, item, subject } => {
                f.write_str(match item {
                    Some(_) => "the item that is stored is not as the condition says",
                    None => "there is no item as the condition says",
                })?;
                match subject {
                    Some(subject) => write!(f, " ({subject})"),
                    None => write!(f, " ({entity})"),
                }
            }
            Self::OutOfRange(sum) => sum.fmt(f),
            Self::IdempotentParameterMismatch { token } => write!(
                f,
                "another transaction was carried out with the token `{token}`, and this one was not: give it a token of its own, or, if it is the same, the moment of the first attempt with `at`"
            ),
            Self::Conflict { subject } => {
                f.write_str("another transaction is changing one of the items")?;
                write_subject(f, subject.as_deref())
            }
            Self::Throttled { subject } => {
                f.write_str("the store has too much to do; try again later")?;
                write_subject(f, subject.as_deref())
            }
            Self::ItemTooLarge { subject } => {
                write!(f, "an item has at most {ITEM_SIZE_MAX} bytes, and this one more: {subject}")
            }
            Self::Refused { error, subject } => {
                error.fmt(f)?;
                write_subject(f, subject.as_deref())
            }
            Self::Key(fault) => fault.fmt(f),
            Self::NotStorable(fault) => fault.fmt(f),
            Self::MissingOperand => f.write_str("a condition compares with a missing value"),
            Self::Expression(fault) => fault.fmt(f),
            Self::NotProjected { index, attribute } => {
                write!(
                    f,
                    "the index {index} does not hold `{attribute}`, which is read or filtered by; read less with `project`, or let the index project it"
                )
            }
            Self::FilteredKey { index, attribute } => {
                let owner = index.unwrap_or("the table");
                write!(
                    f,
                    "`{attribute}` is a key attribute of {owner}, which a query cannot filter by: fix the parts of the key, or ask for a range"
                )
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
            Self::Unprocessed { count, .. } => {
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
            Self::NoStream { table } => write!(
                f,
                "the table {table} has no stream with both images: declare it with `stream` and \
                 provision it"
            ),
            Self::PositionExpired { table } => write!(
                f,
                "the stream of the table {table} no longer has this position: read the current \
                 state, and go on with `changes`"
            ),
            Self::Position => f.write_str("the position is not one of this table"),
            Self::Backend(error) => error.fmt(f),
        }
    }
}

fn write_subject(f: &mut fmt::Formatter<'_>, subject: Option<&Subject>) -> fmt::Result {
    subject.map_or(Ok(()), |subject| write!(f, " ({subject})"))
}

impl Error {
    /// Why DynamoDB refused the request, if it did so in words of its own.
    ///
    /// ```
    /// use singlet::dynamo::{Error, ErrorKind};
    ///
    /// let error = singlet::Error::from(Error::new(ErrorKind::ResourceNotFound));
    /// assert_eq!(error.refusal().unwrap().kind(), ErrorKind::ResourceNotFound);
    /// ```
    #[must_use]
    pub fn refusal(&self) -> Option<&dynamo::Error> {
        match self {
            Self::Refused { error, .. } | Self::Backend(BackendError::Refused(error)) => {
                Some(error)
            }
            _ => None,
        }
    }

    /// The item that the error is about, if it is known.
    #[must_use]
    pub fn subject(&self) -> Option<&Subject> {
        match self {
            Self::ConditionFailed { subject, .. }
            | Self::Conflict { subject }
            | Self::Throttled { subject }
            | Self::Refused { subject, .. } => subject.as_deref(),
            Self::ItemTooLarge { subject } => Some(subject),
            Self::OutOfRange(sum) => sum.subject.as_ref(),
            Self::Corrupt(corrupt) => Some(corrupt.subject()),
            _ => None,
        }
    }

    /// The same error, about this item if it is known.
    pub(crate) fn about_any(self, item: Option<Subject>) -> Self {
        match item {
            Some(item) => self.about(|| item),
            None => self,
        }
    }

    /// The same error, about this item, unless it is about another one already.
    pub(crate) fn about(self, item: impl FnOnce() -> Subject) -> Self {
        match self.lacks_subject() {
            true => self.with_subject(item()),
            false => self,
        }
    }

    fn lacks_subject(&self) -> bool {
        match self {
            Self::Refused { subject, .. }
            | Self::Throttled { subject }
            | Self::Conflict { subject }
            | Self::ConditionFailed { subject, .. } => subject.is_none(),
            Self::OutOfRange(sum) => sum.subject.is_none(),
            _ => false,
        }
    }

    fn with_subject(self, item: Subject) -> Self {
        match self {
            Self::Refused { error, .. } if is_too_large(&error) => {
                Self::ItemTooLarge { subject: Box::new(item) }
            }
            Self::Refused { error, .. } => Self::Refused { error, subject: Some(Box::new(item)) },
            Self::Throttled { .. } => Self::Throttled { subject: Some(Box::new(item)) },
            Self::Conflict { .. } => Self::Conflict { subject: Some(Box::new(item)) },
            Self::ConditionFailed { entity, item: stored, .. } => {
                Self::ConditionFailed { entity, item: stored, subject: Some(Box::new(item)) }
            }
            Self::OutOfRange(mut sum) => {
                sum.subject = Some(item);
                Self::OutOfRange(sum)
            }
            other => other,
        }
    }
}

/// Whether an item is larger than DynamoDB takes. Writes and updates say so in different words.
pub(crate) fn is_too_large(error: &dynamo::Error) -> bool {
    error.kind() == ErrorKind::Validation && says_too_large(error.message())
}

/// Whether this text says that an item is larger than DynamoDB takes.
pub(crate) fn says_too_large(message: &str) -> bool {
    message.starts_with("Item size") && message.ends_with("has exceeded the maximum allowed size")
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::OutOfRange(sum) => Some(&**sum),
            Self::Key(fault) => Some(fault),
            Self::NotStorable(fault) => Some(fault),
            Self::Expression(fault) => Some(fault),
            Self::Corrupt(fault) => Some(fault),
            Self::Refused { error, .. } => Some(error),
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

impl From<NotStorable> for Error {
    fn from(fault: NotStorable) -> Self {
        Self::NotStorable(fault)
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
        match error {
            BackendError::Refused(refused) => refused.into(),
            BackendError::NoStream { table } => Self::NoStream { table },
            BackendError::PositionExpired { table } => Self::PositionExpired { table },
            BackendError::Position => Self::Position,
            BackendError::Failed(_) => Self::Backend(error),
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Expression(fault)
    }
}

/// A request that DynamoDB refuses, or that the language refuses to build.
impl From<dynamo::Error> for Error {
    fn from(error: dynamo::Error) -> Self {
        match error.kind() {
            ErrorKind::Throttling | ErrorKind::ProvisionedThroughputExceeded => {
                Self::Throttled { subject: None }
            }
            ErrorKind::TransactionConflict => Self::Conflict { subject: None },
            _ => Self::Refused { error, subject: None },
        }
    }
}
