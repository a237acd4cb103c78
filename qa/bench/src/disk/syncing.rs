//! The cost of fdatasync: when overwriting, and when a file grows.

use crate::folder::Folder;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

const SYNCS: u64 = 2_000;
const BYTES: usize = 4096;

pub(super) fn run() {
    let folder = Folder::new("syncing");
    let create = |name: &str, len: usize| {
        let path = folder.path().join(name);
        std::fs::write(&path, vec![0; len]).expect("a file");
        let file = File::options().write(true).open(path).expect("a file");
        file.sync_all().expect("an fsync");
        file
    };
    let replaced = create("replaced", BYTES * SYNCS as usize);
    let grown = create("grown", 0);
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..SYNCS {
        for (file, times) in [&replaced, &grown].into_iter().zip(&mut times) {
            let begun = Instant::now();
            file.write_all_at(&[7; BYTES], number * BYTES as u64).expect("a write");
            file.sync_data().expect("an fdatasync");
            times.push(begun.elapsed());
        }
    }
    println!("{BYTES} bytes written and synced, {SYNCS} times each, one after the other\n");
    println!("| the file | median | 99th percentile |");
    println!("|---|---|---|");
    let [replaced, grown] = times.map(percentiles);
    for (name, (median, late)) in [("stays as long as it is", replaced), ("grows", grown)] {
        println!("| {name} | {:.0} µs | {:.0} µs |", micros(median), micros(late));
    }
    println!("\ngrowing takes {:.2} times as long\n", micros(grown.0) / micros(replaced.0));
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median and the 99th percentile.
fn percentiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    (at(50), at(99))
}
