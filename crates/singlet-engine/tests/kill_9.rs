//! A writing process is killed at any point: its acknowledged writes are in the folder.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a panic here is a failing test, and its figures are worth a line"
)]

mod durability;

use durability::{check_sound, times};
use singlet_dynamo::operation::{
    CreateTable, PutItem, Scan, TransactWriteItem, TransactWriteItems,
};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::{Item, Value};
use singlet_engine::store::{DiskOptions, DiskStore, Store};
use singlet_engine::{Engine, Options};
use singlet_testing::random::Random;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The folder of the process that is killed; unset in the parent.
const FOLDER: &str = "SINGLET_KILL_9_FOLDER";
/// Number of earlier writes of each of its threads.
const DONE: &str = "SINGLET_KILL_9_DONE";

const WRITERS: usize = 2;
const TABLES: [&str; 2] = ["Orders", "Stock"];
/// Items per writer, which are written again and again.
const KEYS: usize = 16;

/// The last write to each of a writer's items.
type Written = BTreeMap<(usize, usize), usize>;

/// A table's contents after this many writes of a writer. Every write goes to the first table;
/// every other one is a transaction over both.
fn after(writer: usize, writes: usize, table: usize) -> Written {
    // Older ones have been overwritten.
    (writes.saturating_sub(2 * KEYS) + 1..=writes)
        .filter(|number| table == 0 || number % 2 == 1)
        .map(|number| ((writer, number % KEYS), number))
        .collect()
}

fn write(engine: &Engine, writer: usize, number: usize) {
    let item = Item::from([
        ("pk", Value::from(format!("{writer} {}", number % KEYS).as_str())),
        ("writer", Value::from(writer as i64)),
        ("key", Value::from((number % KEYS) as i64)),
        ("number", Value::from(number as i64)),
    ]);
    if number % 2 == 1 {
        let puts = TABLES.map(|table| TransactWriteItem::Put(PutItem::new(table, item.clone())));
        engine.transact_write_items(TransactWriteItems::new(puts.to_vec())).unwrap();
    } else {
        engine.put_item(PutItem::new(TABLES[0], item)).unwrap();
    }
}

/// An engine with little memory, so that most processes are killed during a checkpoint.
fn open(folder: &Path, options: Options) -> Engine {
    let disk = DiskOptions { recent_bytes: 64 << 10, chunk_bytes: 8 << 10, ..Default::default() };
    Engine::on(Store::Disk(DiskStore::open(folder, disk).unwrap()), options).unwrap()
}

/// Not a test: the body of the process that is killed.
#[test]
fn writes_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let done: Vec<usize> =
        std::env::var(DONE).unwrap().split(' ').map(|count| count.parse().unwrap()).collect();
    let engine = open(Path::new(&folder), Options::default());
    std::thread::scope(|scope| {
        for (writer, done) in done.into_iter().enumerate() {
            let engine = &engine;
            scope.spawn(move || {
                for number in done + 1.. {
                    write(engine, writer, number);
                    // One line is one write to the pipe, so it arrives whole or not at all.
                    writeln!(std::io::stdout(), "done {writer} {number}").unwrap();
                }
            });
        }
    });
}

/// Runs a process, kills it, and returns the writes it acknowledged.
fn run_and_kill(folder: &Path, done: &[usize], lifetime: Duration) -> Vec<usize> {
    let counts: Vec<_> = done.iter().map(usize::to_string).collect();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_killed", "--nocapture"])
        .env(FOLDER, folder)
        .env(DONE, counts.join(" "))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut acknowledged = done.to_vec();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut note = |line: String| {
        let numbers = line.strip_prefix("done ").and_then(|rest| rest.split_once(' '));
        if let Some((writer, number)) = numbers {
            acknowledged[writer.parse::<usize>().unwrap()] = number.parse().unwrap();
        }
        numbers.is_some()
    };
    // Its lifetime starts with its first line; later lines stay in the pipe.
    let has_begun = lines.by_ref().map_while(Result::ok).any(&mut note);
    std::thread::sleep(lifetime);
    // On Unix this is SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(has_begun, "it ended before it was killed");
    for line in lines.map_while(Result::ok) {
        note(line);
    }
    acknowledged
}

fn read(engine: &Engine, table: &str, writer: usize) -> Written {
    let number = |item: &Item, name: &str| match item.get(name) {
        Some(Value::N(number)) => usize::try_from(number.to_i64().unwrap()).unwrap(),
        other => panic!("{name} is {other:?}"),
    };
    let items = engine.scan(&Scan::new(table)).unwrap().items.unwrap();
    let items = items.iter().map(|item| item.to_item());
    items
        .filter(|item| number(item, "writer") == writer)
        .map(|item| ((writer, number(&item, "key")), number(&item, "number")))
        .collect()
}

/// The number of writes of each writer: the acknowledged ones, and at most one more.
fn count_writes(engine: &Engine, acknowledged: &[usize]) -> Vec<usize> {
    let count = |(writer, acknowledged): (usize, &usize)| {
        let found = [0, 1].map(|table| read(engine, TABLES[table], writer));
        let matches = |writes: &usize| [0, 1].map(|table| after(writer, *writes, table)) == found;
        [*acknowledged, acknowledged + 1].into_iter().find(matches).unwrap_or_else(|| {
            panic!("writer {writer} was told that {acknowledged} writes are safe; found {found:?}")
        })
    };
    acknowledged.iter().enumerate().map(count).collect()
}

#[test]
fn what_was_acknowledged_outlives_the_process() {
    if std::env::var_os(FOLDER).is_some() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kill-9");
    let _ = std::fs::remove_dir_all(&folder);
    let engine = open(&folder, Options::default());
    for table in TABLES {
        let key = KeySchema::simple(KeyAttribute::new("pk", KeyType::S), None);
        let schema = TableSchema { name: table.to_owned(), key, indexes: Vec::new() };
        engine.create_table(CreateTable::new(schema)).unwrap();
        engine.wait_until_active(table).unwrap();
    }
    drop(engine);

    let mut random = Random::new(9);
    let mut done = vec![0; WRITERS];
    let mut openings = Vec::new();
    for _ in 0..100 * times(100) {
        let lifetime = Duration::from_micros(random.below(60_000) as u64);
        let acknowledged = run_and_kill(&folder, &done, lifetime);
        let begun = Instant::now();
        // The check needs a store without readers, including the engine's own thread.
        let quiet = Options { background: false, ..Options::default() };
        let engine = open(&folder, quiet);
        openings.push(begun.elapsed());
        done = count_writes(&engine, &acknowledged);
        check_sound(&engine).unwrap();
    }
    openings.sort_unstable();
    println!(
        "{} kills, {} writes; opening took {:?} at the median and {:?} at most",
        openings.len(),
        done.iter().sum::<usize>(),
        openings[openings.len() / 2],
        openings[openings.len() - 1],
    );
}
