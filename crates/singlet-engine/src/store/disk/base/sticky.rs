//! The file below redb, which after a failure is not written to again; unless the disk was full, and
//! has room again.

use super::Error;
use redb::StorageBackend;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// redb reads and writes whole pages of this size, but for its header, which is in the first.
const PAGE_BYTES: usize = 4096;

/// A file that takes no change after one that failed, and hides the failure from redb.
///
/// An fsync that failed may succeed when it is repeated, although the system has thrown away what
/// it could not write. Whoever asks the same file again is told a lie. So here nobody can: not
/// the next commit, and not redb's own goodbye when the file is closed, which would mark it as
/// sound. Whoever opens the file again reads what the system still has of it, but builds on nothing
/// that is not synced anew: redb writes its header when it is opened, and all that the header leads
/// to was synced before.
///
/// redb is not told, because it would then refuse to read as well, and what was committed before
/// can still be read. Instead, what it changes from the failure on stays in memory, where it
/// finds it again. That is the rest of one transaction: whoever began it asks the [`FailureFlag`]
/// afterwards, learns that it failed, shows it to nobody, and begins no other.
///
/// If it was a write that failed because the disk is full, nothing is in doubt: all that was written
/// before is where it was written, and what was held back is known. Then [`Retry`] completes the
/// transaction. That is never done after an fsync that failed, whose error is not [`Error::Full`].
///
/// redb's locks on the file are not passed on, because the folder has a lock of its own.
#[derive(Debug)]
pub(super) struct Sticky<B>(Arc<Shared<B>>);

#[derive(Debug)]
struct Shared<B> {
    inner: B,
    watch: FailureFlag,
    after: RwLock<After>,
}

/// Writes what was held back since the disk was full, if anything was.
pub(super) type Retry = Box<dyn Fn() -> Result<(), Error> + Send + Sync>;

/// What can be known of a file while redb has it.
#[derive(Clone, Debug, Default)]
pub(super) struct FailureFlag(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// The length of the file.
    bytes: AtomicU64,
    has_failed: AtomicBool,
    /// The first change that failed.
    failure: Mutex<Option<Error>>,
}

/// What redb has changed since the failure.
#[derive(Debug, Default)]
struct After {
    pages: BTreeMap<u64, Box<[u8]>>,
    length: Option<u64>,
}

impl FailureFlag {
    pub(super) fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Refuses to go on if a change has failed.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.failure().clone().map_or(Ok(()), Err)
    }

    fn has_failed(&self) -> bool {
        self.0.has_failed.load(Ordering::Acquire)
    }

    fn failure(&self) -> MutexGuard<'_, Option<Error>> {
        // Nothing in there is ever half done.
        self.0.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_failure(&self, failure: Option<Error>) {
        let mut current = self.failure();
        self.0.has_failed.store(failure.is_some(), Ordering::Release);
        *current = failure;
    }
}

impl<B: StorageBackend> Sticky<B> {
    pub(super) fn new(inner: B) -> (Self, FailureFlag, Retry) {
        let watch = FailureFlag::default();
        let shared = Arc::new(Shared { inner, watch: watch.clone(), after: RwLock::default() });
        let held_back = Arc::clone(&shared);
        (Self(shared), watch, Box::new(move || held_back.retry()))
    }
}

