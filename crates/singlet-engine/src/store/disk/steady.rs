//! A file that brings what is written to the disk little by little.

use redb::StorageBackend;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes may wait for the next fsync. The disk works through them in some tens of
/// milliseconds, and that is how long an fsync of the log may have to wait behind them.
const UNSYNCED_BYTES_MAX: u64 = 4 << 20;

/// A file that is synced whenever much has been written to it.
///
/// A transaction of redb writes tens of megabytes at once and then calls fsync, and whoever
/// commits meanwhile waits until the disk has worked through all of it. The same bytes in smaller
/// portions let commits in between. That more is synced than was asked for harms nobody.
#[derive(Debug)]
pub(super) struct Steady<B> {
    inner: B,
    unsynced_bytes: AtomicU64,
}

impl<B> Steady<B> {
    pub(super) fn new(inner: B) -> Self {
        Self { inner, unsynced_bytes: AtomicU64::new(0) }
    }
}

impl<B: StorageBackend> StorageBackend for Steady<B> {
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
        self.unsynced_bytes.store(0, Ordering::Relaxed);
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(offset, data)?;
        let before = self.unsynced_bytes.fetch_add(data.len() as u64, Ordering::Relaxed);
        if before + data.len() as u64 > UNSYNCED_BYTES_MAX {
            self.sync_data()?;
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    /// A file that counts how often it is synced.
    #[derive(Debug)]
    struct Counting(InMemoryBackend, AtomicU64);

    impl StorageBackend for Counting {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }

        fn set_len(&self, length: u64) -> io::Result<()> {
            self.0.set_len(length)
        }

        fn sync_data(&self) -> io::Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.0.write(offset, data)
        }
    }

    #[test]
    fn much_that_is_written_is_synced_unasked() {
        const STEP: usize = 1 << 20;
        let file = Steady::new(Counting(InMemoryBackend::new(), AtomicU64::new(0)));
        file.set_len(16 * STEP as u64).unwrap();
        let write = |step: u64| {
            file.write(step * STEP as u64, &[1; STEP]).unwrap();
            file.inner.1.load(Ordering::Relaxed)
        };
        // Four megabytes may wait, and a fifth may not.
        let syncs: Vec<u64> = (0..7).map(write).collect();
        assert_eq!(syncs, [0, 0, 0, 0, 1, 1, 1]);
        // Whoever syncs leaves nothing that waits.
        file.sync_data().unwrap();
        let syncs: Vec<u64> = (7..12).map(write).collect();
        assert_eq!(syncs, [2, 2, 2, 2, 3]);
    }
}
