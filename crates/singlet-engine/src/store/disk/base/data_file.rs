//! The file below redb.
//!
//! This layer between redb and the file adds:
//!
//! - *Fail-stop.* After a failed write or fsync the file is never changed again. The kernel may
//!   report success for a repeated fsync although it has dropped the pages, so neither the next
//!   commit nor redb's clean-shutdown header may reach the disk. redb is not notified, because it
//!   would also stop reading: later changes stay in memory, where redb finds them, and the caller
//!   of the transaction learns of the failure from [`DataFile::check`]. A write that failed because
//!   the disk was full is different: earlier writes are intact, so [`DataFile::retry`] completes
//!   the transaction once there is space.
//! - *Checksums.* Every page is verified when it is read: see [`checksums`](super::checksums).
//! - *The high-water mark.* The length of the file is recorded after it was synced, and before it
//!   is truncated.
//! - *Paced syncs.* redb writes tens of megabytes before it syncs, which would delay fsyncs of the
//!   log. So the file is synced after every few megabytes.
//!
//! redb's file locks are not passed on: the folder has its own.

use super::checksums::{self, Checksums, HEADER_BYTES_MAX, PAGE_BYTES};
use crate::store::disk::file::StoreFile;
use crate::store::disk::high_water_mark::MarkFile;
use crate::store::error::Error;
use crate::sync::{Mutex, RwLock};
use redb::StorageBackend;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes written between two fsyncs. The disk writes them in some tens of milliseconds, which
/// bounds the delay of a concurrent fsync of the log.
const UNSYNCED_BYTES_MAX: u64 = 4 << 20;

/// A file for redb. Clones share it.
#[derive(Clone, Debug)]
pub(in crate::store::disk) struct DataFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    file: StoreFile,
    /// `None` while a new base is created.
    mark_file: Option<Arc<MarkFile>>,
    checksums: Mutex<Checksums>,
    /// Bytes written since the last fsync.
    unsynced_bytes: AtomicU64,
    /// The length reached by writes through this value. The length at open does not count: after a
    /// failed fsync it may exist only in the kernel's memory.
    reached_bytes: AtomicU64,
    redb_bytes: AtomicU64,
    has_failed: AtomicBool,
    /// The first failed change.
    failure: Mutex<Option<Error>>,
    held_back: RwLock<HeldBack>,
}

/// Changes by redb since the failure.
#[derive(Debug, Default)]
struct HeldBack {
    pages: BTreeMap<u64, Box<[u8]>>,
    length: Option<u64>,
}

impl DataFile {
    pub(in crate::store::disk) fn new(file: StoreFile, mark_file: Option<Arc<MarkFile>>) -> Self {
        Self(Arc::new(Shared {
            file,
            mark_file,
            checksums: Mutex::default(),
            unsynced_bytes: AtomicU64::new(0),
            reached_bytes: AtomicU64::new(0),
            redb_bytes: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            failure: Mutex::default(),
            held_back: RwLock::default(),
        }))
    }

    /// The length of the file on disk.
    pub(in crate::store::disk) fn disk_bytes(&self) -> io::Result<u64> {
        self.0.file.len()
    }

    /// Rewrites the last byte, so that the current length counts as reached.
    pub(in crate::store::disk) fn ensure_len(&self) -> io::Result<()> {
        if let Some(last) = self.0.file.len()?.checked_sub(1) {
            let mut byte = [0];
            self.0.file.read(last, &mut byte)?;
            self.0.write(last, &byte)?;
        }
        Ok(())
    }

    /// The length that redb sees.
    pub(super) fn redb_bytes(&self) -> u64 {
        self.0.redb_bytes.load(Ordering::Relaxed)
    }

    /// Fails if a change has failed.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.0.failure.lock().clone().map_or(Ok(()), Err)
    }

    /// Writes the changes held back by a full disk.
    pub(super) fn retry(&self) -> Result<(), Error> {
        match self.check() {
            Ok(()) => return Ok(()),
            Err(Error::Full) => {}
            Err(error) => return Err(error),
        }
        let mut held_back = self.0.held_back.write();
        match held_back.write(&self.0).map_err(Error::from) {
            Ok(()) => {
                *held_back = HeldBack::default();
                self.0.set_failure(None);
                Ok(())
            }
            Err(error) => {
                self.0.set_failure(Some(error.clone()));
                Err(error)
            }
        }
    }
}

