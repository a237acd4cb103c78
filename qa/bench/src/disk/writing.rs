//! Durable writes, and concurrent reads.

use super::append::Appended;
use crate::folder::Folder;
use singlet_dynamo::operation::{CreateTable, GetItem, PutItem};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::{Item, Value};
use singlet_engine::{Engine, Options};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TABLE: &str = "Players";
const ITEMS: u64 = 100_000;
const ROUND: Duration = Duration::from_secs(2);
const ROUNDS: usize = 6;
const WRITERS_BESIDE_READER: u64 = 16;

fn key(number: u64) -> Item {
    Item::from([("PK", Value::from(format!("PLAYER#{:016x}", spread(number)).as_str()))])
}

/// Spreads consecutive numbers far apart.
fn spread(number: u64) -> u64 {
    (number % ITEMS).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn item(number: u64, version: u64) -> Item {
    let mut item = key(number);
    item.insert("version", Value::from(i64::try_from(version).unwrap_or(0)));
    item.insert("text", Value::from("x".repeat(350).as_str()));
    item
}

fn open(folder: &Path) -> Engine {
    let engine = Engine::open(folder, Options::default()).expect("an engine");
    let schema = KeySchema::simple(KeyAttribute::new("PK", KeyType::S), None);
    let table = TableSchema { name: TABLE.to_owned(), key: schema, indexes: Vec::new() };
    engine.create_table(CreateTable::new(table)).expect("the table is new");
    engine.wait_until_active(TABLE).expect("the table becomes active");
    engine
}

fn put(engine: &Engine, number: u64, version: u64) {
    engine.put_item(PutItem::new(TABLE, item(number, version))).expect("PutItem");
}

/// The log bytes per PutItem, from the growth of a new folder's log, which is zero after its last
/// record.
fn put_bytes(folder: &Path) -> usize {
    const PUTS: u64 = 1_000;
    let engine = open(folder);
    let written = || {
        let log = std::fs::read(folder.join("log.0")).expect("the log");
        log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
    };
    put(&engine, 0, 0);
    let before = written();
    (1..=PUTS).for_each(|number| put(&engine, number, 0));
    (written() - before) / PUTS as usize
}

/// The calls of all threads and their total time.
#[derive(Clone, Copy, Default)]
struct Done {
    calls: u64,
    time: Duration,
}

impl Done {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.time += other.time;
    }

    /// Calls per second.
    fn rate(self) -> f64 {
        self.calls as f64 / self.time.as_secs_f64()
    }
}

fn round(threads: u64, work: impl Fn(u64) + Sync) -> Done {
    let (calls, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (work, calls, is_over) = (&work, &calls, &is_over);
            scope.spawn(move || {
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    work(number * threads + thread);
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(ROUND);
        is_over.store(true, Ordering::Relaxed);
    });
    Done { calls: calls.into_inner(), time: begun.elapsed() }
}

pub(super) fn run() {
    let folder = Folder::new("writing");
    let bytes = put_bytes(&folder.path().join("young"));
    let engine = open(&folder.path().join("store"));
    std::thread::scope(|scope| {
        for part in 0..64 {
            let engine = &engine;
            scope.spawn(move || {
                (part..ITEMS).step_by(64).for_each(|number| put(engine, number, 0));
            });
        }
    });
    writes(&engine, &Appended::new(&folder.path().join("bare")), bytes);
    reads(&engine);
}

fn writes(engine: &Engine, bare: &Appended, bytes: usize) {
    println!(
        "PutItem on disk, {ITEMS} items; beside it, {bytes} bytes appended to a bare file, which \
         is what a PutItem alone writes to the log. A second, {ROUNDS} rounds of {ROUND:?} each, \
         checkpoints included.\n"
    );
    println!("| writers | singlet | a bare file | part |");
    println!("|---|---|---|---|");
    let appended = vec![7; bytes];
    for threads in [1, 16, 64] {
        let (mut ours, mut theirs) = (Done::default(), Done::default());
        for _ in 0..ROUNDS {
            ours.add(round(threads, |number| put(engine, number * 7919, number)));
            theirs.add(round(threads, |_| bare.append(&appended)));
        }
        let (ours, theirs) = (ours.rate(), theirs.rate());
        println!("| {threads} | {ours:.0} | {theirs:.0} | {:.2} |", ours / theirs);
    }
}

fn reads(engine: &Engine) {
    println!("\nGetItem from one thread, a second, {ROUNDS} rounds of {ROUND:?} each\n");
    let get = |number: u64| {
        let answer = engine.get_item(&GetItem::new(TABLE, key(number * 7919))).expect("GetItem");
        assert!(answer.item.is_some(), "all items are there");
    };
    let (mut alone, mut beside) = (Done::default(), Done::default());
    for _ in 0..ROUNDS {
        alone.add(round(1, get));
        let is_over = AtomicBool::new(false);
        beside.add(std::thread::scope(|scope| {
            for writer in 0..WRITERS_BESIDE_READER {
                let is_over = &is_over;
                scope.spawn(move || {
                    for number in 0.. {
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                        put(engine, number * 31 + writer, number);
                    }
                });
            }
            let done = round(1, get);
            is_over.store(true, Ordering::Relaxed);
            done
        }));
    }
    let (alone, beside) = (alone.rate(), beside.rate());
    println!("| alone | beside {WRITERS_BESIDE_READER} writers | part |");
    println!("|---|---|---|");
    println!("| {alone:.0} | {beside:.0} | {:.2} |\n", beside / alone);
}
