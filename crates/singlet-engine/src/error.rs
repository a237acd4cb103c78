//! What can go wrong with the engine, besides what DynamoDB itself refuses.

use crate::store;
use singlet_dynamo as dynamo;
use singlet_dynamo::fuel::OutOfFuel;
use std::fmt;

/// What the engine gives, or why it does not.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the engine did not do what it was asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request was refused, as DynamoDB would refuse it.
    Refused(dynamo::Error),
    /// The store failed: the disk is full, broken or gone, or what is on it is not what was
    /// written.
    Store(store::Error),
    /// Too many writes wait, too many heavy requests run, or a heavy write's items kept changing. Try
    /// again later.
    Overloaded,
    /// An earlier commit failed, so it is not known what the disk holds. Open the folder again to go
    /// on. Reads go on meanwhile, and see all that was acknowledged before; but if it was a read of
    /// the disk that failed, only what is in memory can still be read.
    Poisoned,
    /// The engine was closed.
    Closed,
    /// The command panicked: the write was not carried out, and nothing else was touched.
    Panicked,
}

impl Error {
    /// The error as a client of DynamoDB sees it.
    #[must_use]
    pub fn to_dynamo(&self) -> dynamo::Error {
        match self {
            Self::Refused(error) => error.clone(),
            Self::Overloaded => dynamo::Error::new(dynamo::ErrorKind::Throttling),
            Self::Store(_) | Self::Poisoned | Self::Closed | Self::Panicked => {
                dynamo::Error::new(dynamo::ErrorKind::InternalServerError)
            }
        }
    }

    /// The same for another command of the same group.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Refused(error) => Self::Refused(error.clone()),
            Self::Overloaded => Self::Overloaded,
            Self::Closed => Self::Closed,
            Self::Panicked => Self::Panicked,
            Self::Store(store::Error::Full) => Self::Store(store::Error::Full),
            Self::Store(_) | Self::Poisoned => Self::Poisoned,
        }
    }

    /// What DynamoDB says, if it is DynamoDB that refused.
    #[must_use]
    pub fn refusal(&self) -> Option<&dynamo::Error> {
        match self {
            Self::Refused(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::Overloaded => f.write_str("too many requests are waiting; try again later"),
            Self::Poisoned => f.write_str(
                "an earlier commit failed, so writing is refused; close the engine and open the folder again",
            ),
            Self::Closed => f.write_str("the engine was closed"),
            Self::Panicked => f.write_str("the operation panicked; nothing was written"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<dynamo::Error> for Error {
    fn from(error: dynamo::Error) -> Self {
        Self::Refused(error)
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

/// Why an operation that has a budget of work gave no answer.
#[derive(Debug)]
pub(crate) enum Unfinished {
    /// The budget is used up. Nothing was staged.
    OutOfFuel,
    /// A dry run has come to where it would begin to write.
    DryRun,
    Failed(Error),
}

impl From<OutOfFuel> for Unfinished {
    fn from(_: OutOfFuel) -> Self {
        Self::OutOfFuel
    }
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<dynamo::Error> for Unfinished {
    fn from(error: dynamo::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<store::Error> for Unfinished {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}
