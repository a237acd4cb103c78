//! A file of the disk as a redb storage backend.

use super::fault::Operation;
use super::recording::Change;
use super::{FaultDisk, Lie, SECTOR_BYTES, State};
use redb::StorageBackend;
use std::io;

/// A file on a [`FaultDisk`].
#[derive(Clone, Debug)]
pub struct FaultFile {
    disk: FaultDisk,
    number: usize,
}

impl FaultFile {
    pub(super) fn new(disk: FaultDisk, number: usize) -> Self {
        Self { disk, number }
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }
}

impl StorageBackend for FaultFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.state().files.sectors(self.number).contents().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        state.faults.check(Operation::Read)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(out.len());
        match state.files.sectors(self.number).contents().get(start..end) {
            Some(bytes) => {
                out.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        state.faults.check(Operation::SetLen)?;
        state.change(self.number, Change::SetLen(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        let lies = |state: &State, lie| state.lies.contains(&(self.number, lie));
        if lies(&state, Lie::NeverSyncs) {
            return Ok(());
        }
        loop {
            let checked = state.faults.check(Operation::Sync);
            let change = if checked.is_ok() { Change::Sync } else { Change::FailedSync };
            state.change(self.number, change);
            if checked.is_ok() || !lies(&state, Lie::RepeatsFailedSyncs) {
                return checked;
            }
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        let checked = state.faults.check(Operation::Write);
        // A failing write stores the first half of its data, in whole sectors.
        let part = data.len() / 2 / SECTOR_BYTES * SECTOR_BYTES;
        let done = if checked.is_ok() { data } else { &data[..part] };
        state.change(self.number, Change::Write(offset, done.into()));
        checked
    }

    fn close(&self) -> io::Result<()> {
        self.disk.state().closed.push(self.number);
        Ok(())
    }
}
