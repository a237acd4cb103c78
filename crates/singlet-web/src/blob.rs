//! Uploaded files, in a folder, in memory or in object storage.
//!
//! - [`Blobs`] stores bytes by [`BlobKey`].
//! - `image` detects image types and serves stored images.
//! - `private_folder` restricts files to their owner.

mod image;
mod key;
mod private_folder;

pub(crate) use image::not_modified;
pub use image::{FileCache, ImageType, StoredFile, sniff_image};
pub use key::BlobKey;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use private_folder::PrivateFolder;
use singlet::Timestamp;
use singlet::backend::BoxFuture;
use std::fmt;
use std::sync::Arc;

/// A store of files. Clones share it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use singlet_web::blob::{BlobKey, Blobs};
///
/// let blobs = Blobs::memory();
/// let key = BlobKey::new(["avatars", "user-1", "0192.png"])?;
/// blobs.put(&key, "bytes".into()).await?;
/// assert_eq!(blobs.get(&key).await?.as_deref(), Some(&b"bytes"[..]));
/// blobs.delete(&key).await?;
/// assert_eq!(blobs.get(&key).await?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The folder of the files, if they are in one.
    folder: Option<Arc<PrivateFolder>>,
}

impl Blobs {
    /// Stores files in a folder, which is created if missing. When `put` returns, the file is
    /// complete and durable. On Unix, new folders and files are private to their owner.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created or read.
    pub fn folder(path: &std::path::Path) -> Result<Self, BlobError> {
        let folder = PrivateFolder::open(path)?;
        let store = LocalFileSystem::new_with_prefix(path)?.with_fsync(true);
        let (store, folder) = (Arc::new(store), Some(Arc::new(folder)));
        Ok(Self { store, prefix: Path::default(), folder })
    }

    /// Stores files in memory, for tests and development.
    #[must_use]
    pub fn memory() -> Self {
        Self::new(Arc::new(InMemory::new()))
    }

    /// Stores files in any `object_store` backend, such as an S3 bucket.
    #[must_use]
    pub fn new(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, prefix: Path::default(), folder: None }
    }

    /// The files of one system: all keys are prefixed with its name.
    #[must_use]
    pub fn of_system(&self, name: &'static str) -> Self {
        Self { prefix: self.prefix.clone().join(name), ..self.clone() }
    }

    /// Stores a file, replacing any with this key.
    ///
    /// # Errors
    ///
    /// If the file cannot be stored.
    #[inline(never)]
    pub fn put<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: Bytes,
    ) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(async move {
            let path = self.path(key);
            let Some(folder) = &self.folder else {
                self.store.put(&path, bytes.into()).await?;
                return Ok(());
            };
            // The store would create folders that others can read.
            folder.create_parents(&path).await?;
            self.store.put(&path, bytes.into()).await?;
            folder.make_private(&path).await
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If the file exists and cannot be read.
    #[inline(never)]
    pub fn get<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<Option<Bytes>, BlobError>> {
        Box::pin(async move {
            match self.store.get(&self.path(key)).await {
                Ok(found) => Ok(Some(found.bytes().await?)),
                Err(object_store::Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Deletes a file, if it exists.
    ///
    /// # Errors
    ///
    /// If the file exists and cannot be deleted.
    #[inline(never)]
    pub fn delete<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(async move {
            match self.store.delete(&self.path(key)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Files under a prefix last modified before this time, unordered: for jobs that remove
    /// orphans. They may be deleted while listing. The time is the store's, not a test clock's.
    pub fn older_than(&self, prefix: &BlobKey, at: Timestamp) -> OldBlobs {
        let listed = self.store.list(Some(&self.path(prefix)));
        OldBlobs { listed, prefix: self.prefix.clone(), at }
    }

    fn path(&self, key: &BlobKey) -> Path {
        key.segments().fold(self.prefix.clone(), Path::join)
    }
}

/// Files last modified before a time; see [`Blobs::older_than`].
#[must_use = "the store is listed by calling `next`"]
pub struct OldBlobs {
    listed: BoxStream<'static, Result<ObjectMeta, object_store::Error>>,
    /// The prefix of the system's keys.
    prefix: Path,
    at: Timestamp,
}

impl OldBlobs {
    /// The next file; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the store cannot be listed.
    pub async fn next(&mut self) -> Result<Option<BlobKey>, BlobError> {
        self.find_next().await
    }

    /// Boxed, so that callers do not compile it again.
    fn find_next(&mut self) -> BoxFuture<'_, Result<Option<BlobKey>, BlobError>> {
        Box::pin(async move {
            while let Some(file) = self.listed.next().await.transpose()? {
                let is_older = file.last_modified.timestamp_millis() < self.at.as_millis();
                let Some(parts) = file.location.prefix_match(&self.prefix).filter(|_| is_older)
                else {
                    continue;
                };
                let parts: Vec<String> = parts.map(|part| part.as_ref().to_owned()).collect();
                // Skip foreign files in the folder.
                if let Ok(key) = BlobKey::new(parts.iter().map(String::as_str)) {
                    return Ok(Some(key));
                }
            }
            Ok(None)
        })
    }
}

impl fmt::Debug for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blobs({}, /{})", self.store, self.prefix)
    }
}

/// Why a file could not be stored or read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlobError {
    /// A key segment is empty, too long, or has characters other than letters, digits, `-`, `_` and
    /// `.`.
    Key,
    /// The store failed.
    Store(String),
}

impl fmt::Display for BlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key => f.write_str("not the key of a file"),
            Self::Store(why) => write!(f, "the store of files failed: {why}"),
        }
    }
}

impl std::error::Error for BlobError {}

impl From<object_store::Error> for BlobError {
    fn from(error: object_store::Error) -> Self {
        Self::Store(error.to_string())
    }
}
