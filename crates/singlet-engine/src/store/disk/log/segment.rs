//! A file of the log.

use crate::store::disk::file::StoreFile;
use std::io;

const GROWTH_BYTES_MIN: u64 = 64 << 10;
/// Maximum growth, unless a record needs more. Writers wait while it is written.
const GROWTH_BYTES_MAX: u64 = 4 << 20;

/// A file that records are appended to, and that is reused from its start.
///
/// It grows in advance, by zeros that are actually written: syncing overwritten bytes takes one
/// disk write, while syncing appended bytes takes another for the file's length. The part `syncing`
/// of the suite `disk` in bench/ measures the difference.
#[derive(Debug)]
pub(super) struct Segment {
    file: StoreFile,
    /// Offset of the next record.
    end: u64,
    /// Minimum length of the file. All of it is on disk after the next sync.
    len: u64,
}

impl Segment {
    pub(super) fn open(file: StoreFile) -> io::Result<Self> {
        let len = file.len()?;
        Ok(Self { file, end: 0, len })
    }

    /// Reads from this offset: records, and left-over bytes after them.
    pub(super) fn read(&self, start: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(start, out)
    }

    /// Overwrites from this offset.
    pub(super) fn write(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write(start, bytes)
    }

    /// Offset of the next record, which is the total length of the records.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Continues after the records found, in a file known to have `len` bytes on disk. It may be
    /// longer, but after a failed fsync that length may never reach the disk, so the rest is
    /// written again when needed.
    pub(super) fn resume(&mut self, end: u64, len: u64) {
        self.end = end;
        self.len = len.max(end);
    }

    /// Starts over, with a file truncated to this length.
    pub(super) fn restart(&mut self, len_max: u64) -> io::Result<()> {
        if self.len > len_max {
            // The last record may have made it grow, possibly by a lot.
            self.file.set_len(len_max)?;
            self.len = len_max;
        }
        self.end = 0;
        Ok(())
    }

    /// Grows the file if it has no room for this many bytes. A full disk does no harm: the file may
    /// be longer than `len`, which is written again next time.
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
        // A record without room leaves nothing behind.
        self.reserve(record.len() as u64)?;
        self.file.write(self.end, record)?;
        self.end += record.len() as u64;
        Ok(())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }

    pub(super) fn close(&self) {
        // Nothing depends on this.
        let _ = self.file.close();
    }
}
