//! How far the files are known to reach.
//!
//! The log ends where its next record is missing, and a file that was shortened, or replaced by an
//! older one, ends sooner without looking different. So a small file of its own, `reach`, knows
//! the last record that was acknowledged, and how long the other files are at least.
//!
//! Whatever it says is true of the disk already: it is written after the fsync of what it speaks of.
//! So it needs no fsync for each commit. A process that is killed leaves it exact, because the
//! system has what was written. A power loss may leave an older state of it, which says less, and
//! is true as well. Only lengths are synced when they change, which is rare.
//!
//! docs/format.md has the layout, and what is found by it and what is not.

use super::log::Link;
use crate::store::error::Error;
use redb::StorageBackend;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The file has one length. It is written in one go, and lies in one sector, so that it is never
/// there in part.
const BYTES: usize = 48;

/// What is known of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The salt of the log that this is about.
    pub(super) salt: u64,
    /// The last record that is on the disk for certain.
    pub(super) last: Link,
    /// How long the files of the log are at least.
    pub(super) log_bytes: [u64; 2],
    /// How long the file of the base is at least.
    pub(super) data_bytes: u64,
}

impl Known {
    /// Reads the file. One that is not as it was written is damage.
    pub(super) fn read(file: &dyn StorageBackend) -> Result<Self, Error> {
        let damaged = || Error::Corrupt("the file reach is missing or damaged".to_owned());
        if file.len()? != BYTES as u64 {
            return Err(damaged());
        }
        let mut bytes = [0; BYTES];
        file.read(0, &mut bytes)?;
        Self::from_bytes(&bytes).ok_or_else(damaged)
    }

    fn to_bytes(self) -> Vec<u8> {
        let [log_0, log_1] = self.log_bytes;
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend_from_slice(&self.salt.to_le_bytes());
        bytes.extend_from_slice(&self.last.sequence.to_le_bytes());
        bytes.extend_from_slice(&log_0.to_le_bytes());
        bytes.extend_from_slice(&log_1.to_le_bytes());
        bytes.extend_from_slice(&self.data_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.last.checksum.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; BYTES]) -> Option<Self> {
        let (fields, checksum) = bytes.split_last_chunk()?;
        if crc32fast::hash(fields) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (fields, checksum) = fields.split_last_chunk()?;
        let checksum = u32::from_le_bytes(*checksum);
        let (numbers, _) = fields.as_chunks();
        let [salt, sequence, log_0, log_1, data_bytes] = numbers else { return None };
        Some(Self {
            salt: u64::from_le_bytes(*salt),
            last: Link { sequence: u64::from_le_bytes(*sequence), checksum },
            log_bytes: [u64::from_le_bytes(*log_0), u64::from_le_bytes(*log_1)],
            data_bytes: u64::from_le_bytes(*data_bytes),
        })
    }

    /// Refuses a file of the base that is shorter than it was.
    pub(super) fn check_data(&self, bytes: u64) -> Result<(), Error> {
        if bytes < self.data_bytes { Err(shortened("data")) } else { Ok(()) }
    }

    /// Refuses files of the log that are shorter than they were, or of another store.
    pub(super) fn check_log(&self, salt: u64, bytes: [u64; 2]) -> Result<(), Error> {
        if self.salt != salt {
            return Err(Error::Corrupt("the file reach is that of another store".to_owned()));
        }
        let names = ["log.0", "log.1"];
        let mut files = names.into_iter().zip(bytes.into_iter().zip(self.log_bytes));
        match files.find(|(_, (bytes, least))| bytes < least) {
            Some((name, _)) => Err(shortened(name)),
            None => Ok(()),
        }
    }
}

fn shortened(name: &str) -> Error {
    Error::Corrupt(format!("the file {name} is shorter than it was"))
}

/// The file, which is written whenever more is known.
#[derive(Debug)]
pub(super) struct Reach {
    file: Box<dyn StorageBackend>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// What the file says; none before it says anything.
    known: Option<Known>,
    is_synced: bool,
}

impl Reach {
    /// A file that is not looked at before something is recorded.
    pub(super) fn new(file: Box<dyn StorageBackend>) -> Self {
        Self { file, state: Mutex::new(State { known: None, is_synced: true }) }
    }

