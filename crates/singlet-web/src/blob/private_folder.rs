//! A folder whose files only the owner can read, on Unix.

use super::BlobError;
use object_store::path::Path;
use std::fs::DirBuilder;
use std::io;
use std::path::PathBuf;

/// Owner-only folder.
#[cfg(unix)]
const FOLDER_MODE: u32 = 0o700;
/// Owner-only file.
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;

/// A folder in which new folders and files are private to their owner. It does not rely on the
/// permissions of its parent. Existing entries keep their mode.
pub(super) struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Creates the folder if missing.
    pub(super) fn open(path: &std::path::Path) -> Result<Self, BlobError> {
        builder().recursive(true).create(path).map_err(failed)?;
        Ok(Self(path.to_owned()))
    }

    /// Creates the missing parent folders of a file. They are durable when this returns.
    pub(super) async fn create_parents(&self, file: &Path) -> Result<(), BlobError> {
        let parents: Vec<PathBuf> =
            self.path_of(file).ancestors().skip(1).map(Into::into).collect();
        let root = self.0.clone();
        blocking(move || {
            let inside = parents.into_iter().take_while(|parent| *parent != root);
            let missing: Vec<PathBuf> = inside.take_while(|parent| !parent.exists()).collect();
            for folder in missing.iter().rev() {
                match builder().create(folder) {
                    Ok(()) => {}
                    // Another request created it first.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
                sync_parent(folder)?;
            }
            Ok(())
        })
        .await
    }

    /// Restricts a written file to its owner.
    pub(super) async fn make_private(&self, file: &Path) -> Result<(), BlobError> {
        let path = self.path_of(file);
        blocking(move || match restrict(&path) {
            // Deleted concurrently.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        })
        .await
    }

    fn path_of(&self, file: &Path) -> PathBuf {
        file.parts().fold(self.0.clone(), |path, part| path.join(part.as_ref()))
    }
}

async fn blocking(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Result<(), BlobError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| BlobError::Store(error.to_string()))?.map_err(failed)
}

fn failed(error: io::Error) -> BlobError {
    BlobError::Store(error.to_string())
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, FOLDER_MODE);
    builder
}

#[cfg(unix)]
fn restrict(path: &std::path::Path) -> io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(FILE_MODE))
}

#[cfg(not(unix))]
fn restrict(_: &std::path::Path) -> io::Result<()> {
    Ok(())
}

/// Syncs the parent, which holds the entry of the new folder.
#[cfg(unix)]
fn sync_parent(folder: &std::path::Path) -> io::Result<()> {
    folder.parent().map_or(Ok(()), |parent| std::fs::File::open(parent)?.sync_all())
}

#[cfg(not(unix))]
fn sync_parent(_: &std::path::Path) -> io::Result<()> {
    Ok(())
}
