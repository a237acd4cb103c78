//! Files whose fsyncs are timed, and whose failed fsyncs are told apart from failed writes.

use crate::statistics::{DISK_MICROS, Histogram};
use redb::StorageBackend;
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// How many microseconds each fsync took, of all files of a store. Clones are of the same store.
#[derive(Clone, Debug)]
pub(super) struct SyncMicros(Arc<Histogram>);

impl SyncMicros {
    pub(super) fn new() -> Self {
        Self(Arc::new(Histogram::new(DISK_MICROS)))
    }

    pub(super) fn histogram(&self) -> &Histogram {
        &self.0
    }
}

/// A file that tells how long its fsyncs take.
///
/// An fsync that failed is never reported as a full disk, whatever its reason. A full disk is
/// something to wait for: the write is tried again. After a failed fsync the system may have
/// dropped what it could not write, and report success the next time; so it must not be repeated.
#[derive(Debug)]
pub(super) struct Timed<B> {
    inner: B,
    sync_micros: SyncMicros,
}

impl<B> Timed<B> {
    pub(super) fn new(inner: B, sync_micros: &SyncMicros) -> Self {
        Self { inner, sync_micros: sync_micros.clone() }
    }
}

impl<B: StorageBackend> StorageBackend for Timed<B> {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.inner.set_len(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        let start = Instant::now();
        let synced = self.inner.sync_data();
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.sync_micros.0.record(micros);
        synced.map_err(|error| io::Error::other(format!("fsync failed: {error}")))
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }
}