/// Raw bytes of the file.
impl Shared {
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let bytes = data.len() as u64;
        self.file.write(offset, data)?;
        self.reached_bytes.fetch_max(offset + bytes, Ordering::Relaxed);
        let unsynced = self.unsynced_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if unsynced > UNSYNCED_BYTES_MAX {
            self.unsynced_bytes.store(0, Ordering::Relaxed);
            self.file.sync()?;
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        if length < self.file.len()? {
            // Before truncating: the mark is a lower bound.
            if let Some(mark_file) = &self.mark_file {
                mark_file.lower_data(length)?;
            }
            self.file.set_len(length)?;
            self.reached_bytes.fetch_min(length, Ordering::Relaxed);
        } else {
            self.file.set_len(length)?;
            self.reached_bytes.fetch_max(length, Ordering::Relaxed);
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let reached = self.reached_bytes.load(Ordering::Relaxed);
        self.unsynced_bytes.store(0, Ordering::Relaxed);
        self.file.sync()?;
        match &self.mark_file {
            Some(mark_file) => mark_file.raise_data(reached),
            None => Ok(()),
        }
    }
}

/// redb's pages, with checksums.
impl Shared {
    fn pages_len(&self) -> io::Result<u64> {
        self.file.len().map(checksums::redb_length)
    }

    fn read_pages(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if offset == 0 && out.len() <= HEADER_BYTES_MAX {
            return checksums::read_header(&self.file, out);
        }
        let first = checksums::page_number(offset, out.len())?;
        for (page, run) in checksums::runs(first, out.len()) {
            let run = out.get_mut(run).unwrap_or_default();
            self.file.read(checksums::place(page), run)?;
            for (page, bytes) in (page..).zip(run.chunks(PAGE_BYTES)) {
                self.checksums.lock().verify(page, bytes, &self.file)?;
            }
        }
        Ok(())
    }

    fn write_pages(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if offset == 0 && data.len() <= HEADER_BYTES_MAX {
            return self.write(checksums::place(0), &checksums::header_sector(data));
        }
        let first = checksums::page_number(offset, data.len())?;
        for (page, run) in checksums::runs(first, data.len()) {
            let run = data.get(run).unwrap_or_default();
            for (page, bytes) in (page..).zip(run.chunks(PAGE_BYTES)) {
                self.checksums.lock().set(page, bytes, &self.file)?;
            }
            self.write(checksums::place(page), run)?;
        }
        Ok(())
    }

    /// Writes the changed checksums, then syncs. They are copied first, so that readers do not wait
    /// for the lock during disk I/O. If a write fails, they count as changed again.
    fn sync_pages(&self) -> io::Result<()> {
        let changed = self.checksums.lock().take_changed();
        let write = |sector: &checksums::Sector| self.write(sector.place, &sector.bytes);
        if let Err(error) = changed.iter().try_for_each(write) {
            self.checksums.lock().put_back(&changed);
            return Err(error);
        }
        self.sync()
    }

