//! One of the files of the log.

use redb::StorageBackend;
use std::io;

/// By how much a file grows at least.
const GROWTH_BYTES_MIN: u64 = 64 << 10;
/// By how much a file grows at most, unless a record needs more. It is written in one go, while
/// the writers wait.
const GROWTH_BYTES_MAX: u64 = 4 << 20;

/// A file to which records are appended, and which is used from its start again and again.
///
/// It grows by zeros that are really written, ahead of the records: to sync bytes that replace
/// others takes one write of the disk, to sync bytes at the end of a file takes another for the
/// length of the file. The part `syncing` of the suite `disk` in bench/ tells what that costs.
#[derive(Debug)]
pub(super) struct Segment {
    file: Box<dyn StorageBackend>,
    /// Where the next record goes.
    end: u64,
    /// How long the file is at least. All of that is on the disk as soon as the file is synced.
    len: u64,
}

impl Segment {
    pub(super) fn open(file: Box<dyn StorageBackend>) -> io::Result<Self> {
        let len = file.len()?;
        Ok(Self { file, end: 0, len })
    }

    /// Reads what the file holds from here on, records and what is left over behind them.
    pub(super) fn read(&self, start: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(start, out)
    }

    /// Writes over what the file holds from here on.
    pub(super) fn write(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write(start, bytes)
    }

    /// Where the next record goes; how many bytes of records there are.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Goes on behind the records that were found, in a file that has so many bytes for certain.
    /// It may be longer than that: an fsync that failed leaves a length that the next one may not
    /// bring to the disk. So what is not certain is written when it is needed.
    pub(super) fn resume(&mut self, end: u64, len: u64) {
        self.end = end;
        self.len = len.max(end);
    }

    /// Begins anew, with a file that is no longer than this.
    pub(super) fn restart(&mut self, len_max: u64) -> io::Result<()> {
        if self.len > len_max {
            // The record that has filled it made it grow; a large one, by much.
            self.file.set_len(len_max)?;
            self.len = len_max;
        }
        self.end = 0;
        Ok(())
    }

    /// Lets the file grow if it has no room for so many bytes. If the disk is full, nothing has
    /// happened: the file may be longer than is known here, which is only less to write next time.
    pub(super) fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        let end = self.end + bytes;
        if end > self.len {
            let growth = self.len.clamp(GROWTH_BYTES_MIN, GROWTH_BYTES_MAX);
            let len = (self.len + growth).max(end).next_multiple_of(GROWTH_BYTES_MIN);
            let zeros = usize::try_from(len - self.len).unwrap_or(0);
            self.file.write(self.len, &vec![0; zeros])?;
            self.len = len;
        }
        Ok(())
    }

    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        // A record that there is no room for leaves nothing behind.
        self.reserve(record.len() as u64)?;
        self.file.write(self.end, record)?;
        self.end += record.len() as u64;
        Ok(())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    pub(super) fn close(&self) {
        // Nothing is promised that this could break.
        let _ = self.file.close();
    }
}
