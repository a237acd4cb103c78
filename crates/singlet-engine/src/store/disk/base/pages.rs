//! A file whose pages are checked whenever they are read.
//!
//! redb stores a checksum of each page, but looks at it only when it repairs a file. A bit that
//! flips in a key or in a separator would then make a row vanish without a word. So this layer
//! between redb and the file keeps a checksum of each page of its own, and refuses to hand out a
//! page that does not match.
//!
//! Checksums lie in pages of their own, each in front of the pages that it covers. They are
//! written before the file is synced, so that whatever is synced has its checksum. That is enough
//! after a crash too: with two-phase commits redb only reads pages that were synced before they
//! became part of its tree. The one exception is its header, which is written in place. It fits
//! into a sector, and has its checksum there.
//!
//! docs/format.md has the layout.

use redb::StorageBackend;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The size of redb's pages, and of ours.
const PAGE_BYTES: usize = 4096;

/// How many pages a page of checksums covers.
const GROUP_PAGES: u64 = (PAGE_BYTES / CHECKSUM_BYTES) as u64;

const CHECKSUM_BYTES: usize = size_of::<u32>();

/// What a disk writes as a whole or not at all.
const SECTOR_BYTES: usize = 512;

/// How long redb's header may be, so that it shares a sector with its checksum.
const HEADER_BYTES_MAX: usize = SECTOR_BYTES - CHECKSUM_BYTES;

/// What a page's checksum is when nothing has been written to it: the file is made of zeros.
const UNWRITTEN: u32 = 0;

/// The file, and what is known of its checksums.
#[derive(Debug)]
pub(super) struct Pages<B> {
    file: B,
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    /// The pages of checksums that have been read or changed, by the number of their group. For
    /// each gigabyte of data they take a megabyte.
    groups: BTreeMap<u64, Group>,
}

#[derive(Debug)]
struct Group {
    /// As in the file.
    bytes: Vec<u8>,
    /// Which sectors of it differ from the file.
    dirty: [bool; PAGE_BYTES / SECTOR_BYTES],
}

