//! A disk that loses power, fails, and flips bits, as a test tells it to.
//!
//! A [`FaultDisk`] is a file in memory that redb can work on. It keeps what has been synced apart
//! from what has only been written, in sectors of 512 bytes, and so it knows what a crash may
//! leave behind: each sector as it was at the last sync, or as any write since has left it, on
//! its own. One seed gives one such image.
//!
//! ```
//! use redb::StorageBackend;
//! use singlet_testkit::disk::FaultDisk;
//! use singlet_testkit::random::Random;
//!
//! let disk = FaultDisk::new();
//! disk.set_len(1024).unwrap();
//! disk.write(0, &[1; 1024]).unwrap();
//! disk.sync_data().unwrap();
//! disk.write(0, &[2; 1024]).unwrap();
//!
//! let mut random = Random::new(1);
//! let mut torn = 0;
//! for _ in 0..100 {
//!     let image = disk.crash(&mut random).contents();
//!     // Each sector is old or new as a whole; sometimes the two differ.
//!     assert!(image.chunks(512).all(|sector| sector == [1; 512] || sector == [2; 512]));
//!     torn += usize::from(image[0] != image[512]);
//! }
//! assert!(torn > 0);
//! ```

mod fault;
mod recording;
mod sectors;

pub use fault::{Failure, Fault, Operation};
pub use recording::{Recording, Replay};
pub use sectors::SECTOR_BYTES;

use crate::random::Random;
use fault::Faults;
use recording::Change;
use redb::StorageBackend;
use sectors::Sectors;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file on a disk that a test has in its hands. Clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct FaultDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    sectors: Sectors,
    faults: Faults,
    /// The changes so far, if they are being recorded.
    log: Option<Vec<Change>>,
    /// What the disk held when the recording began.
    base: Vec<u8>,
    closed: bool,
}

impl FaultDisk {
    /// An empty file on a disk without faults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A file with these contents, all of them synced.
    #[must_use]
    pub fn with_contents(contents: Vec<u8>) -> Self {
        Self::of(Sectors::new(contents))
    }

    fn of(sectors: Sectors) -> Self {
        let state = State { sectors, ..State::default() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of the code under test does not make this disk wrong.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a reader sees now, synced or not.
    #[must_use]
    pub fn contents(&self) -> Vec<u8> {
        self.state().sectors.contents().to_vec()
    }

    /// What may be left when the power goes now: a disk of its own, without faults.
    #[must_use]
    pub fn crash(&self, random: &mut Random) -> Self {
        Self::with_contents(self.state().sectors.crash(random))
    }

    /// Makes an operation fail that has not happened yet.
    pub fn inject(&self, fault: Fault) {
        self.state().faults.inject(fault);
    }

    /// How many operations of this kind there have been; of all kinds, when none is named.
    #[must_use]
    pub fn operations(&self, kind: Option<Operation>) -> u64 {
        self.state().faults.count(kind)
    }

    /// Turns over one bit of the file, on the disk and for readers.
    pub fn flip_bit(&self, bit: u64) {
        self.state().sectors.flip_bit(bit);
    }

    /// Records every change from now on. See [`FaultDisk::recording`].
    pub fn record(&self) {
        let mut state = self.state();
        state.base = state.sectors.contents().to_vec();
        state.log = Some(Vec::new());
    }

    /// How many changes have been recorded so far.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.state().log.as_ref().map_or(0, Vec::len)
    }

    /// What has been recorded so far.
    #[must_use]
    pub fn recording(&self) -> Recording {
        let state = self.state();
        Recording::new(state.base.clone(), state.log.clone().unwrap_or_default())
    }

    /// Whether whoever used this disk has let go of it.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.state().closed
    }
}

impl StorageBackend for FaultDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().sectors.contents().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        state.faults.check(Operation::Read)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(out.len());
        match state.sectors.contents().get(start..end) {
            Some(bytes) => {
                out.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state();
        state.faults.check(Operation::SetLen)?;
        state.change(Change::SetLen(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.state();
        let checked = state.faults.check(Operation::Sync);
        state.change(if checked.is_ok() { Change::Sync } else { Change::FailedSync });
        checked
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let checked = state.faults.check(Operation::Write);
        // A write that fails may have been carried out in part, but no sector has.
        let part = data.len() / 2 / SECTOR_BYTES * SECTOR_BYTES;
        let done = if checked.is_ok() { data } else { &data[..part] };
        state.change(Change::Write(offset, done.into()));
        checked
    }

    fn close(&self) -> io::Result<()> {
        self.state().closed = true;
        Ok(())
    }
}

impl State {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.sectors);
        if let Some(log) = &mut self.log {
            log.push(change);
        }
    }
}