    /// Reads what the file says, and goes on from there.
    pub(super) fn read(&self) -> Result<Known, Error> {
        let known = Known::read(self.file.as_ref())?;
        self.state().known = Some(known);
        Ok(known)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in there is ever half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with this, on the disk when it returns.
    pub(super) fn begin(&self, known: Known) -> io::Result<()> {
        if self.file.len()? != BYTES as u64 {
            self.file.set_len(BYTES as u64)?;
        }
        self.state().known = None;
        self.record(|_| Some(known), Sync::Now)
    }

    /// Records that the log is on the disk up to a record, and how long its files are there. A
    /// length that has changed is on the disk when this returns.
    pub(super) fn record_log(&self, last: Link, log_bytes: [u64; 2]) -> io::Result<()> {
        let is_longer = |known: &Known| known.log_bytes != log_bytes;
        let sync = if self.state().known.as_ref().is_some_and(is_longer) {
            Sync::Now
        } else {
            Sync::Later
        };
        self.record(|known| Some(Known { last, log_bytes, ..known? }), sync)
    }

    /// Records that the file of the base is at least so long, on the disk when it returns.
    fn raise_data(&self, bytes: u64) -> io::Result<()> {
        self.record_data(|known| known.max(bytes))
    }

    /// Records that the file of the base may become as short as this, on the disk when it returns.
    fn lower_data(&self, bytes: u64) -> io::Result<()> {
        self.record_data(|known| known.min(bytes))
    }

    fn record_data(&self, change: impl FnOnce(u64) -> u64) -> io::Result<()> {
        let change = |known: Known| Known { data_bytes: change(known.data_bytes), ..known };
        self.record(|known| known.map(change), Sync::Now)
    }

    fn record(
        &self,
        change: impl FnOnce(Option<Known>) -> Option<Known>,
        sync: Sync,
    ) -> io::Result<()> {
        let mut state = self.state();
        let Some(known) = change(state.known).filter(|known| state.known != Some(*known)) else {
            return Ok(());
        };
        self.file.write(0, &known.to_bytes())?;
        state.known = Some(known);
        state.is_synced = sync == Sync::Now;
        drop(state);
        // Not left to another thread that syncs: it may not be done when this returns.
        if sync == Sync::Now { self.file.sync_data() } else { Ok(()) }
    }

    /// Brings what is recorded to the disk. Nobody who records waits for it.
    pub(super) fn sync(&self) -> io::Result<()> {
        if std::mem::replace(&mut self.state().is_synced, true) {
            return Ok(());
        }
        self.file.sync_data()
    }

    pub(super) fn close(&self) {
        // Nothing is promised that this could break.
        let _ = self.file.close();
    }
}

/// When something has to be on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    Now,
    Later,
}

/// The file of the base, whose length is recorded.
///
/// Only what was written here counts: a length that was found may be what an fsync that failed has
/// left in the system's memory.
#[derive(Debug)]
pub(super) struct LengthRecorder<B> {
    inner: B,
    reach: Arc<Reach>,
    /// How long the file is, as far as it has become so here.
    bytes: AtomicU64,
}

impl<B> LengthRecorder<B> {
    pub(super) fn new(inner: B, reach: &Arc<Reach>) -> Self {
        Self { inner, reach: Arc::clone(reach), bytes: AtomicU64::new(0) }
    }
}

impl<B: StorageBackend> LengthRecorder<B> {
    /// Makes the length that was found one that has become so here.
    pub(super) fn ensure_len(&self) -> io::Result<()> {
        if let Some(last) = self.inner.len()?.checked_sub(1) {
            let mut byte = [0];
            self.read(last, &mut byte)?;
            self.write(last, &byte)?;
        }
        Ok(())
    }
}

impl<B: StorageBackend> StorageBackend for LengthRecorder<B> {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        if length < self.inner.len()? {
            // Before it is true of the file: what is recorded is the least that there is.
            self.reach.lower_data(length)?;
            self.inner.set_len(length)?;
            self.bytes.fetch_min(length, Ordering::Relaxed);
        } else {
            self.inner.set_len(length)?;
            self.bytes.fetch_max(length, Ordering::Relaxed);
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let bytes = self.bytes.load(Ordering::Relaxed);
        self.inner.sync_data()?;
        self.reach.raise_data(bytes)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(offset, data)?;
        self.bytes.fetch_max(offset + data.len() as u64, Ordering::Relaxed);
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

    const KNOWN: Known = Known {
        salt: 1,
        last: Link { sequence: 2, checksum: 3 },
        log_bytes: [4, 5],
        data_bytes: 6,
    };

    #[test]
    fn what_is_known_comes_back_or_is_damaged() {
        let bytes: [u8; BYTES] = KNOWN.to_bytes().try_into().unwrap();
        assert_eq!(Known::from_bytes(&bytes), Some(KNOWN));
        for bit in 0..8 * BYTES {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Known::from_bytes(&damaged), None);
        }
    }

    #[test]
    fn a_file_of_another_length_is_damaged() {
        let file = InMemoryBackend::new();
        assert!(matches!(Known::read(&file), Err(Error::Corrupt(_))));
        file.set_len(BYTES as u64 + 1).unwrap();
        file.write(0, &KNOWN.to_bytes()).unwrap();
        assert!(matches!(Known::read(&file), Err(Error::Corrupt(_))));
        file.set_len(BYTES as u64).unwrap();
        assert_eq!(Known::read(&file).unwrap(), KNOWN);
    }
}
