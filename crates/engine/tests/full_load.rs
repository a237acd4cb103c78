//! Writers that never pause, on a folder that is ten times as large as what may be in memory: nobody
//! waits for long, memory stays within its budget, and nothing that was acknowledged is lost when
//! the process is killed in the end.
//!
//! In the test command this takes seconds, and looks at what is lost alone, because the machine may
//! be busy. With `SINGLET_TEST_LONG` set it writes for ten minutes and looks at memory too, and in
//! a release build at how long anybody waits: with debug assertions redb verifies its whole file
//! when it is opened, and more with every transaction.
//!
//! ```text
//! SINGLET_TEST_LONG=1 cargo test --release --package singlet-engine --test full_load -- --nocapture
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a panic here is a failing test, and its figures are worth a line"
)]

use singlet_dynamo::operation::{CreateTable, GetItem, PutItem};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::{Item, Value};
use singlet_engine::store::{DiskOptions, DiskStore, Store};
use singlet_engine::{Durability, Engine, Options};
use singlet_testkit::random::Random;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Where the process that is to be killed works; unset in the one that kills.
const FOLDER: &str = "SINGLET_FULL_LOAD_FOLDER";
const WRITERS: usize = 16;
const TABLE: &str = "Load";
/// About what an item takes.
const ITEM_BYTES: usize = 500;

/// How much there is to do.
struct Load {
    disk: DiskOptions,
    duration: Duration,
    is_long: bool,
}

impl Load {
    fn new() -> Self {
        let is_long = std::env::var_os("SINGLET_TEST_LONG").is_some();
        let (budget, seconds) = if is_long { (64 << 20, 600) } else { (1 << 20, 3) };
        let disk = DiskOptions {
            recent_bytes: budget as u64 / 2,
            cache_bytes: budget / 2,
            chunk_bytes: if is_long { DiskOptions::default().chunk_bytes } else { 64 << 10 },
            ..DiskOptions::default()
        };
        Self { disk, duration: Duration::from_secs(seconds), is_long }
    }

    fn budget(&self) -> usize {
        self.disk.memory_bytes().try_into().unwrap()
    }

    /// So many items make a folder of ten times the budget.
    fn keys(&self) -> usize {
        10 * self.budget() / ITEM_BYTES
    }

    fn open(&self, folder: &Path, durability: Durability) -> Engine {
        let store = Store::Disk(DiskStore::open(folder, self.disk).unwrap());
        Engine::on(store, Options { durability, ..Options::default() }).unwrap()
    }
}

fn key(number: usize) -> Item {
    Item::from([("pk", Value::from(format!("key {number:08}").as_str()))])
}

fn put(engine: &Engine, number: usize, version: i64) {
    let mut item = key(number);
    item.insert("version", Value::from(version));
    item.insert("text", Value::from("x".repeat(ITEM_BYTES - 50).as_str()));
    engine.put_item(PutItem::new(TABLE, item)).unwrap();
}

/// How much memory the process has, in bytes; nothing where the system does not say.
fn memory_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
}

/// Not a test of its own: this is what the process does that is to be killed. It says `KEY VERSION`
/// for each write that was acknowledged, and now and then what the longest wait was and how much
/// memory it has.
#[test]
fn writes_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let load = Load::new();
    let memory_before = memory_bytes().unwrap_or(0);
    let engine = load.open(Path::new(&folder), Durability::Full);
    let longest_us = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (engine, load, longest_us) = (&engine, &load, &longest_us);
            scope.spawn(move || {
                let mut random = Random::new(writer as u64);
                for version in 1.. {
                    // Each key belongs to one of the writers.
                    let number = random.below(load.keys() / WRITERS) * WRITERS + writer;
                    let begun = Instant::now();
                    put(engine, number, version);
                    let took = begun.elapsed().as_micros().try_into().unwrap_or(u64::MAX);
                    longest_us.fetch_max(took, Ordering::Relaxed);
                    writeln!(std::io::stdout(), "{number} {version}").unwrap();
                }
            });
        }
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let memory = memory_bytes().unwrap_or(0).saturating_sub(memory_before);
            let longest = longest_us.swap(0, Ordering::Relaxed);
            writeln!(std::io::stdout(), "longest {longest} memory {memory}").unwrap();
        }
    });
}

#[test]
fn writers_that_never_pause() {
    if std::env::var_os(FOLDER).is_some() {
        return;
    }
    let load = Load::new();
    // A run that takes minutes must not find that a short one has cleared the place.
    let name = if load.is_long { "full-load-long" } else { "full-load" };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let engine = load.open(&folder, Durability::Relaxed);
    let schema = KeySchema { partition: KeyAttribute::new("pk", KeyType::S), sort: None };
    let table = TableSchema { name: TABLE.to_owned(), key: schema, indexes: Vec::new() };
    engine.create_table(CreateTable::new(table)).unwrap();
    engine.wait_until_active(TABLE).unwrap();
    for number in 0..load.keys() {
        put(&engine, number, 0);
    }
    engine.close().unwrap();
    drop(engine);

    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_killed", "--nocapture"])
        .env(FOLDER, &folder)
        // glibc has a heap for each thread that ever committed, and gives little of it back: with
        // sixteen of them the process took three times as much as the store had asked for.
        .env("MALLOC_ARENA_MAX", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut acknowledged = vec![0_i64; load.keys()];
    let (mut writes, mut longest, mut memory) = (0, Duration::ZERO, 0);
    let mut note = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        match words.as_slice() {
            ["longest", us, "memory", bytes] => {
                longest = longest.max(Duration::from_micros(us.parse().unwrap()));
                memory = memory.max(bytes.parse::<usize>().unwrap());
            }
            [number, version] => {
                if let (Ok(number), Ok(version)) = (number.parse::<usize>(), version.parse()) {
                    acknowledged[number] = version;
                    writes += 1;
                }
            }
            _ => {}
        }
    };
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = Instant::now();
    while begun.elapsed() < load.duration {
        note(&lines.next().expect("it ended before it was killed").unwrap());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines.map_while(Result::ok) {
        note(&line);
    }

    let opening = Instant::now();
    let engine = load.open(&folder, Durability::Full);
    let opened = opening.elapsed();
    for (number, acknowledged) in acknowledged.iter().enumerate() {
        let item = engine.get_item(&GetItem::new(TABLE, key(number))).unwrap().item.unwrap();
        let item = item.to_item();
        let Some(Value::N(version)) = item.get("version") else { panic!("{item:?}") };
        assert!(version.to_i64().unwrap() >= *acknowledged, "a write of key {number} is lost");
    }
    println!(
        "{writes} writes in {:?}, the longest took {longest:?}; {} MB of memory with a budget of \
         {} MB; opened in {opened:?}",
        load.duration,
        memory / 1_000_000,
        load.budget() / 1_000_000,
    );
    if load.is_long {
        assert!(memory < load.budget() * 12 / 10, "{memory} bytes of memory");
    }
    if load.is_long && !cfg!(debug_assertions) {
        assert!(longest < Duration::from_millis(500), "a write took {longest:?}");
        assert!(opened < Duration::from_secs(1), "opening took {opened:?}");
    }
    assert!(writes > 100, "only {writes} writes");
    let _ = std::fs::remove_dir_all(&folder);
}
