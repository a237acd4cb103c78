//! The engine behaves like the reference: every answer, every error, and an audit at the end.
//!
//! Together these run 200,000 operations. With `SINGLET_TEST_LONG` set they run fifty times as
//! many, from new seeds.

use crate::subject::Subject;
use singlet_engine::Durability;
use singlet_testing::differential::{System, find};
use singlet_testing::generator::Profile;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Steps per sequence.
const LEN: usize = 250;

/// Runs sequences starting with this seed, with at least this many operations in total.
fn run<S: System>(
    seed: u64,
    operations: usize,
    len: usize,
    profile: Profile,
    system: impl FnMut() -> S,
) {
    let is_long = std::env::var_os("SINGLET_TEST_LONG").is_some();
    let (seed, operations) = match is_long {
        false => (seed, operations),
        true => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
            (seed + since.as_secs() * 1_000_000, operations * 50)
        }
    };
    let begun = Instant::now();
    match find(seed.., len, profile, operations, system) {
        Ok(count) => println!("{count} operations in {:?}", begun.elapsed()),
        Err(finding) => panic!("{finding:?}"),
    }
}

#[test]
fn in_memory_from_seed_0() {
    run(0, 44_000, LEN, Profile::Small, Subject::memory);
}

#[test]
fn in_memory_from_seed_10_000() {
    run(10_000, 44_000, LEN, Profile::Small, Subject::memory);
}

#[test]
fn in_memory_from_seed_20_000() {
    run(20_000, 44_000, LEN, Profile::Small, Subject::memory);
}

#[test]
fn in_memory_from_seed_30_000() {
    run(30_000, 44_000, LEN, Profile::Small, Subject::memory);
}

#[test]
fn in_memory_with_items_that_fill_pages() {
    run(40_000, 6_000, 80, Profile::Large, Subject::memory);
}

#[test]
fn on_disk_with_a_sync_now_and_then() {
    let disk = || Subject::disk("differential-relaxed", Durability::Relaxed);
    run(50_000, 16_000, LEN, Profile::Small, disk);
}

#[test]
fn on_disk_with_a_sync_for_each_write() {
    let disk = || Subject::disk("differential-full", Durability::Full);
    run(60_000, 2_000, LEN, Profile::Small, disk);
}
