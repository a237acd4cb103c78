//! Synced and unsynced contents of a file.

use crate::random::Random;
use std::collections::BTreeMap;

/// The disk's atomic write unit.
pub const SECTOR_BYTES: usize = 512;

/// A file: the contents that readers see, and for each unsynced sector the versions that a crash
/// may leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Sectors {
    contents: Vec<u8>,
    /// Unsynced sectors, by number.
    unsynced: BTreeMap<usize, Unsynced<Vec<u8>>>,
    length: Unsynced<usize>,
    /// The end of the furthest write since the last sync.
    reach: usize,
}

/// A value that is any of these versions after a crash.
#[derive(Clone, Debug, Default)]
struct Unsynced<T> {
    /// From the last synced version to the newest, which readers see.
    versions: Vec<T>,
    /// A sync failed after the newest version. The kernel may have dropped the dirty page, so a
    /// later successful sync proves nothing.
    forgotten: bool,
}

impl<T: Clone> Unsynced<T> {
    fn choose(&self, random: &mut Random, newest_percent: usize) -> Option<T> {
        if random.percent(newest_percent) {
            self.versions.last().cloned()
        } else {
            random.one_of(&self.versions).cloned()
        }
    }
}

impl Sectors {
    pub(super) fn new(contents: Vec<u8>) -> Self {
        let length = Unsynced { versions: vec![contents.len()], forgotten: false };
        Self { contents, unsynced: BTreeMap::new(), length, reach: 0 }
    }

    pub(super) fn contents(&self) -> &[u8] {
        &self.contents
    }

    pub(super) fn write(&mut self, offset: u64, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let start = usize::try_from(offset).expect("an offset in memory");
        let end = start + data.len();
        if end > self.contents.len() {
            self.set_len(end as u64);
        }
        self.change(start..end, |contents| contents.copy_from_slice(data));
        self.reach = self.reach.max(end);
    }

    pub(super) fn set_len(&mut self, len: u64) {
        let len = usize::try_from(len).expect("a length in memory");
        if self.length.versions.is_empty() {
            self.length.versions.push(self.contents.len());
        }
        self.length.versions.push(len);
        self.length.forgotten = false;
        if len < self.contents.len() {
            // If the file grows again, the truncated range reads as zeros.
            self.change(len..self.contents.len(), |contents| contents.fill(0));
        }
        self.contents.resize(len, 0);
        self.reach = self.reach.min(len);
    }

    /// Changes a range and records a version of each sector before and after.
    fn change(&mut self, range: std::ops::Range<usize>, change: impl FnOnce(&mut [u8])) {
        let sectors = range.start / SECTOR_BYTES..range.end.div_ceil(SECTOR_BYTES);
        for sector in sectors.clone() {
            let before = self.sector(sector);
            let unsynced = self.unsynced.entry(sector).or_default();
            if unsynced.versions.is_empty() {
                unsynced.versions.push(before);
            }
        }
        change(&mut self.contents[range]);
        for sector in sectors {
            let after = self.sector(sector);
            let unsynced = self.unsynced.entry(sector).or_default();
            unsynced.versions.push(after);
            unsynced.forgotten = false;
        }
    }

    /// A sector as readers see it, padded with zeros at the end of the file.
    fn sector(&self, sector: usize) -> Vec<u8> {
        let start = sector * SECTOR_BYTES;
        let end = (start + SECTOR_BYTES).min(self.contents.len());
        let mut bytes = self.contents.get(start..end).unwrap_or_default().to_vec();
        bytes.resize(SECTOR_BYTES, 0);
        bytes
    }

    /// Makes everything durable except sectors that a failed sync has dropped.
    pub(super) fn sync(&mut self) {
        self.unsynced.retain(|_, sector| sector.forgotten);
        if !self.length.forgotten {
            self.length.versions = vec![self.contents.len()];
        }
        // Synced bytes imply that the synced length covers them, even if a failed sync dropped the
        // length.
        for length in &mut self.length.versions {
            *length = self.reach.max(*length);
        }
        self.reach = 0;
    }

    pub(super) fn fail_sync(&mut self) {
        self.reach = 0;
        for sector in self.unsynced.values_mut() {
            sector.forgotten = true;
        }
        // A length that has not changed since the last sync is safe.
        self.length.forgotten = self.length.versions.len() > 1;
    }

    /// The contents after a crash.
    pub(super) fn crash(&self, random: &mut Random) -> Vec<u8> {
        // Vary how much survives: almost nothing, almost everything, or a mix of old and new
        // sectors.
        let newest_percent = *random.one_of(&[0, 10, 50, 90, 99]).expect("not empty");
        let length = self.length.choose(random, newest_percent).unwrap_or(self.contents.len());
        let mut image = self.contents.clone();
        let longest = self.length.versions.iter().copied().max().unwrap_or(0).max(image.len());
        image.resize(longest.next_multiple_of(SECTOR_BYTES), 0);
        for (sector, unsynced) in &self.unsynced {
            let start = sector * SECTOR_BYTES;
            if let Some(bytes) = unsynced.choose(random, newest_percent)
                && let Some(place) = image.get_mut(start..start + SECTOR_BYTES)
            {
                place.copy_from_slice(&bytes);
            }
        }
        image.truncate(length);
        image
    }

    pub(super) fn flip_bit(&mut self, bit: u64) {
        let byte = usize::try_from(bit / 8).expect("an offset in memory");
        let mask = 1 << (bit % 8);
        self.contents[byte] ^= mask;
        if let Some(unsynced) = self.unsynced.get_mut(&(byte / SECTOR_BYTES)) {
            for version in &mut unsynced.versions {
                version[byte % SECTOR_BYTES] ^= mask;
            }
        }
    }
}
