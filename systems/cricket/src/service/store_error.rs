//! Why an operation of a table failed.

use crate::error::Error;
use singlet_web::problem::{BUSY, Problem};
use std::fmt;

/// Why an operation of a table failed. A failed condition is not among it: that is an answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The store failed.
    Store(singlet::Error),
    /// The store left some of a batch undone, however often it was asked.
    StoreBusy {
        /// The keys of what was not done. Tokens are shortened to their last four characters.
        not_done: Vec<String>,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::StoreBusy { not_done } => {
                write!(f, "the store is too busy, not done: {}", not_done.join(", "))
            }
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::StoreBusy { .. } => None,
        }
    }
}

impl From<singlet::Error> for StoreError {
    fn from(error: singlet::Error) -> Self {
        Self::Store(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Store(error) => error.into(),
            StoreError::StoreBusy { .. } => {
                tracing::warn!(%error, "a batch was not finished");
                Problem::new(&BUSY).into()
            }
        }
    }
}

/// What an operation without a condition of its own answers: whether the condition held.
pub(super) fn condition_held(outcome: Result<(), singlet::Error>) -> Result<bool, StoreError> {
    match outcome {
        Ok(()) => Ok(true),
        Err(singlet::Error::ConditionFailed { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The item that an update returned; `None` if its condition did not hold.
pub(super) fn found<T>(outcome: Result<T, singlet::Error>) -> Result<Option<T>, StoreError> {
    match outcome {
        Ok(item) => Ok(Some(item)),
        Err(singlet::Error::ConditionFailed { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
