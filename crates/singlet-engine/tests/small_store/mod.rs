//! A store on a simulated disk with small limits: a few commits fill a log file, reads come from
//! the disk, and a checkpoint takes several steps.

use singlet_engine::store::{Checkpoints, DiskOptions, DiskStore, Error, Files, Store};
use singlet_testing::disk::{FaultDisk, FaultFile};

pub(crate) const DATA: &str = "data";
pub(crate) const LOG: [&str; 2] = ["log.0", "log.1"];
pub(crate) const REACH: &str = "reach";

/// Deterministic, with tiny buffers.
pub(crate) const OPTIONS: DiskOptions = DiskOptions {
    cache_bytes: 32 << 10,
    recent_bytes: 32 << 10,
    chunk_bytes: 4 << 10,
    checkpoints: Checkpoints::WithCommits,
};

pub(crate) fn files(disk: &FaultDisk) -> Files<FaultFile> {
    let log = LOG.map(|name| disk.file(name));
    Files { data: disk.file(DATA), log, reach: disk.file(REACH) }
}

pub(crate) fn open(disk: &FaultDisk) -> Result<Store, Error> {
    DiskStore::with_files(files(disk), OPTIONS).map(Store::Disk)
}
