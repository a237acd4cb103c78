//! The engine's errors.

use crate::store;
use singlet_dynamo as dynamo;
use singlet_dynamo::fuel::OutOfFuel;
use std::fmt;

/// A result with the engine's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call to the engine failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// DynamoDB would reject the request in the same way.
    Refused(dynamo::Error),
    /// The store failed: the disk is full, broken or removed, or its data is corrupt.
    Store(store::Error),
    /// Too many waiting writes or heavy requests, or a heavy write's items kept changing. Try again
    /// later.
    Overloaded,
    /// An earlier commit failed, so the state on disk is unknown. Reopen the folder to continue.
    /// Reads still see every acknowledged write, unless it was a disk read that failed: then only
    /// data in memory can be read.
    Poisoned,
    /// The engine was closed.
    Closed,
    /// The command panicked. It changed nothing.
    Panicked,
}

impl Error {
    /// The error as a DynamoDB client sees it.
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

    /// A copy for another command of the same group.
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

    /// DynamoDB's error, if the request was rejected.
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

/// Why an operation with a budget did not finish.
#[derive(Debug)]
pub(crate) enum Unfinished {
    /// The budget is used up. Nothing was written.
    OutOfFuel,
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
