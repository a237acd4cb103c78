//! Whether a folder that is open is still where it was.

use super::Error;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How long a folder may be gone before whoever writes is refused: a write that is acknowledged
/// within this time of the change may be lost. Looking takes five `stat`s, a few microseconds, which
/// at this interval is less than a thousandth of a processor's time.
const WATCH_INTERVAL_MS: u64 = 20;

/// The folder and its files, and what their names stood for when it was opened.
#[derive(Debug)]
pub(in crate::store::disk) struct FolderWatch {
    paths: Vec<(PathBuf, Identity)>,
    begun: Instant,
    /// When they were looked at last, in milliseconds since then.
    looked_ms: AtomicU64,
}

/// The device and the number of a file on it; none where the system does not tell.
type Identity = Option<(u64, u64)>;

impl FolderWatch {
    pub(super) fn new(folder: &Path, files: &[(&str, &File)]) -> io::Result<Self> {
        let mut paths = vec![(folder.to_owned(), identity(&fs::metadata(folder)?))];
        for (name, file) in files {
            paths.push((folder.join(name), identity(&file.metadata()?)));
        }
        Ok(Self { paths, begun: Instant::now(), looked_ms: AtomicU64::new(0) })
    }

    /// Refuses to go on if the folder or a file of it is not what it was. Looks only if nobody has
    /// for a while.
    pub(in crate::store::disk) fn check(&self) -> Result<(), Error> {
        let now_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        if now_ms - self.looked_ms.load(Ordering::Relaxed).min(now_ms) < WATCH_INTERVAL_MS {
            return Ok(());
        }
        self.look()?;
        // Only once it is known to be there: others are not to rely on what is being found out.
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