impl<B: StorageBackend> Shared<B> {
    /// Changes the file, or what is seen in its place once a change has failed.
    fn change(
        &self,
        on_disk: impl FnOnce(&B) -> io::Result<()>,
        afterwards: impl FnOnce(&mut After),
    ) {
        if !self.watch.has_failed() {
            match on_disk(&self.inner) {
                Ok(()) => return,
                Err(error) => self.watch.set_failure(Some(error.into())),
            }
        }
        // Nothing in there is ever half done.
        afterwards(&mut self.after.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn after(&self) -> RwLockReadGuard<'_, After> {
        self.after.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn retry(&self) -> Result<(), Error> {
        match self.watch.check() {
            Ok(()) => return Ok(()),
            Err(Error::Full) => {}
            Err(error) => return Err(error),
        }
        let mut after = self.after.write().unwrap_or_else(PoisonError::into_inner);
        match after.write(&self.inner).map_err(Error::from) {
            Ok(()) => {
                *after = After::default();
                self.watch.set_failure(None);
                Ok(())
            }
            Err(error) => {
                self.watch.set_failure(Some(error.clone()));
                Err(error)
            }
        }
    }
}

impl After {
    /// Writes all of it. As in a commit of redb the header comes last, and leads to nothing that is
    /// not on the disk already; and a file shrinks after its header says so.
    fn write(&self, file: &impl StorageBackend) -> io::Result<()> {
        let is_shrunk = match self.length {
            Some(length) => length < file.len()?,
            None => false,
        };
        if let Some(length) = self.length.filter(|_| !is_shrunk) {
            file.set_len(length)?;
        }
        for (place, page) in self.pages.range(1..) {
            file.write(*place, page)?;
        }
        file.sync_data()?;
        if let Some(header) = self.pages.get(&0) {
            file.write(0, header)?;
            file.sync_data()?;
        }
        match self.length.filter(|_| is_shrunk) {
            Some(length) => file.set_len(length),
            None => Ok(()),
        }
    }
}

impl<B: StorageBackend> StorageBackend for Sticky<B> {
    fn len(&self) -> io::Result<u64> {
        let length = match self.0.after().length {
            Some(length) => length,
            None => self.0.inner.len()?,
        };
        self.0.watch.0.bytes.store(length, Ordering::Relaxed);
        Ok(length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if !self.0.watch.has_failed() {
            return self.0.inner.read(offset, out);
        }
        let after = self.0.after();
        for (place, out) in (offset..).step_by(PAGE_BYTES).zip(out.chunks_mut(PAGE_BYTES)) {
            match after.pages.get(&place).and_then(|page| page.get(..out.len())) {
                Some(page) => out.copy_from_slice(page),
                // The file may be shorter than redb was made to believe.
                None if place >= self.0.inner.len()? => out.fill(0),
                None => self.0.inner.read(place, out)?,
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.change(|inner| inner.set_len(length), |after| after.length = Some(length));
        self.0.watch.0.bytes.store(length, Ordering::Relaxed);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.change(B::sync_data, |_| {});
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.change(
            |inner| inner.write(offset, data),
            |after| {
                for (place, page) in (offset..).step_by(PAGE_BYTES).zip(data.chunks(PAGE_BYTES)) {
                    after.pages.insert(place, page.into());
                }
            },
        );
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.0.inner.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    /// A file that takes so many changes before it fails.
    #[derive(Debug)]
    struct Failing(InMemoryBackend, AtomicU64);

    impl Failing {
        fn step(&self) -> io::Result<()> {
            match self
                .1
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            {
                Ok(_) => Ok(()),
                Err(_) => Err(io::ErrorKind::StorageFull.into()),
            }
        }
    }

    impl StorageBackend for Failing {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }

        fn set_len(&self, length: u64) -> io::Result<()> {
            self.step()?;
            self.0.set_len(length)
        }

        fn sync_data(&self) -> io::Result<()> {
            self.step()
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.step()?;
            self.0.write(offset, data)
        }
    }

    #[test]
    fn what_comes_after_a_failure_is_seen_but_not_written() {
        let (file, watch, retry) = Sticky::new(Failing(InMemoryBackend::new(), AtomicU64::new(2)));
        let page = |byte| vec![byte; PAGE_BYTES];
        file.set_len(3 * PAGE_BYTES as u64).unwrap();
        file.write(0, &[page(1), page(2), page(3)].concat()).unwrap();
        watch.check().unwrap();
        file.write(PAGE_BYTES as u64, &page(7)).unwrap();
        assert!(matches!(watch.check(), Err(Error::Full)));
        file.write(0, &[9; 320]).unwrap();
        file.set_len(4 * PAGE_BYTES as u64).unwrap();
        file.sync_data().unwrap();

        let mut read = vec![0; 2 * PAGE_BYTES];
        file.read(PAGE_BYTES as u64, &mut read).unwrap();
        assert_eq!(read, [page(7), page(3)].concat());
        let mut header = [0; 320];
        file.read(0, &mut header).unwrap();
        assert_eq!((header, file.len().unwrap()), ([9; 320], 4 * PAGE_BYTES as u64));
        let disk = &file.0.inner;
        disk.0.read(PAGE_BYTES as u64, &mut read).unwrap();
        assert_eq!(read, [page(2), page(3)].concat());
        assert_eq!(disk.len().unwrap(), 3 * PAGE_BYTES as u64);

        // There is room for a part of it, and then for all.
        disk.1.store(2, Ordering::Relaxed);
        assert!(matches!(retry(), Err(Error::Full)));
        assert!(matches!(watch.check(), Err(Error::Full)));
        disk.1.store(100, Ordering::Relaxed);
        retry().unwrap();
        watch.check().unwrap();
        disk.0.read(PAGE_BYTES as u64, &mut read).unwrap();
        assert_eq!(read, [page(7), page(3)].concat());
        disk.0.read(0, &mut header).unwrap();
        assert_eq!((header, disk.len().unwrap()), ([9; 320], 4 * PAGE_BYTES as u64));
    }
}
