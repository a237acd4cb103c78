//! Reads of old rows: through all layers of the store, and from a bare redb.

use crate::contest::Contest;
use crate::folder::Folder;
use crate::stopwatch;
use redb::{Database, ReadOnlyTable, ReadableDatabase, TableDefinition};
use singlet_engine::store::{Batch, Direction, DiskOptions, Durability, Keyspace, Snapshot, Store};
use std::cell::Cell;
use std::ops::Bound;
use std::rc::Rc;

const ROWS: u64 = 200_000;
/// Rows in memory, with keys in between.
const ROWS_ABOVE: u64 = 50_000;
const ROW_BYTES: usize = 400;
const SCANNED: usize = 100;
const ROWS_IN_COMMIT: u64 = 1_000;
const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");

fn key(number: u64, last: u8) -> Vec<u8> {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [&spread.to_be_bytes()[..], &[b'k'; 40], &[last]].concat()
}

/// The data, kept alive for the whole measurement.
struct Rows {
    _folder: Folder,
    _store: Store,
    _above: Store,
    _database: Database,
    base: Snapshot,
    above: Snapshot,
    bare: ReadOnlyTable<&'static [u8], &'static [u8]>,
    next: Cell<u64>,
}

impl Rows {
    fn new() -> Self {
        let folder = Folder::new("reading");
        let fill = |name: &str| {
            let path = folder.path().join(name);
            let store = Store::open(&path).expect("a store");
            put(&store, 0..ROWS, 0);
            // After closing, all rows are in the base.
            store.close().expect("the store closes");
            Store::open(&path).expect("a store")
        };
        let (store, above) = (fill("base"), fill("above"));
        put(&above, 0..ROWS_ABOVE, 1);
        let mut builder = redb::Builder::new();
        builder.set_cache_size(DiskOptions::default().cache_bytes);
        let database = builder.create(folder.path().join("bare")).expect("a redb file");
        for start in (0..ROWS).step_by(ROWS_IN_COMMIT as usize) {
            let transaction = database.begin_write().expect("a transaction");
            let mut table = transaction.open_table(TABLE).expect("a table");
            for number in start..start + ROWS_IN_COMMIT {
                table.insert(&*key(number, 0), [7; ROW_BYTES].as_slice()).expect("a row");
            }
            drop(table);
            transaction.commit().expect("a commit");
        }
        let transaction = database.begin_read().expect("a transaction");
        Self {
            base: store.snapshot().expect("a snapshot"),
            above: above.snapshot().expect("a snapshot"),
            bare: transaction.open_table(TABLE).expect("a table"),
            next: Cell::new(0),
            _folder: folder,
            _store: store,
            _above: above,
            _database: database,
        }
    }

    /// Reads everything once to fill the caches of both.
    fn warm(&self) {
        let all = Bound::Unbounded;
        for snapshot in [&self.base, &self.above] {
            let rows = snapshot.range(Keyspace::Items, all, all, Direction::Forward);
            assert!(rows.expect("rows can be read").count() as u64 >= ROWS, "all rows are there");
        }
        let rows = self.bare.range::<&[u8]>(..).expect("rows can be read");
        assert_eq!(rows.count() as u64, ROWS, "all rows are there");
    }

    fn next_key(&self) -> Vec<u8> {
        let number = self.next.get();
        self.next.set(number + 1);
        key(number * 7919 % ROWS, 0)
    }

    fn get(&self, snapshot: &Snapshot) {
        let row = snapshot.get(Keyspace::Items, &self.next_key()).expect("a row can be read");
        assert!(row.is_some(), "all rows are there");
    }

    fn get_bare(&self) -> Vec<u8> {
        let row = self.bare.get(&*self.next_key()).expect("a row can be read");
        row.expect("all rows are there").value().to_vec()
    }

    fn scan(&self, snapshot: &Snapshot) -> usize {
        let start = self.next_key();
        let (lower, upper) = (Bound::Included(&*start), Bound::Unbounded);
        let rows = snapshot.range(Keyspace::Items, lower, upper, Direction::Forward);
        rows.expect("rows can be read").take(SCANNED).filter(Result::is_ok).count()
    }

    fn scan_bare(&self) -> usize {
        let start = self.next_key();
        let rows = self.bare.range(&*start..).expect("rows can be read").take(SCANNED);
        let copy = |(key, value): (redb::AccessGuard<'_, &[u8]>, redb::AccessGuard<'_, &[u8]>)| {
            [key.value(), value.value()].concat().len()
        };
        rows.filter_map(Result::ok).map(copy).sum()
    }
}

fn put(store: &Store, numbers: std::ops::Range<u64>, last: u8) {
    for start in numbers.clone().step_by(ROWS_IN_COMMIT as usize) {
        let mut batch = Batch::new();
        for number in start..numbers.end.min(start + ROWS_IN_COMMIT) {
            batch.put(Keyspace::Items, key(number, last), vec![7; ROW_BYTES]);
        }
        store.commit(&batch, Durability::Relaxed).expect("a commit");
    }
    store.sync().expect("a sync");
}

pub(super) fn run() {
    println!("Rows of {ROW_BYTES} bytes, {ROWS} of them, in the base; {ROWS_ABOVE} others above\n");
    for contest in contests() {
        println!("{}", contest.report(&stopwatch::race(&contest.bodies()), &[]));
    }
}

fn contests() -> Vec<Contest> {
    let rows = Rc::new(Rows::new());
    rows.warm();
    let with = |work: fn(&Rows)| {
        let rows = Rc::clone(&rows);
        move || work(&rows)
    };
    vec![
        Contest::new("a row of the base")
            .contender("singlet", with(|rows| rows.get(&rows.base)))
            .contender("singlet, with others above", with(|rows| rows.get(&rows.above)))
            .contender("redb", with(|rows| drop(rows.get_bare()))),
        Contest::new("a range of 100 rows of the base")
            .contender("singlet", with(|rows| assert!(rows.scan(&rows.base) > 0)))
            .contender(
                "singlet, with others above",
                with(|rows| assert!(rows.scan(&rows.above) > 0)),
            )
            .contender("redb", with(|rows| assert!(rows.scan_bare() > 0))),
    ]
}
