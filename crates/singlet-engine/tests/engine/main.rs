//! The engine's tests in one binary, which links once. Tests that are killed, or that measure the
//! whole process, have separate binaries.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a panic here is a failing test, and figures are worth a line"
)]

mod bit_flips;
mod cases;
mod closing;
mod composite_indexes;
mod crash_images;
mod differential;
mod differential_finds_mistakes;
#[path = "../durability/mod.rs"]
mod durability;
mod expiry;
mod faults;
#[path = "../fixed_engine/mod.rs"]
mod fixed_engine;
mod folder_while_open;
mod formats;
mod full_disk;
mod linearizable;
mod live_indexes;
mod lost_files;
mod planted_bugs;
mod quotas;
mod reading;
mod reopen;
mod store_agrees_with_a_map;
mod store_notices_flipped_bits;
mod store_stops_after_a_fault;
mod store_survives_crashes;
mod store_syncs;
mod streams;
#[path = "../subject/mod.rs"]
mod subject;
mod tables_at_once;
mod tokens;
#[path = "../workload/mod.rs"]
mod workload;

use durability::small_store;
