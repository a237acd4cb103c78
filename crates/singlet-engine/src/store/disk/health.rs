//! Whether the disk can still be trusted, and what redb says, in the words of the seam.

use super::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// The first failure of the disk, if there has been one. Clones are of the same disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Health(Arc<OnceLock<Arc<Error>>>);

impl Health {
    /// Refuses to go on after a failure.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.0.get() {
            Some(first) => Err(Error::Poisoned(Arc::clone(first))),
            None => Ok(()),
        }
    }

    /// Remembers a failure, if it is the first.
    pub(super) fn fail(&self, error: &Error) {
        self.0.get_or_init(|| Arc::new(error.clone()));
    }

    /// Runs something that reads or writes the file, and remembers if it failed. A full disk is no
    /// failure to remember: it is always a write that was refused and can be tried again, never an
    /// fsync (see [`Timed`](super::timed::Timed)).
    ///
    /// What the disk holds is input, and no input may take the process down. redb returns an
    /// error for most damage that it meets, but for some it panics: 5 of 1,000 files with one
    /// flipped bit made it do so, before pages were checked below it. Nothing that a panic left
    /// half done is used again: nothing is written after a failure, and redb's locks stay
    /// poisoned. The panic's message still goes to the panic hook, and from there to stderr by
    /// default.
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
            // redb says that something failed before, and not what.
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
            // Everything else says that the file is not as this module has left it: a table is
            // missing or has other types, or a lock inside redb was left by a panic.
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
