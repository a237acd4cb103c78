//! Writers that never pause, on a folder ten times the memory budget: waits stay short, memory
//! stays within budget, and no acknowledged write is lost when the process is killed in the end.
//!
//! By default this takes seconds and checks only for lost writes, because the machine may be busy.
//! With `SINGLET_TEST_LONG` set it writes for ten minutes and also checks memory, and in a release
//! build how long writers wait: with debug assertions redb verifies its whole file when it is
//! opened, and more with every transaction.
//!
//! Some disks stall for half a second. To separate their stalls from the store's, a file of four
//! kilobytes next to the folder is written and synced all the time. The store accounts for the time
//! that a writer waits beyond the longest sync of that bare file.
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
use singlet_testing::random::Random;
use std::cell::Cell;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The folder of the process that is killed; unset in the parent.
const FOLDER: &str = "SINGLET_FULL_LOAD_FOLDER";
const WRITERS: usize = 16;
/// The load continues until this many writes are acknowledged, however slow the disk is.
const WRITES_MIN: usize = 100;
const TABLE: &str = "Load";
/// Approximate size of an item.
const ITEM_BYTES: usize = 500;

/// The amount of work.
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

    /// Enough items for a folder of ten times the budget.
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

/// Wait times of writers.
#[derive(Default)]
struct Waits {
    longest: Duration,
    /// Beyond the bare file's.
    own: Duration,
    /// Longest sync of the bare file.
    bare: Duration,
    /// In the last half second: the longest wait, and the bare file's including the half second
    /// before.
    last: (Duration, Duration),
    last_bare: Duration,
}

impl Waits {
    /// Ends a half second. One stall of the disk may span two of them.
    fn note(&mut self, longest: Duration, bare: Duration) {
        let (last, last_two_bare) = self.last;
        self.own = self.own.max(last.saturating_sub(last_two_bare.max(bare)));
        self.longest = self.longest.max(longest);
        self.bare = self.bare.max(bare);
        self.last = (longest, bare.max(self.last_bare));
        self.last_bare = bare;
    }
}

/// Resident memory of the process; `None` if the system does not report it.
fn memory_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
}

/// Writes and syncs a separate file, and records the longest time that this took.
fn sync_a_bare_file(path: &Path, longest_us: &AtomicU64) {
    let mut file = File::create(path).unwrap();
    file.write_all(&[0; 4096]).unwrap();
    loop {
        std::thread::sleep(Duration::from_millis(10));
        let begun = Instant::now();
        file.rewind().unwrap();
        file.write_all(&[1; 4096]).unwrap();
        file.sync_data().unwrap();
        note(longest_us, begun);
    }
}

/// Records a duration if it is the longest.
fn note(longest_us: &AtomicU64, begun: Instant) {
    let took = begun.elapsed().as_micros().try_into().unwrap_or(u64::MAX);
    longest_us.fetch_max(took, Ordering::Relaxed);
}

/// Not a test: the body of the process that is killed. Prints `KEY VERSION` for each acknowledged
/// write, and regularly the longest wait, the bare file's time and the memory.
#[test]
fn writes_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let load = Load::new();
    let memory_before = memory_bytes().unwrap_or(0);
    let engine = load.open(Path::new(&folder), Durability::Full);
    let (longest_us, bare_us) = (AtomicU64::new(0), AtomicU64::new(0));
    let bare = Path::new(&folder).with_extension("bare");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (engine, load, longest_us) = (&engine, &load, &longest_us);
            scope.spawn(move || {
                let mut random = Random::new(writer as u64);
                for version in 1.. {
                    // Each key belongs to one writer.
                    let number = random.below(load.keys() / WRITERS) * WRITERS + writer;
                    let begun = Instant::now();
                    put(engine, number, version);
                    note(longest_us, begun);
                    writeln!(std::io::stdout(), "{number} {version}").unwrap();
                }
            });
        }
        scope.spawn(|| sync_a_bare_file(&bare, &bare_us));
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let memory = memory_bytes().unwrap_or(0).saturating_sub(memory_before);
            let [longest, bare] = [&longest_us, &bare_us].map(|us| us.swap(0, Ordering::Relaxed));
            writeln!(std::io::stdout(), "longest {longest} bare {bare} memory {memory}").unwrap();
        }
    });
}

#[test]
fn writers_that_never_pause() {
    if std::env::var_os(FOLDER).is_some() {
        return;
    }
    let load = Load::new();
    // A short run must not delete the folder of a long one.
    let name = if load.is_long { "full-load-long" } else { "full-load" };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let engine = load.open(&folder, Durability::Relaxed);
    let schema = KeySchema::simple(KeyAttribute::new("pk", KeyType::S), None);
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
        // glibc has an arena for each thread that ever committed, and returns little of it: with
        // sixteen of them the process took three times as much as the store had requested.
        .env("MALLOC_ARENA_MAX", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut acknowledged = vec![0_i64; load.keys()];
    let (writes, mut memory) = (Cell::new(0), 0);
    let mut waits = Waits::default();
    let mut note = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        match words.as_slice() {
            ["longest", us, "bare", bare_us, "memory", bytes] => {
                let [longest, bare] =
                    [us, bare_us].map(|us| Duration::from_micros(us.parse().unwrap()));
                waits.note(longest, bare);
                memory = memory.max(bytes.parse::<usize>().unwrap());
            }
            [number, version] => {
                if let (Ok(number), Ok(version)) = (number.parse::<usize>(), version.parse()) {
                    acknowledged[number] = version;
                    writes.set(writes.get() + 1);
                }
            }
            _ => {}
        }
    };
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = Instant::now();
    while begun.elapsed() < load.duration || writes.get() < WRITES_MIN {
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
        "{} writes in {:?}, the longest took {:?}, {:?} of it without the disk; a bare file \
         {:?}; {} MB of memory with a budget of {} MB; opened in {opened:?}",
        writes.get(),
        load.duration,
        waits.longest,
        waits.own,
        waits.bare,
        memory / 1_000_000,
        load.budget() / 1_000_000,
    );
    if load.is_long {
        assert!(memory < load.budget() * 12 / 10, "{memory} bytes of memory");
    }
    let _ = std::fs::remove_file(folder.with_extension("bare"));
    let _ = std::fs::remove_dir_all(&folder);
}
