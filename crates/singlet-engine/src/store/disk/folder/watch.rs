//! Detects whether an open folder was removed or replaced.

use super::Error;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How long a removed folder may go unnoticed: a write acknowledged within this time may be lost. A
/// check takes five `stat`s, a few microseconds, which at this interval is less than a thousandth
/// of a core.
const WATCH_INTERVAL_MS: u64 = 20;

/// The folder and its files, with their identities at open.
#[derive(Debug)]
pub(in crate::store::disk) struct FolderWatch {
    paths: Vec<(PathBuf, Identity)>,
    begun: Instant,
    /// Time of the last check, in milliseconds since `begun`.
    looked_ms: AtomicU64,
}

/// Device and inode; `None` where the system has none.
type Identity = Option<(u64, u64)>;

impl FolderWatch {
    pub(super) fn new(folder: &Path, files: &[(&str, &File)]) -> io::Result<Self> {
        let mut paths = vec![(folder.to_owned(), identity(&fs::metadata(folder)?))];
        for (name, file) in files {
            paths.push((folder.join(name), identity(&file.metadata()?)));
        }
        Ok(Self { paths, begun: Instant::now(), looked_ms: AtomicU64::new(0) })
    }

    /// Fails if the folder or one of its files was removed or replaced. Checks at most once per
    /// interval.
    pub(in crate::store::disk) fn check(&self) -> Result<(), Error> {
        let now_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        if now_ms - self.looked_ms.load(Ordering::Relaxed).min(now_ms) < WATCH_INTERVAL_MS {
            return Ok(());
        }
        self.look()?;
        // Only after a successful check, because other threads rely on it.
        self.looked_ms.store(now_ms, Ordering::Relaxed);
        Ok(())
    }

    fn look(&self) -> Result<(), Error> {
        for (path, before) in &self.paths {
            let now = match fs::metadata(path) {
                Ok(metadata) => identity(&metadata),
                Err(error) if is_gone(&error) => {
                    return Err(Error::FolderReplaced(path.clone()));
                }
                Err(error) => return Err(error.into()),
            };
            if now != *before {
                return Err(Error::FolderReplaced(path.clone()));
            }
        }
        Ok(())
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    None
}
