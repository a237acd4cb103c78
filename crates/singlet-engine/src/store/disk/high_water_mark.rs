//! The high-water mark: the last durable record of the log, and the minimum length of each file.
//!
//! The log ends at the first missing record, so a truncated file, or an older copy, looks like a
//! shorter log. The mark tells them apart. It is stored in `reach`, a file of 48 bytes.
//!
//! The mark is written after the fsync of what it describes, so an older mark is still true, and it
//! needs no fsync per commit. After a kill it is exact, because the kernel has it. A power loss may
//! leave an older one. Lengths are synced when they change, which is rare.
//!
//! docs/format.md has the layout and lists the damage that is detected.

use super::file::StoreFile;
use super::log::Link;
use crate::store::error::Error;
use crate::sync::Mutex;
use std::io;

/// Fixed length, written at once and within one sector, so it is never torn.
const BYTES: usize = 48;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HighWaterMark {
    pub(super) salt: u64,
    /// The last durable record.
    pub(super) last: Link,
    /// Minimum lengths of the log's files.
    pub(super) log_bytes: [u64; 2],
    /// Minimum length of the data file.
    pub(super) data_bytes: u64,
}

impl HighWaterMark {
    /// The mark of an empty store.
    pub(super) const NONE: Self =
        Self { salt: 0, last: Link::NONE, log_bytes: [0; 2], data_bytes: 0 };

    /// Reads the file. Anything unexpected is damage.
    pub(super) fn read(file: &StoreFile) -> Result<Self, Error> {
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

    /// Rejects a data file that was truncated.
    pub(super) fn check_data(&self, bytes: u64) -> Result<(), Error> {
        if bytes < self.data_bytes { Err(shortened("data")) } else { Ok(()) }
    }

    /// Rejects log files that were truncated or belong to another store.
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

#[derive(Debug)]
pub(super) struct MarkFile {
    file: StoreFile,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The contents of the file; `None` until it is read or written.
    mark: Option<HighWaterMark>,
    is_synced: bool,
}

impl MarkFile {
    pub(super) fn new(file: StoreFile) -> Self {
        Self { file, state: Mutex::new(State { mark: None, is_synced: true }) }
    }

    /// Reads the mark, to continue from there.
    pub(super) fn read(&self) -> Result<HighWaterMark, Error> {
        let mark = HighWaterMark::read(&self.file)?;
        self.state.lock().mark = Some(mark);
        Ok(mark)
    }

    /// Writes and syncs the first mark of a store.
    pub(super) fn begin(&self, mark: HighWaterMark) -> io::Result<()> {
        if self.file.len()? != BYTES as u64 {
            self.file.set_len(BYTES as u64)?;
        }
        self.state.lock().mark = None;
        self.record(|_| Some(mark), Sync::Now)
    }

    /// Records that the log is durable up to a record, and the lengths of its files. A changed
    /// length is synced before this returns.
    pub(super) fn record_log(&self, last: Link, log_bytes: [u64; 2]) -> io::Result<()> {
        let is_longer = |mark: &HighWaterMark| mark.log_bytes != log_bytes;
        let sync = if self.state.lock().mark.as_ref().is_some_and(is_longer) {
            Sync::Now
        } else {
            Sync::Later
        };
        self.record(|mark| Some(HighWaterMark { last, log_bytes, ..mark? }), sync)
    }

    /// Records and syncs a greater minimum length of the data file.
    pub(super) fn raise_data(&self, bytes: u64) -> io::Result<()> {
        self.record_data(|before| before.max(bytes))
    }

    /// Records and syncs that the data file may be truncated to this length.
    pub(super) fn lower_data(&self, bytes: u64) -> io::Result<()> {
        self.record_data(|before| before.min(bytes))
    }

    fn record_data(&self, change: impl FnOnce(u64) -> u64) -> io::Result<()> {
        let change =
            |mark: HighWaterMark| HighWaterMark { data_bytes: change(mark.data_bytes), ..mark };
        self.record(|mark| mark.map(change), Sync::Now)
    }

    fn record(
        &self,
        change: impl FnOnce(Option<HighWaterMark>) -> Option<HighWaterMark>,
        sync: Sync,
    ) -> io::Result<()> {
        let mut state = self.state.lock();
        let Some(mark) = change(state.mark).filter(|mark| state.mark != Some(*mark)) else {
            return Ok(());
        };
        self.file.write(0, &mark.to_bytes())?;
        state.mark = Some(mark);
        state.is_synced = sync == Sync::Now;
        drop(state);
        // A concurrent sync on another thread may not be complete when this returns.
        if sync == Sync::Now { self.file.sync() } else { Ok(()) }
    }

    /// Syncs without holding the lock.
    pub(super) fn sync(&self) -> io::Result<()> {
        if std::mem::replace(&mut self.state.lock().is_synced, true) {
            return Ok(());
        }
        self.file.sync()
    }

    pub(super) fn close(&self) {
        // Nothing depends on this.
        let _ = self.file.close();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    Now,
    Later,
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    const MARK: HighWaterMark = HighWaterMark {
        salt: 1,
        last: Link { sequence: 2, checksum: 3 },
        log_bytes: [4, 5],
        data_bytes: 6,
    };

    #[test]
    fn a_mark_comes_back_or_is_damaged() {
        let bytes: [u8; BYTES] = MARK.to_bytes().try_into().unwrap();
        assert_eq!(HighWaterMark::from_bytes(&bytes), Some(MARK));
        for bit in 0..8 * BYTES {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(HighWaterMark::from_bytes(&damaged), None);
        }
    }

    #[test]
    fn a_file_of_another_length_is_damaged() {
        let file = StoreFile::untimed(InMemoryBackend::new());
        assert!(matches!(HighWaterMark::read(&file), Err(Error::Corrupt(_))));
        file.set_len(BYTES as u64 + 1).unwrap();
        file.write(0, &MARK.to_bytes()).unwrap();
        assert!(matches!(HighWaterMark::read(&file), Err(Error::Corrupt(_))));
        file.set_len(BYTES as u64).unwrap();
        assert_eq!(HighWaterMark::read(&file).unwrap(), MARK);
    }
}
