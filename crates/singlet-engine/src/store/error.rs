//! What can go wrong below the seam.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why the store could not do what it was asked to.
///
/// Cheap to clone, because everybody whose write waited for one commit is told of its failure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The disk, or the system in front of it, refused an operation.
    Io(Arc<io::Error>),
    /// What the disk gave back is not what was written. Nothing of it has been handed out.
    Corrupt(String),
    /// The disk is full, or a file has reached the size that the system allows. Nothing of the
    /// batch was written. Writes go on when there is room again.
    Full,
    /// Another process works on this folder.
    Locked {
        /// The folder that was to be opened.
        folder: PathBuf,
        /// The number of that process, where it could be read.
        holder: Option<u32>,
    },
    /// The folder was written by a newer version, in a format that this one does not know.
    NewerFormat {
        /// The version that the folder has.
        found: u32,
        /// The newest version that can be opened.
        known: u32,
    },
    /// The folder holds files, but not those of a store.
    NotAStore(PathBuf),
    /// The folder, or one of its files, was removed, moved or replaced while the store had it open.
    /// What was written since is in files that nobody finds again.
    FolderReplaced(PathBuf),
    /// The disk has failed before, so that nobody knows what it holds. The store takes no more
    /// writes until it is opened again; if it was a read that failed, it may refuse to read from
    /// the disk as well. This is why.
    Poisoned(Arc<Error>),
    /// A row is longer than [`ROW_BYTES_MAX`](super::ROW_BYTES_MAX).
    RowTooLong {
        /// How long it is, key and value together.
        bytes: usize,
    },
    /// The store can only do this while nobody reads or writes.
    Busy,
    /// The store has been closed.
    Closed,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the disk refused an operation: {error}"),
            Self::Corrupt(what) => write!(f, "the stored data is damaged: {what}"),
            Self::Full => f.write_str("the disk is full"),
            Self::Locked { folder, holder } => {
                write!(f, "the folder {} is in use by ", folder.display())?;
                match holder {
                    Some(process) => write!(f, "process {process}; stop it first"),
                    None => f.write_str("another process; stop it first"),
                }
            }
            Self::NewerFormat { found, known } => write!(
                f,
                "the folder has format version {found}, but this program knows only versions up \
                 to {known}; open it with the newer program that wrote it"
            ),
            Self::NotAStore(folder) => write!(
                f,
                "the folder {} holds files, but is not a store; choose an empty folder",
                folder.display()
            ),
            Self::FolderReplaced(path) => write!(
                f,
                "{} was removed, moved or replaced while it was open; stop this process, put the \
                 folder back and start again",
                path.display()
            ),
            Self::Poisoned(first) => {
                write!(f, "the store has stopped because of an earlier failure: {first}")
            }
            Self::RowTooLong { bytes } => write!(
                f,
                "a row of {bytes} bytes is longer than the {} that can be stored",
                super::ROW_BYTES_MAX
            ),
            Self::Busy => f.write_str("the store is being read or written"),
            Self::Closed => f.write_str("the store is closed"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error.as_ref()),
            Self::Poisoned(first) => Some(first.as_ref()),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // A limit on the size of files (RLIMIT_FSIZE) is a disk that is full, too.
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full,
            _ => Self::Io(Arc::new(error)),
        }
    }
}
