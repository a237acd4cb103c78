//! The file below redb, which after one failure fails for good.

use redb::StorageBackend;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A file that refuses every change after one that failed.
///
/// An fsync that failed may succeed when it is repeated, although the system has thrown away what
/// it could not write. Whoever asks the same file again is told a lie. So here nobody can: not
/// the next commit, and not redb's own goodbye when the file is closed, which would mark it as
/// sound. Opening the file again reads what is really there.
///
/// redb's locks on the file are not passed on, because the folder has a lock of its own.
#[derive(Debug)]
pub(super) struct Sticky<B> {
    inner: B,
    failed: AtomicBool,
    size: Size,
}

/// The length of the file, readable while redb has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Size(Arc<AtomicU64>);

impl Size {
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }
}

impl<B: StorageBackend> Sticky<B> {
    pub(super) fn new(inner: B) -> (Self, Size) {
        let size = Size::default();
        (Self { inner, failed: AtomicBool::new(false), size: size.clone() }, size)
    }

    fn change(&self, change: impl FnOnce(&B) -> io::Result<()>) -> io::Result<()> {
        if self.failed.load(Ordering::Acquire) {
            return Err(io::Error::other("an earlier write to this file failed"));
        }
        let changed = change(&self.inner);
        if changed.is_err() {
            self.failed.store(true, Ordering::Release);
        }
        changed
    }
}

impl<B: StorageBackend> StorageBackend for Sticky<B> {
    fn len(&self) -> io::Result<u64> {
        let length = self.inner.len()?;
        self.size.set(length);
        Ok(length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.change(|inner| inner.set_len(length))?;
        self.size.set(length);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.change(B::sync_data)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.change(|inner| inner.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }
}
