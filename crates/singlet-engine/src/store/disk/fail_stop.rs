//! Fail-stop: after the first disk failure nothing is written.

use super::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// The first disk failure, if any. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct FailStop(Arc<OnceLock<Arc<Error>>>);

impl FailStop {
    /// Fails after a failure.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.0.get() {
            Some(first) => Err(Error::Poisoned(Arc::clone(first))),
            None => Ok(()),
        }
    }

    /// Records a failure, if it is the first.
    pub(super) fn fail(&self, error: &Error) {
        self.0.get_or_init(|| Arc::new(error.clone()));
    }

    /// Runs I/O and records a failure. A full disk is not one: it is always a rejected write, which
    /// can be retried, never an fsync (see [`StoreFile`](super::file::StoreFile)).
    ///
    /// Disk contents are untrusted input and must not crash the process. redb returns an error for
    /// most damage, but panics for some: for 5 of 1,000 files with one flipped bit, before pages
    /// were verified below it. The half-finished state of a panic is not used again: nothing is
    /// written after a failure, and redb's locks stay poisoned.
    pub(super) fn guard<T>(&self, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let done = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let what = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no more is known");
            Err(Error::Corrupt(format!("the tree of pages makes no sense: {what}")))
        });
        match done {
            // redb reports that something failed before, but not what.
            Err(Error::Poisoned(unknown)) => {
                Err(Error::Poisoned(self.0.get().cloned().unwrap_or(unknown)))
            }
            Err(error @ (Error::Io(_) | Error::Corrupt(_) | Error::FolderReplaced(_))) => {
                self.fail(&error);
                Err(error)
            }
            done => done,
        }
    }
}

impl From<redb::Error> for Error {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                Self::Corrupt(error.to_string())
            }
            redb::Error::Io(error) => error.into(),
            redb::Error::Corrupted(what) => Self::Corrupt(what),
            redb::Error::TransactionInProgress => Self::Busy,
            redb::Error::DatabaseClosed => Self::Closed,
            redb::Error::PreviousIo => Self::Poisoned(Arc::new(
                io::Error::other("an operation on the file failed before").into(),
            )),
            // Any other error means that the file was altered (a missing table, other types) or
            // that a panic poisoned a lock inside redb.
            other => Self::Corrupt(other.to_string()),
        }
    }
}

macro_rules! from_redb {
    ($($error:ident)*) => {$(
        impl From<redb::$error> for Error {
            fn from(error: redb::$error) -> Self {
                Self::from(redb::Error::from(error))
            }
        }
    )*};
}

from_redb!(StorageError TableError DatabaseError TransactionError CommitError SetDurabilityError);
