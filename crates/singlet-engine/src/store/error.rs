//! The store's errors.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why the store failed.
///
/// Cheap to clone, because every write of a failed commit gets the error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// An I/O operation failed.
    Io(Arc<io::Error>),
    /// The stored data is damaged. No damaged data was returned.
    Corrupt(String),
    /// The disk is full, or a file has reached its maximum size. Nothing of the batch was written.
    /// Writes succeed again when there is room.
    Full,
    /// Another process has this folder open.
    Locked {
        /// The folder.
        folder: PathBuf,
        /// The process id of the holder, if known.
        holder: Option<u32>,
    },
    /// The folder was written by a newer version, in an unknown format.
    NewerFormat {
        /// The folder's format version.
        found: u32,
        /// The newest version that can be opened.
        known: u32,
    },
    /// The folder contains files, but not those of a store.
    NotAStore(PathBuf),
    /// The folder, or one of its files, was removed, moved or replaced while the store was open.
    /// Writes since then are lost.
    FolderReplaced(PathBuf),
    /// The disk failed before, so its state is unknown. The store rejects writes until it is
    /// reopened; if a read failed, it may also reject reads from the disk. Contains the first
    /// failure.
    Poisoned(Arc<Error>),
    /// A row is longer than [`ROW_BYTES_MAX`](super::ROW_BYTES_MAX).
    RowTooLong {
        /// Size of key and value.
        bytes: usize,
    },
    /// Not possible while a snapshot is held.
    Busy,
    /// The store was closed.
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
            // Exceeding the file size limit (RLIMIT_FSIZE) counts as a full disk.
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full,
            _ => Self::Io(Arc::new(error)),
        }
    }
}
