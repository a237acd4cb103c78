//! The error type of database operations.

use crate::attribute::NotStorable;
use crate::backend::BackendError;
use crate::item::Corrupt;
use crate::operation::OutOfRange;
use crate::provision::Difference;
use crate::shape::KeyFault;
use crate::subject::Subject;
use crate::transaction::OPERATIONS_MAX;
use singlet_dynamo::expression::Fault;
use singlet_dynamo::limits::ITEM_SIZE_MAX;
use singlet_dynamo::{self as dynamo, ErrorKind, Item};
use std::fmt;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed.
///
/// Attach an application's errors ("the code is taken", "not your turn") to individual operations
/// with [`or`](crate::operation::Operation::or); such an error is returned when the condition of
/// its operation fails. It needs a `From<singlet::Error>` for all other failures.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The condition of a write failed: the item is missing, already exists, or does not match.
    ConditionFailed {
        /// The name of the entity's type.
        entity: &'static str,
        /// The stored item, if any. If entities share keys, it may belong to another entity.
        item: Option<Box<Item>>,
        /// The item of the write or check, if known.
        subject: Option<Box<Subject>>,
    },
    /// An `add` would overflow the type of its field. Nothing was written.
    OutOfRange(Box<OutOfRange>),
    /// The stored item lacks part of its key in an index, and the update does not know all fields
    /// of that part: the item would stay out of the index, with half a key. It was written before
    /// the index existed, or by another program. Nothing was written: read the item and put it.
    IncompleteIndexKey {
        /// The name of the entity's type.
        entity: &'static str,
        /// The index.
        index: &'static str,
        /// The missing key attribute.
        attribute: &'static str,
        /// The item.
        subject: Option<Box<Subject>>,
    },
    /// Another transaction succeeded with this token within the last ten minutes. This one was not
    /// carried out: use a different token.
    IdempotentParameterMismatch {
        /// The token.
        token: String,
    },
    /// A transaction on the same item did not finish before the retries ran out.
    Conflict {
        /// The item, if it is known.
        subject: Option<Box<Subject>>,
    },
    /// The store is throttling requests, and the retries ran out.
    Throttled {
        /// The item of the request, if it concerned a single one.
        subject: Option<Box<Subject>>,
    },
    /// The item exceeds DynamoDB's limit of 400 KB, or would after an update.
    ItemTooLarge {
        /// The item. Its size is known if the request wrote the whole item.
        subject: Box<Subject>,
    },
    /// DynamoDB rejected the request.
    Refused {
        /// DynamoDB's error.
        error: dynamo::Error,
        /// The item of the request, if it concerned a single one.
        subject: Option<Box<Subject>>,
    },
    /// A value cannot be part of a key.
    Key(KeyFault),
    /// A value cannot be represented in DynamoDB.
    NotStorable(NotStorable),
    /// A condition compares with a missing value.
    MissingOperand,
    /// A condition, update or projection exceeds a DynamoDB limit or contradicts itself.
    Expression(Fault),
    /// The index does not project an attribute that the read returns or filters by.
    NotProjected {
        /// The index.
        index: &'static str,
        /// The attribute that is not projected.
        attribute: &'static str,
    },
    /// A query filters by an attribute of the key that it reads, which DynamoDB rejects. Use
    /// [`with`](crate::Query::with) or a range instead.
    FilteredKey {
        /// The index, or `None` for the table.
        index: Option<&'static str>,
        /// The key attribute.
        attribute: &'static str,
    },
    /// A stored item does not match its entity.
    Corrupt(Corrupt),
    /// An upsert may have to create the item, and does not set every required attribute.
    Incomplete {
        /// The name of the entity's type.
        entity: &'static str,
        /// The missing attribute.
        attribute: &'static str,
    },
    /// A transaction exceeds the maximum number of operations.
    TooManyOperations {
        /// The number of operations.
        count: usize,
    },
    /// Tables differ from their design, and were not changed; see
    /// [`Db::provision`](crate::Db::provision).
    Differs {
        /// What differs.
        differences: Vec<Difference>,
    },
    /// Timed out waiting for a table to be created or changed.
    NotReady {
        /// The table.
        table: String,
    },
    /// Part of a batch was still unprocessed when the retries ran out.
    Unprocessed {
        /// The number of items.
        count: usize,
        /// Their keys, as far as known.
        keys: Vec<Item>,
    },
    /// The cursor is not signed with this key, or belongs to another query.
    Cursor,
    /// Paging needs a key to sign cursors with, and the settings have none.
    NoCursorKey,
    /// The operating system could not supply random bytes for the cursor key.
    RandomUnavailable,
    /// The table has no stream, so a feed cannot resume from a position.
    NoStream {
        /// The table.
        table: String,
    },
    /// The position is no longer in the stream: it is older than a day, or the stream was
    /// recreated.
    PositionExpired {
        /// The table.
        table: String,
    },
    /// The text is not a position, or is a position in another table.
    Position,
    /// An I/O failure: disk, network or credentials.
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
            Self::IncompleteIndexKey { entity, index, subject, .. } => {
                write!(
                    f,
                    "the stored {entity} lacks its key in the index {index}, and this update does not know all of it: read the item and `put` it"
                )?;
                write_subject(f, subject.as_deref())
            }
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
            Self::Differs { differences } => {
                f.write_str("the tables differ from the design")?;
                let mut separator = ": ";
                for difference in differences {
                    write!(f, "{separator}{difference}")?;
                    separator = "; ";
                }
                Ok(())
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
    /// The error that DynamoDB rejected the request with, unless it has its own variant here.
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

    /// The item that the error is about, if known.
    #[must_use]
    pub fn subject(&self) -> Option<&Subject> {
        match self {
            Self::ConditionFailed { subject, .. }
            | Self::IncompleteIndexKey { subject, .. }
            | Self::Conflict { subject }
            | Self::Throttled { subject }
            | Self::Refused { subject, .. } => subject.as_deref(),
            Self::ItemTooLarge { subject } => Some(subject),
            Self::OutOfRange(sum) => sum.subject.as_ref(),
            Self::Corrupt(corrupt) => Some(corrupt.subject()),
            _ => None,
        }
    }

    /// Attaches the item, if there is one; see [`about`](Self::about).
    pub(crate) fn about_any(self, item: Option<Subject>) -> Self {
        match item {
            Some(item) => self.about(|| item),
            None => self,
        }
    }

    /// Attaches the item, unless the error has one already.
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
            | Self::IncompleteIndexKey { subject, .. }
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
            Self::IncompleteIndexKey { entity, index, attribute, .. } => {
                let subject = Some(Box::new(item));
                Self::IncompleteIndexKey { entity, index, attribute, subject }
            }
            Self::OutOfRange(mut sum) => {
                sum.subject = Some(item);
                Self::OutOfRange(sum)
            }
            other => other,
        }
    }
}

/// Whether DynamoDB rejected the item for its size. Writes and updates use different messages.
pub(crate) fn is_too_large(error: &dynamo::Error) -> bool {
    error.kind() == ErrorKind::Validation && says_too_large(error.message())
}

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