impl<B: StorageBackend> Pages<B> {
    pub(super) fn new(file: B) -> Self {
        Self { file, sums: Mutex::default() }
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        // Nothing in there is ever half done.
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_header(&self, out: &mut [u8]) -> io::Result<()> {
        let mut sector = [0; SECTOR_BYTES];
        self.file.read(place(0), &mut sector)?;
        match sector.split_last_chunk() {
            Some((header, sum)) if checksum(header) == u32::from_le_bytes(*sum) => {
                copy(header, out);
                Ok(())
            }
            _ => Err(damaged("the header of the file has a wrong checksum")),
        }
    }

    fn write_header(&self, data: &[u8]) -> io::Result<()> {
        let mut header = [0; HEADER_BYTES_MAX];
        copy(data, &mut header);
        let sector = [&header[..], &checksum(&header).to_le_bytes()].concat();
        self.file.write(place(0), &sector)
    }

    /// Writes the checksums that have changed. Readers need them too, and the disk may take its
    /// time; so they are copied, and not kept from anybody while they are written. If that fails,
    /// for want of room, all of them still count as changed.
    fn flush(&self) -> io::Result<()> {
        let changed = self.sums().take_changed();
        let write = |changed: &Changed| self.file.write(changed.place, &changed.bytes);
        let written = changed.iter().try_for_each(write);
        if written.is_err() {
            self.sums().put_back(&changed);
        }
        written
    }
}

impl<B: StorageBackend> StorageBackend for Pages<B> {
    fn len(&self) -> io::Result<u64> {
        self.file.len().map(length_inside)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if offset == 0 && out.len() <= HEADER_BYTES_MAX {
            return self.read_header(out);
        }
        let first = page_number(offset, out.len())?;
        for (page, run) in runs(first, out.len()) {
            let run = out.get_mut(run).unwrap_or_default();
            self.file.read(place(page), run)?;
            for (page, bytes) in (page..).zip(run.chunks(PAGE_BYTES)) {
                let expected = self.sums().get(page, &self.file)?;
                if checksum(bytes) != expected {
                    return Err(damaged(&format!("page {page} has a wrong checksum")));
                }
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.file.set_len(length_outside(length))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.flush()?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if offset == 0 && data.len() <= HEADER_BYTES_MAX {
            return self.write_header(data);
        }
        let first = page_number(offset, data.len())?;
        for (page, run) in runs(first, data.len()) {
            let run = data.get(run).unwrap_or_default();
            for (page, bytes) in (page..).zip(run.chunks(PAGE_BYTES)) {
                self.sums().set(page, checksum(bytes), &self.file)?;
            }
            self.file.write(place(page), run)?;
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

/// A sector of checksums that differs from the file.
struct Changed {
    group: u64,
    sector: usize,
    /// Where it lies in the file.
    place: u64,
    bytes: Vec<u8>,
}

impl Sums {
    /// The sectors that differ from the file. They no longer count as different.
    fn take_changed(&mut self) -> Vec<Changed> {
        let mut changed = Vec::new();
        for (number, group) in &mut self.groups {
            let sectors = group.bytes.chunks(SECTOR_BYTES).zip(&mut group.dirty);
            let places = (place_of_sums(*number)..).step_by(SECTOR_BYTES);
            for ((sector, (bytes, dirty)), place) in sectors.enumerate().zip(places) {
                if std::mem::take(dirty) {
                    changed.push(Changed { group: *number, sector, place, bytes: bytes.to_vec() });
                }
            }
        }
        changed
    }

    fn put_back(&mut self, changed: &[Changed]) {
        for changed in changed {
            let group = self.groups.get_mut(&changed.group);
            if let Some(dirty) = group.and_then(|group| group.dirty.get_mut(changed.sector)) {
                *dirty = true;
            }
        }
    }

    fn group(&mut self, number: u64, file: &impl StorageBackend) -> io::Result<&mut Group> {
        match self.groups.entry(number) {
            Entry::Occupied(group) => Ok(group.into_mut()),
            Entry::Vacant(place) => {
                let mut bytes = vec![0; PAGE_BYTES];
                file.read(place_of_sums(number), &mut bytes)?;
                Ok(place.insert(Group { bytes, dirty: Default::default() }))
            }
        }
    }

    fn get(&mut self, page: u64, file: &impl StorageBackend) -> io::Result<u32> {
        let group = self.group(page / GROUP_PAGES, file)?;
        let (sums, _) = group.bytes.as_chunks::<CHECKSUM_BYTES>();
        Ok(sums.get(slot(page)).map_or(UNWRITTEN, |sum| u32::from_le_bytes(*sum)))
    }

    fn set(&mut self, page: u64, sum: u32, file: &impl StorageBackend) -> io::Result<()> {
        let group = self.group(page / GROUP_PAGES, file)?;
        let (sums, _) = group.bytes.as_chunks_mut::<CHECKSUM_BYTES>();
        if let Some(place) = sums.get_mut(slot(page)) {
            *place = sum.to_le_bytes();
        }
        if let Some(dirty) = group.dirty.get_mut(slot(page) * CHECKSUM_BYTES / SECTOR_BYTES) {
            *dirty = true;
        }
        Ok(())
    }
}

/// A CRC-32, turned so that zeros have the sum zero: they are what a file is made of where
/// nothing has been written.
fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes) ^ zeros(bytes.len())
}

fn zeros(length: usize) -> u32 {
    // The two lengths that there are, computed once.
    use std::sync::LazyLock;
    static PAGE: LazyLock<u32> = LazyLock::new(|| crc32fast::hash(&[0; PAGE_BYTES]));
    static HEADER: LazyLock<u32> = LazyLock::new(|| crc32fast::hash(&[0; HEADER_BYTES_MAX]));
    if length == PAGE_BYTES { *PAGE } else { *HEADER }
}

/// Where a page lies in the file.
fn place(page: u64) -> u64 {
    (page + 1 + page / GROUP_PAGES) * PAGE_BYTES as u64
}

/// Where the checksums of a group lie in the file.
fn place_of_sums(group: u64) -> u64 {
    group * (GROUP_PAGES + 1) * PAGE_BYTES as u64
}

/// Which checksum of its group a page has.
fn slot(page: u64) -> usize {
    usize::try_from(page % GROUP_PAGES).unwrap_or(0)
}

/// How long the file is, given what redb takes it for.
fn length_outside(inside: u64) -> u64 {
    inside + inside.div_ceil(GROUP_PAGES * PAGE_BYTES as u64) * PAGE_BYTES as u64
}

/// What redb takes the file for, given how long it is.
fn length_inside(outside: u64) -> u64 {
    let page = PAGE_BYTES as u64;
    let group = (GROUP_PAGES + 1) * page;
    outside / group * GROUP_PAGES * page + (outside % group).saturating_sub(page)
}

/// redb reads and writes whole pages, but for its header.
fn page_number(offset: u64, length: usize) -> io::Result<u64> {
    if offset.is_multiple_of(PAGE_BYTES as u64) && length.is_multiple_of(PAGE_BYTES) {
        Ok(offset / PAGE_BYTES as u64)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a whole number of pages"))
    }
}

/// Cuts pages that follow each other where a page of checksums comes between them: the first
/// page of each run, and the bytes that belong to it.
fn runs(first: u64, length: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let mut page = first;
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= length {
            return None;
        }
        let room = usize::try_from(GROUP_PAGES - page % GROUP_PAGES).unwrap_or(1) * PAGE_BYTES;
        let run = (page, start..length.min(start + room));
        page += (room / PAGE_BYTES) as u64;
        start += room;
        Some(run)
    })
}

/// As many bytes as both have.
fn copy(from: &[u8], to: &mut [u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    #[test]
    fn lengths_go_both_ways() {
        let page = PAGE_BYTES as u64;
        for pages in (0..5000).chain([1 << 20, (1 << 20) + 1]) {
            let outside = length_outside(pages * page);
            assert_eq!(length_inside(outside), pages * page);
            if pages > 0 {
                assert_eq!(outside, place(pages - 1) + page, "the last page ends the file");
            }
        }
    }

    #[test]
    fn pages_and_their_checksums_do_not_overlap() {
        let places = (0..3000).map(place).chain((0..3).map(place_of_sums));
        let places: std::collections::BTreeSet<_> = places.collect();
        assert_eq!(places.len(), 3003);
    }

    #[test]
    fn pages_across_groups_come_back() {
        let pages = Pages::new(InMemoryBackend::new());
        let count = 3 * GROUP_PAGES as usize;
        pages.set_len((count * PAGE_BYTES) as u64).unwrap();
        let data: Vec<u8> = (0..count * PAGE_BYTES).map(|at| (at / 1000) as u8).collect();
        pages.write(PAGE_BYTES as u64, &data[PAGE_BYTES..]).unwrap();
        pages.sync_data().unwrap();

        let pages = Pages::new(pages.file);
        let mut read = vec![0; (count - 5) * PAGE_BYTES];
        pages.read(5 * PAGE_BYTES as u64, &mut read).unwrap();
        assert!(read == data[5 * PAGE_BYTES..]);
        assert_eq!(pages.len().unwrap(), data.len() as u64);
    }

    #[test]
    fn a_page_that_was_never_written_is_zeros() {
        let pages = Pages::new(InMemoryBackend::new());
        pages.set_len(10 * PAGE_BYTES as u64).unwrap();
        let mut read = vec![1; PAGE_BYTES];
        pages.read(3 * PAGE_BYTES as u64, &mut read).unwrap();
        assert_eq!(read, vec![0; PAGE_BYTES]);
    }

    #[test]
    fn damage_is_noticed() {
        let file = InMemoryBackend::new();
        let pages = Pages::new(file);
        pages.set_len(10 * PAGE_BYTES as u64).unwrap();
        pages.write(0, &[7; 320]).unwrap();
        pages.write(PAGE_BYTES as u64, &[7; PAGE_BYTES]).unwrap();
        pages.sync_data().unwrap();
        pages.file.write(place(0) + 100, &[8]).unwrap();
        pages.file.write(place(1) + 100, &[8]).unwrap();
        let mut header = [0; 320];
        let mut page = [0; PAGE_BYTES];
        assert_eq!(pages.read(0, &mut header).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let error = pages.read(PAGE_BYTES as u64, &mut page).unwrap_err();
        assert_eq!(error.to_string(), "page 1 has a wrong checksum");
    }
}
