//! Checksums of the pages of the data file.
//!
//! redb stores a checksum of each page, but verifies it only during a repair, so a flipped bit in a
//! key would make a row vanish silently. Therefore each page has a second checksum, verified by
//! every read.
//!
//! Checksums are stored in separate pages, each in front of the pages that it covers. They are
//! written before the file is synced, so every synced page has its checksum. That suffices after a
//! crash: with two-phase commits redb reads only pages that were synced before they became part of
//! its tree. The exception is redb's header, which is written in place: it shares a sector with its
//! checksum.
//!
//! docs/format.md has the layout.

use crate::store::disk::file::StoreFile;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::ops::Range;
use std::sync::LazyLock;

/// The page size of redb and of this file.
pub(super) const PAGE_BYTES: usize = 4096;

/// Pages covered by one page of checksums.
pub(super) const GROUP_PAGES: u64 = (PAGE_BYTES / CHECKSUM_BYTES) as u64;

const CHECKSUM_BYTES: usize = size_of::<u32>();

/// The unit that a disk writes atomically.
const SECTOR_BYTES: usize = 512;

/// The longest header that shares a sector with its checksum.
pub(super) const HEADER_BYTES_MAX: usize = SECTOR_BYTES - CHECKSUM_BYTES;

/// The checksum of a page of zeros, never written.
const UNWRITTEN: u32 = 0;

/// The checksums read or changed so far.
#[derive(Debug, Default)]
pub(super) struct Checksums {
    /// Pages of checksums, by group number: a megabyte per gigabyte of data.
    groups: BTreeMap<u64, Group>,
}

#[derive(Debug)]
struct Group {
    /// As in the file, with changes.
    bytes: Vec<u8>,
    /// Sectors that differ from the file.
    dirty: [bool; PAGE_BYTES / SECTOR_BYTES],
}

/// A sector of checksums to be written.
pub(super) struct Sector {
    group: u64,
    number: usize,
    /// Its offset in the file.
    pub(super) place: u64,
    pub(super) bytes: Vec<u8>,
}

impl Checksums {
    /// Takes the changed sectors, and marks them as clean.
    pub(super) fn take_changed(&mut self) -> Vec<Sector> {
        let mut changed = Vec::new();
        for (group, Group { bytes, dirty }) in &mut self.groups {
            let places = (place_of_group(*group)..).step_by(SECTOR_BYTES);
            for ((number, (bytes, dirty)), place) in
                bytes.chunks(SECTOR_BYTES).zip(dirty).enumerate().zip(places)
            {
                if std::mem::take(dirty) {
                    changed.push(Sector { group: *group, number, place, bytes: bytes.to_vec() });
                }
            }
        }
        changed
    }

    /// Marks sectors as changed again, after a failed write.
    pub(super) fn put_back(&mut self, sectors: &[Sector]) {
        for sector in sectors {
            let group = self.groups.get_mut(&sector.group);
            if let Some(dirty) = group.and_then(|group| group.dirty.get_mut(sector.number)) {
                *dirty = true;
            }
        }
    }

    /// Fails if the bytes do not match the page's checksum.
    pub(super) fn verify(&mut self, page: u64, bytes: &[u8], file: &StoreFile) -> io::Result<()> {
        let group = self.group(page / GROUP_PAGES, file)?;
        let (sums, _) = group.bytes.as_chunks::<CHECKSUM_BYTES>();
        let expected = sums.get(slot(page)).map_or(UNWRITTEN, |sum| u32::from_le_bytes(*sum));
        match checksum(bytes) == expected {
            true => Ok(()),
            false => Err(damaged(&format!("page {page} has a wrong checksum"))),
        }
    }

    /// Sets the checksum of a page that is about to be written.
    pub(super) fn set(&mut self, page: u64, bytes: &[u8], file: &StoreFile) -> io::Result<()> {
        let group = self.group(page / GROUP_PAGES, file)?;
        let (sums, _) = group.bytes.as_chunks_mut::<CHECKSUM_BYTES>();
        if let Some(place) = sums.get_mut(slot(page)) {
            *place = checksum(bytes).to_le_bytes();
        }
        if let Some(dirty) = group.dirty.get_mut(slot(page) * CHECKSUM_BYTES / SECTOR_BYTES) {
            *dirty = true;
        }
        Ok(())
    }

