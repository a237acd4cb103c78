//! The time to open a folder whose process was killed with a full log.

use crate::folder::Folder;
use singlet_engine::store::{
    Batch, Checkpoints, DiskOptions, DiskStore, Durability, Keyspace, Store,
};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The command that fills a log and waits to be killed.
pub(crate) const FILL: &str = "fill-until-killed";
const OPENINGS: usize = 3;
const ROW_BYTES: usize = 450;
const ROWS_IN_COMMIT: u64 = 500;

pub(super) fn run() {
    let folder = Folder::new("opening");
    println!("Opening a folder after kill -9, with a full log:\n");
    println!("| bytes in the log | opened | first row read |");
    println!("|---|---|---|");
    for number in 0..OPENINGS {
        let path = folder.path().join(number.to_string());
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .arg(FILL)
            .arg(&path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut bytes = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut bytes).expect("a line");
        child.kill().expect("kill -9");
        child.wait().expect("its end");

        let begun = Instant::now();
        let store = Store::open(&path).expect("the folder opens");
        let opened = begun.elapsed();
        let row = store.snapshot().and_then(|snapshot| snapshot.get(Keyspace::Items, &key(0)));
        let read = begun.elapsed();
        assert!(row.expect("a row can be read").is_some(), "what was committed is there");
        println!(
            "| {} | {:.0} ms | {:.0} ms |",
            bytes.trim(),
            opened.as_secs_f64() * 1e3,
            read.as_secs_f64() * 1e3
        );
        drop(store);
    }
    println!();
}

fn key(number: u64) -> Vec<u8> {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [&spread.to_be_bytes()[..], &[b'k'; 40]].concat()
}

/// The log size of a small folder.
const LOG_BYTES: u64 = 32 << 20;

/// Commits until both log files are full, prints their size, and waits.
pub(crate) fn fill_until_killed(path: &Path) {
    // A checkpoint with tiny chunks never finishes.
    let options = DiskOptions {
        chunk_bytes: 1,
        checkpoints: Checkpoints::WithCommits,
        ..DiskOptions::default()
    };
    let store = Store::Disk(DiskStore::open(path, options).expect("a store"));
    let mut bytes = 0;
    let mut number = 0;
    while bytes < LOG_BYTES * 95 / 100 {
        let mut batch = Batch::new();
        for _ in 0..ROWS_IN_COMMIT {
            batch.put(Keyspace::Items, key(number), vec![7; ROW_BYTES]);
            number += 1;
            bytes += (ROW_BYTES + key(0).len() + 10) as u64;
        }
        store.commit(&batch, Durability::Full).expect("a commit");
    }
    println!("{bytes}");
    std::io::stdout().flush().expect("somebody listens");
    loop {
        std::thread::park();
    }
}
