//! A disk that loses power, fails, lies and flips bits, as a test tells it to.
//!
//! A [`FaultDisk`] has files in memory that redb, or whoever speaks redb's [`StorageBackend`], can
//! work on. It keeps what has been synced apart from what has only been written, in sectors of 512
//! bytes, and so it knows what a crash may leave behind: each sector as it was at the last sync of
//! its file, or as any write since has left it, on its own. One seed gives one such image.
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

/// A disk that a test has in its hands. Clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct FaultDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    files: Files,
    faults: Faults,
    /// What the disk held when the recording began, and the changes since; none if none are kept.
    recording: Option<Recording>,
    /// What files, by number, are made to claim.
    lies: Vec<(usize, Lie)>,
    /// The files, by number, that whoever used them has let go of.
    closed: Vec<usize>,
}

/// What a file may claim of its syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Every sync is said to have succeeded, and none is done.
    NeverSyncs,
    /// A sync that failed is repeated until it succeeds, which proves nothing.
    RepeatsFailedSyncs,
}

/// The files of a disk. They are known by their places in this list, and none ever goes.
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

    /// What a crash may leave: each file, and each of its sectors, on its own.
    fn crash(&self, random: &mut Random) -> Self {
        let crash = |(name, sectors): &(String, Sectors)| {
            (name.clone(), Sectors::new(sectors.crash(random)))
        };
        Self(self.0.iter().map(crash).collect())
    }

    /// The same contents, all of them synced.
    fn synced(&self) -> Self {
        let sync = |(name, sectors): &(String, Sectors)| {
            (name.clone(), Sectors::new(sectors.contents().to_vec()))
        };
        Self(self.0.iter().map(sync).collect())
    }
}

impl FaultDisk {
    /// A disk without files and without faults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A disk with one file, whose contents are synced.
    #[must_use]
    pub fn with_file(name: &str, contents: Vec<u8>) -> Self {
        Self::of(Files(vec![(name.to_owned(), Sectors::new(contents))]))
    }

    /// A disk with these files, whose contents are synced.
    #[must_use]
    pub fn with_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files = files.into_iter().map(|(name, contents)| (name, Sectors::new(contents)));
        Self::of(Files(files.collect()))
    }

    fn of(files: Files) -> Self {
        Self { state: Arc::new(Mutex::new(State { files, ..State::default() })) }
    }

    /// A disk of its own with the same contents, all of them synced, and without faults.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self::of(self.state().files.synced())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of the code under test does not make this disk wrong.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of this name. An empty one is made if there is none, and survives every crash: how
    /// files get their names is not this disk's subject.
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

    /// The names of all files.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.state().files.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// What a reader of a file sees now, synced or not; nothing if there is no such file.
    #[must_use]
    pub fn contents(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        state
            .files
            .number(name)
            .map_or(Vec::new(), |number| state.files.sectors(number).contents().to_vec())
    }

    /// What may be left when the power goes now: a disk of its own, without faults.
    #[must_use]
    pub fn crash(&self, random: &mut Random) -> Self {
        Self::of(self.state().files.crash(random))
    }

    /// Makes an operation fail that has not happened yet.
    pub fn inject(&self, fault: Fault) {
        self.state().faults.inject(fault);
    }

    /// How many operations of this kind there have been on any file; of all kinds, when none is
    /// named.
    #[must_use]
    pub fn operations(&self, kind: Option<Operation>) -> u64 {
        self.state().faults.count(kind)
    }

    /// Makes the system above a file lie from now on. Whoever works on it has made the mistake of
    /// not syncing as it should, as far as a crash can tell.
    pub fn lie(&self, name: &str, lie: Lie) {
        let number = self.file(name).number();
        self.state().lies.push((number, lie));
    }

    /// Turns over one bit of a file, on the disk and for readers.
    pub fn flip_bit(&self, name: &str, bit: u64) {
        let number = self.file(name).number();
        self.state().files.0[number].1.flip_bit(bit);
    }

    /// Records every change from now on. See [`FaultDisk::recording`].
    pub fn record(&self) {
        let mut state = self.state();
        state.recording = Some(Recording::new(state.files.synced()));
    }

    /// How many changes have been recorded so far.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.state().recording.as_ref().map_or(0, Recording::len)
    }

    /// What has been recorded so far.
    #[must_use]
    pub fn recording(&self) -> Recording {
        let recording = self.state().recording.clone();
        recording.unwrap_or_else(|| Recording::new(Files::default()))
    }

    /// Whether whoever used this file has let go of it.
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
