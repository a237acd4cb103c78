//! A file of a store.

use crate::statistics::Histogram;
use redb::StorageBackend;
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// A file that records how long its fsyncs take.
///
/// A failed fsync is never reported as a full disk, regardless of its cause. A write that failed
/// because the disk is full is retried later; an fsync must not be, because the kernel may have
/// dropped the dirty pages and would report success the next time.
#[derive(Debug)]
pub(super) struct StoreFile {
    inner: Box<dyn StorageBackend>,
    sync_micros: Arc<Histogram>,
}

impl StoreFile {
    pub(super) fn new(inner: impl StorageBackend, sync_micros: &Arc<Histogram>) -> Self {
        Self { inner: Box::new(inner), sync_micros: Arc::clone(sync_micros) }
    }

    #[cfg(test)]
    pub(super) fn untimed(inner: impl StorageBackend) -> Self {
        Self::new(inner, &Arc::new(Histogram::new(crate::statistics::DISK_MICROS)))
    }

    pub(super) fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    pub(super) fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    pub(super) fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(offset, data)
    }

    pub(super) fn set_len(&self, length: u64) -> io::Result<()> {
        self.inner.set_len(length)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        let start = Instant::now();
        let synced = self.inner.sync_data();
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.sync_micros.record(micros);
        synced.map_err(|error| io::Error::other(format!("fsync failed: {error}")))
    }

    pub(super) fn close(&self) -> io::Result<()> {
        self.inner.close()
    }
}