    fn group(&mut self, number: u64, file: &StoreFile) -> io::Result<&mut Group> {
        match self.groups.entry(number) {
            Entry::Occupied(group) => Ok(group.into_mut()),
            Entry::Vacant(place) => {
                let mut bytes = vec![0; PAGE_BYTES];
                file.read(place_of_group(number), &mut bytes)?;
                Ok(place.insert(Group { bytes, dirty: Default::default() }))
            }
        }
    }
}

/// Reads and verifies redb's header.
pub(super) fn read_header(file: &StoreFile, out: &mut [u8]) -> io::Result<()> {
    let mut sector = [0; SECTOR_BYTES];
    file.read(place(0), &mut sector)?;
    match sector.split_last_chunk() {
        Some((header, sum)) if checksum(header) == u32::from_le_bytes(*sum) => {
            copy(header, out);
            Ok(())
        }
        _ => Err(damaged("the header of the file has a wrong checksum")),
    }
}

/// The sector with redb's header and its checksum.
pub(super) fn header_sector(data: &[u8]) -> Vec<u8> {
    let mut header = [0; HEADER_BYTES_MAX];
    copy(data, &mut header);
    [&header[..], &checksum(&header).to_le_bytes()].concat()
}

/// A CRC-32, adjusted so that the checksum of zeros is zero: unwritten parts of the file are zeros.
fn checksum(bytes: &[u8]) -> u32 {
    static PAGE: LazyLock<u32> = LazyLock::new(|| crc32fast::hash(&[0; PAGE_BYTES]));
    static HEADER: LazyLock<u32> = LazyLock::new(|| crc32fast::hash(&[0; HEADER_BYTES_MAX]));
    let of_zeros = if bytes.len() == PAGE_BYTES { *PAGE } else { *HEADER };
    crc32fast::hash(bytes) ^ of_zeros
}

/// The offset of a page in the file.
pub(super) fn place(page: u64) -> u64 {
    (page + 1 + page / GROUP_PAGES) * PAGE_BYTES as u64
}

/// The offset of a group's checksums in the file.
fn place_of_group(group: u64) -> u64 {
    group * (GROUP_PAGES + 1) * PAGE_BYTES as u64
}

/// A page's index within its group.
fn slot(page: u64) -> usize {
    usize::try_from(page % GROUP_PAGES).unwrap_or(0)
}

/// Converts redb's length to the length on disk.
pub(super) fn disk_length(redb: u64) -> u64 {
    redb + redb.div_ceil(GROUP_PAGES * PAGE_BYTES as u64) * PAGE_BYTES as u64
}

/// Converts the length on disk to redb's length.
pub(super) fn redb_length(disk: u64) -> u64 {
    let page = PAGE_BYTES as u64;
    let group = (GROUP_PAGES + 1) * page;
    disk / group * GROUP_PAGES * page + (disk % group).saturating_sub(page)
}

/// The number of the page at an offset. redb reads and writes whole pages, except its header.
pub(super) fn page_number(offset: u64, length: usize) -> io::Result<u64> {
    if offset.is_multiple_of(PAGE_BYTES as u64) && length.is_multiple_of(PAGE_BYTES) {
        Ok(offset / PAGE_BYTES as u64)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a whole number of pages"))
    }
}

/// Splits consecutive pages at pages of checksums. Yields the first page and the byte range of each
/// run.
pub(super) fn runs(first: u64, length: usize) -> impl Iterator<Item = (u64, Range<usize>)> {
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
    use std::collections::BTreeSet;

    #[test]
    fn lengths_go_both_ways() {
        let page = PAGE_BYTES as u64;
        for pages in (0..5000).chain([1 << 20, (1 << 20) + 1]) {
            let disk = disk_length(pages * page);
            assert_eq!(redb_length(disk), pages * page);
            if pages > 0 {
                assert_eq!(disk, place(pages - 1) + page, "the last page ends the file");
            }
        }
    }

    #[test]
    fn pages_and_their_checksums_do_not_overlap() {
        let places = (0..3000).map(place).chain((0..3).map(place_of_group));
        assert_eq!(places.collect::<BTreeSet<_>>().len(), 3003);
    }
}
