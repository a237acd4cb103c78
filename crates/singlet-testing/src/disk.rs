//! A disk that loses power, fails, lies and flips bits on demand.
//!
//! A [`FaultDisk`] holds files in memory behind redb's [`StorageBackend`]. It tracks synced and
//! unsynced contents in sectors of 512 bytes. After a crash each sector independently has its
//! contents of the last sync or of any later write. The choice follows from a seed.
//!
//! ```
//! use redb::StorageBackend;
//! use singlet_testing::disk::FaultDisk;
//! use singlet_testing::random::Random;
//!
//! let disk = FaultDisk::new();
//! let file = disk.file("data");
//! file.set_len(1024).unwrap();
//! file.write(0, &[1; 1024]).unwrap();
//! file.sync_data().unwrap();
//! file.write(0, &[2; 1024]).unwrap();
//!
//! let mut random = Random::new(1);
//! let mut torn = 0;
//! for _ in 0..100 {
//!     let image = disk.crash(&mut random).contents("data");
//!     // Each sector is old or new as a whole; sometimes the two differ.
//!     assert!(image.chunks(512).all(|sector| sector == [1; 512] || sector == [2; 512]));
//!     torn += usize::from(image[0] != image[512]);
//! }
//! assert!(torn > 0);
//! ```

mod fault;
mod file;
mod recording;
mod sectors;

pub use fault::{Failure, Fault, Operation};
pub use file::FaultFile;
pub use recording::{Recording, Replay};
pub use sectors::SECTOR_BYTES;

use crate::random::Random;
use fault::Faults;
use recording::Change;
use sectors::Sectors;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(doc)]
use redb::StorageBackend;

/// An in-memory disk with injectable faults. Clones share state.
#[derive(Clone, Debug, Default)]
pub struct FaultDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    files: Files,
    faults: Faults,
    /// Changes since [`FaultDisk::record`].
    recording: Option<Recording>,
    /// Lies by file number.
    lies: Vec<(usize, Lie)>,
    /// Closed files, by number.
    closed: Vec<usize>,
}

/// Ways in which a file fakes durability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Every sync succeeds without doing anything.
    NeverSyncs,
    /// A failed sync is retried until it succeeds. That success proves nothing.
    RepeatsFailedSyncs,
}

/// The files of a disk, numbered by position. Files are never removed.
#[derive(Clone, Debug, Default)]
struct Files(Vec<(String, Sectors)>);

impl Files {
    fn number(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(own, _)| own == name)
    }

    fn sectors(&self, number: usize) -> &Sectors {
        &self.0[number].1
    }

    fn apply(&mut self, number: usize, change: &Change) {
        change.apply(&mut self.0[number].1);
    }

    /// Crashes every sector of every file independently.
    fn crash(&self, random: &mut Random) -> Self {
        let crash = |(name, sectors): &(String, Sectors)| {
            (name.clone(), Sectors::new(sectors.crash(random)))
        };
        Self(self.0.iter().map(crash).collect())
    }

    /// A copy with everything synced.
    fn synced(&self) -> Self {
        let sync = |(name, sectors): &(String, Sectors)| {
            (name.clone(), Sectors::new(sectors.contents().to_vec()))
        };
        Self(self.0.iter().map(sync).collect())
    }
}

impl FaultDisk {
    /// An empty disk without faults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A disk with one synced file.
    #[must_use]
    pub fn with_file(name: &str, contents: Vec<u8>) -> Self {
        Self::of(Files(vec![(name.to_owned(), Sectors::new(contents))]))
    }

    /// A disk with these files, all synced.
    #[must_use]
    pub fn with_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files = files.into_iter().map(|(name, contents)| (name, Sectors::new(contents)));
        Self::of(Files(files.collect()))
    }

    fn of(files: Files) -> Self {
        Self { state: Arc::new(Mutex::new(State { files, ..State::default() })) }
    }

    /// An independent copy with everything synced and no faults.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self::of(self.state().files.synced())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic in the code under test leaves the disk consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a file, creating it if it does not exist. Creation survives every crash: the disk does
    /// not model directories.
    #[must_use]
    pub fn file(&self, name: &str) -> FaultFile {
        let mut state = self.state();
        let number = state.files.number(name).unwrap_or_else(|| {
            let made = (name.to_owned(), Sectors::new(Vec::new()));
            if let Some(recording) = &mut state.recording {
                recording.base.0.push(made.clone());
            }
            state.files.0.push(made);
            state.files.0.len() - 1
        });
        drop(state);
        FaultFile::new(self.clone(), number)
    }

    /// All file names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.state().files.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The current contents, including unsynced writes; empty if the file does not exist.
    #[must_use]
    pub fn contents(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        state
            .files
            .number(name)
            .map_or(Vec::new(), |number| state.files.sectors(number).contents().to_vec())
    }

    /// A possible state of the disk after a power failure, without faults.
    #[must_use]
    pub fn crash(&self, random: &mut Random) -> Self {
        Self::of(self.state().files.crash(random))
    }

    /// Makes a future operation fail.
    pub fn inject(&self, fault: Fault) {
        self.state().faults.inject(fault);
    }

    /// Operations of this kind on all files, or of every kind for `None`.
    #[must_use]
    pub fn operations(&self, kind: Option<Operation>) -> u64 {
        self.state().faults.count(kind)
    }

    /// Makes a file lie from now on: to a crash, its user looks like code that syncs wrongly.
    pub fn lie(&self, name: &str, lie: Lie) {
        let number = self.file(name).number();
        self.state().lies.push((number, lie));
    }

    /// Flips one bit of a file, in the synced and the visible contents.
    pub fn flip_bit(&self, name: &str, bit: u64) {
        let number = self.file(name).number();
        self.state().files.0[number].1.flip_bit(bit);
    }

    /// Starts recording changes. See [`FaultDisk::recording`].
    pub fn record(&self) {
        let mut state = self.state();
        state.recording = Some(Recording::new(state.files.synced()));
    }

    /// The number of recorded changes.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.state().recording.as_ref().map_or(0, Recording::len)
    }

    /// The changes since [`FaultDisk::record`].
    #[must_use]
    pub fn recording(&self) -> Recording {
        let recording = self.state().recording.clone();
        recording.unwrap_or_else(|| Recording::new(Files::default()))
    }

    /// Whether the file has been closed.
    #[must_use]
    pub fn is_closed(&self, name: &str) -> bool {
        let state = self.state();
        state.files.number(name).is_some_and(|number| state.closed.contains(&number))
    }
}

impl State {
    fn change(&mut self, file: usize, change: Change) {
        self.files.apply(file, &change);
        if let Some(recording) = &mut self.recording {
            recording.changes.push((file, change));
        }
    }
}