    fn set_pages_len(&self, length: u64) -> io::Result<()> {
        self.set_len(checksums::disk_length(length))
    }
}

/// Fail-stop.
impl Shared {
    fn set_failure(&self, failure: Option<Error>) {
        let mut current = self.failure.lock();
        self.has_failed.store(failure.is_some(), Ordering::Release);
        *current = failure;
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Changes the file, or after a failure only redb's view of it.
    fn change(
        &self,
        on_disk: impl FnOnce(&Self) -> io::Result<()>,
        held_back: impl FnOnce(&mut HeldBack),
    ) {
        if !self.has_failed() {
            match on_disk(self) {
                Ok(()) => return,
                Err(error) => self.set_failure(Some(error.into())),
            }
        }
        held_back(&mut self.held_back.write());
    }
}

impl HeldBack {
    /// Writes everything in redb's commit order: the header after the fsync of the pages it refers
    /// to, and truncation after the header.
    fn write(&self, file: &Shared) -> io::Result<()> {
        let is_shrunk = match self.length {
            Some(length) => length < file.pages_len()?,
            None => false,
        };
        if let Some(length) = self.length.filter(|_| !is_shrunk) {
            file.set_pages_len(length)?;
        }
        for (place, page) in self.pages.range(1..) {
            file.write_pages(*place, page)?;
        }
        file.sync_pages()?;
        if let Some(header) = self.pages.get(&0) {
            file.write_pages(0, header)?;
            file.sync_pages()?;
        }
        match self.length.filter(|_| is_shrunk) {
            Some(length) => file.set_pages_len(length),
            None => Ok(()),
        }
    }
}

impl StorageBackend for DataFile {
    fn len(&self) -> io::Result<u64> {
        let length = match self.0.held_back.read().length {
            Some(length) => length,
            None => self.0.pages_len()?,
        };
        self.0.redb_bytes.store(length, Ordering::Relaxed);
        Ok(length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if !self.0.has_failed() {
            return self.0.read_pages(offset, out);
        }
        let held_back = self.0.held_back.read();
        for (place, out) in (offset..).step_by(PAGE_BYTES).zip(out.chunks_mut(PAGE_BYTES)) {
            match held_back.pages.get(&place).and_then(|page| page.get(..out.len())) {
                Some(page) => out.copy_from_slice(page),
                // The file may be shorter than redb believes.
                None if place >= self.0.pages_len()? => out.fill(0),
                None => self.0.read_pages(place, out)?,
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0
            .change(|file| file.set_pages_len(length), |held_back| held_back.length = Some(length));
        self.0.redb_bytes.store(length, Ordering::Relaxed);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.change(Shared::sync_pages, |_| {});
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.change(
            |file| file.write_pages(offset, data),
            |held_back| {
                for (place, page) in (offset..).step_by(PAGE_BYTES).zip(data.chunks(PAGE_BYTES)) {
                    held_back.pages.insert(place, page.into());
                }
            },
        );
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.0.file.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    /// A file that counts fsyncs and is full after a number of changes.
    #[derive(Clone, Debug)]
    struct Limited(Arc<Disk>);

    #[derive(Debug)]
    struct Disk {
        file: InMemoryBackend,
        changes_left: AtomicU64,
        syncs: AtomicU64,
    }

    impl Disk {
        fn step(&self) -> io::Result<()> {
            let step = |left: u64| left.checked_sub(1);
            match self.changes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step) {
                Ok(_) => Ok(()),
                Err(_) => Err(io::ErrorKind::StorageFull.into()),
            }
        }
    }

    impl StorageBackend for Limited {
        fn len(&self) -> io::Result<u64> {
            self.0.file.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.file.read(offset, out)
        }

        fn set_len(&self, length: u64) -> io::Result<()> {
            self.0.step()?;
            self.0.file.set_len(length)
        }

        fn sync_data(&self) -> io::Result<()> {
            self.0.syncs.fetch_add(1, Ordering::Relaxed);
            self.0.step()
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.0.step()?;
            self.0.file.write(offset, data)
        }
    }

    fn limited(changes: u64) -> (DataFile, Arc<Disk>) {
        let disk = Arc::new(Disk {
            file: InMemoryBackend::new(),
            changes_left: AtomicU64::new(changes),
            syncs: AtomicU64::new(0),
        });
        (DataFile::new(StoreFile::untimed(Limited(Arc::clone(&disk))), None), disk)
    }

    fn plain() -> (DataFile, Arc<Disk>) {
        limited(u64::MAX)
    }

    #[test]
    fn pages_across_groups_come_back() {
        let (file, disk) = plain();
        let count = 3 * checksums::GROUP_PAGES as usize;
        file.set_len((count * PAGE_BYTES) as u64).unwrap();
        let data: Vec<u8> = (0..count * PAGE_BYTES).map(|at| (at / 1000) as u8).collect();
        file.write(PAGE_BYTES as u64, &data[PAGE_BYTES..]).unwrap();
        file.sync_data().unwrap();
        file.check().unwrap();

        let file = DataFile::new(StoreFile::untimed(Limited(disk)), None);
        let mut read = vec![0; (count - 5) * PAGE_BYTES];
        file.read(5 * PAGE_BYTES as u64, &mut read).unwrap();
        assert!(read == data[5 * PAGE_BYTES..]);
        assert_eq!(file.len().unwrap(), data.len() as u64);
    }

    #[test]
    fn a_page_that_was_never_written_is_zeros() {
        let (file, _) = plain();
        file.set_len(10 * PAGE_BYTES as u64).unwrap();
        let mut read = vec![1; PAGE_BYTES];
        file.read(3 * PAGE_BYTES as u64, &mut read).unwrap();
        assert_eq!(read, vec![0; PAGE_BYTES]);
    }

    #[test]
    fn damage_is_noticed() {
        let (file, disk) = plain();
        file.set_len(10 * PAGE_BYTES as u64).unwrap();
        file.write(0, &[7; 320]).unwrap();
        file.write(PAGE_BYTES as u64, &[7; PAGE_BYTES]).unwrap();
        file.sync_data().unwrap();
        disk.file.write(checksums::place(0) + 100, &[8]).unwrap();
        disk.file.write(checksums::place(1) + 100, &[8]).unwrap();
        let mut header = [0; 320];
        let mut page = [0; PAGE_BYTES];
        assert_eq!(file.read(0, &mut header).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let error = file.read(PAGE_BYTES as u64, &mut page).unwrap_err();
        assert_eq!(error.to_string(), "page 1 has a wrong checksum");
    }

    #[test]
    fn much_that_is_written_is_synced_unasked() {
        const STEP: usize = 1 << 20;
        let (file, disk) = plain();
        file.set_len(16 * STEP as u64).unwrap();
        let write = |step: u64| {
            file.0.write(step * STEP as u64, &[1; STEP]).unwrap();
            disk.syncs.load(Ordering::Relaxed)
        };
        // Up to four megabytes may be unsynced.
        let syncs: Vec<u64> = (0..7).map(write).collect();
        assert_eq!(syncs, [0, 0, 0, 0, 1, 1, 1]);
        // An explicit fsync resets the count.
        file.0.sync().unwrap();
        let syncs: Vec<u64> = (7..12).map(write).collect();
        assert_eq!(syncs, [2, 2, 2, 2, 3]);
    }

    #[test]
    fn changes_after_a_failure_are_seen_but_not_written() {
        let (file, disk) = limited(2);
        let page = |byte| vec![byte; PAGE_BYTES];
        let on_disk = |place: u64| {
            let mut read = page(0);
            disk.file.read(checksums::place(place), &mut read).unwrap();
            read
        };
        file.set_len(3 * PAGE_BYTES as u64).unwrap();
        file.write(0, &[page(1), page(2), page(3)].concat()).unwrap();
        file.check().unwrap();
        let length = disk.file.len().unwrap();
        file.write(PAGE_BYTES as u64, &page(7)).unwrap();
        assert!(matches!(file.check(), Err(Error::Full)));
        file.write(0, &[9; 320]).unwrap();
        file.set_len(4 * PAGE_BYTES as u64).unwrap();
        file.sync_data().unwrap();

        let mut read = vec![0; 2 * PAGE_BYTES];
        file.read(PAGE_BYTES as u64, &mut read).unwrap();
        assert_eq!(read, [page(7), page(3)].concat());
        let mut header = [0; 320];
        file.read(0, &mut header).unwrap();
        assert_eq!((header, file.len().unwrap()), ([9; 320], 4 * PAGE_BYTES as u64));
        assert_eq!((on_disk(1), disk.file.len().unwrap()), (page(2), length));

        // First there is space for a part of it, then for all.
        disk.changes_left.store(2, Ordering::Relaxed);
        assert!(matches!(file.retry(), Err(Error::Full)));
        assert!(matches!(file.check(), Err(Error::Full)));
        disk.changes_left.store(100, Ordering::Relaxed);
        file.retry().unwrap();
        file.check().unwrap();
        assert_eq!((on_disk(1), on_disk(2)), (page(7), page(3)));
        file.read(0, &mut header).unwrap();
        assert_eq!((header, file.len().unwrap()), ([9; 320], 4 * PAGE_BYTES as u64));
        assert!(disk.file.len().unwrap() > length);
    }
}
