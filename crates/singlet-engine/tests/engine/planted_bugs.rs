//! The test harness finds bugs planted in an engine.

use crate::durability::{
    Contents, Run, START_MS, Workload, check_sound, open, options, small_store,
};
use singlet_dynamo::operation::{CreateTable, DeleteItem, PutItem, UpdateTable};
use singlet_dynamo::{Item, Value};
use singlet_engine::store::{Batch, Direction, Keyspace};
use singlet_engine::{Clock, Durability, Engine};
use singlet_testing::disk::{FaultDisk, Lie};
use std::collections::BTreeMap;
use std::ops::Bound;

#[test]
fn acknowledging_before_the_sync_is_found() {
    let lies = small_store::LOG.map(|log| (log, Lie::NeverSyncs));
    let run = Run::with_lies(&lies, 1, 60, Durability::Full);
    assert!(run.crash(50, 1).is_err());
}

/// A log file is reused once the base has its rows. If the base is not durable by then, they are
/// lost.
#[test]
fn giving_up_the_log_before_the_checkpoint_is_durable_is_found() {
    let run = Run::with_lies(&[(small_store::DATA, Lie::NeverSyncs)], 1, 60, Durability::Full);
    assert!(run.crash(50, 1).is_err());
}

#[test]
fn promising_more_than_relaxed_durability_keeps_is_found() {
    let run = Run::new(1, 60, Durability::Relaxed).with_full_promises();
    assert!(run.crash(50, 1).unwrap_err().contains("has state"));
}

type Place = (Keyspace, Vec<u8>);
type Rows = BTreeMap<Place, Vec<u8>>;

fn rows(disk: &FaultDisk) -> Rows {
    let store = small_store::open(&disk.copy()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let (all, forward) = (Bound::Unbounded, Direction::Forward);
    let mut rows = Rows::new();
    for keyspace in Keyspace::ALL {
        for row in snapshot.range(keyspace, all, all, forward).unwrap() {
            let row = row.unwrap();
            rows.insert((keyspace, row.key().to_vec()), row.value().to_vec());
        }
    }
    rows
}

/// The disk after modifying rows behind the engine's back.
fn meddled(disk: &FaultDisk, edits: &[(Place, Option<Vec<u8>>)]) -> FaultDisk {
    let mut batch = Batch::new();
    for ((keyspace, key), value) in edits {
        match value {
            Some(value) => batch.put(*keyspace, key.clone(), value.clone()),
            None => batch.delete(*keyspace, key.clone()),
        }
    }
    let meddled = disk.copy();
    let store = small_store::open(&meddled).unwrap();
    store.commit(&batch, Durability::Full).unwrap();
    store.close().unwrap();
    meddled
}

/// A disk after some steps of the workload.
fn worked_on(steps: usize) -> (FaultDisk, Clock) {
    let (disk, clock) = (FaultDisk::new(), Clock::fixed(START_MS));
    let engine = open(&disk, options(&clock, Durability::Full)).unwrap();
    let mut workload = Workload::new(3, &clock);
    for _ in 0..steps {
        workload.step(&engine).unwrap();
    }
    engine.close().unwrap();
    (disk, clock)
}

fn reopen(disk: &FaultDisk, clock: &Clock) -> Engine {
    open(disk, options(clock, Durability::Full)).unwrap()
}

#[test]
fn a_row_without_its_item_or_an_item_without_its_row_is_found() {
    let (disk, clock) = worked_on(80);
    check_sound(&reopen(&disk.copy(), &clock)).unwrap();
    for keyspace in [Keyspace::Items, Keyspace::Indexes, Keyspace::Expiry] {
        let mut found = 0;
        let rows = rows(&disk);
        let of_keyspace = rows.keys().filter(|(own, _)| *own == keyspace);
        for row in of_keyspace.take(10) {
            let damaged = meddled(&disk, &[(row.clone(), None)]);
            found += usize::from(check_sound(&reopen(&damaged, &clock)).is_err());
        }
        assert_eq!(found, rows.keys().filter(|(own, _)| *own == keyspace).take(10).count());
        assert!(found > 0, "{keyspace:?} has no rows");
    }
}

#[test]
fn an_index_row_that_no_item_has_is_found() {
    let (disk, clock) = worked_on(80);
    let rows = rows(&disk);
    let ((_, key), _) = rows.range((Keyspace::Indexes, vec![])..).next().unwrap();
    // The row of a nonexistent item in the same index.
    let stray = [key.as_slice(), b"x\0\0"].concat();
    let damaged = meddled(&disk, &[((Keyspace::Indexes, stray), Some(Vec::new()))]);
    check_sound(&reopen(&damaged, &clock)).unwrap_err();
}

#[test]
fn half_of_a_transaction_is_found() {
    let clock = Clock::fixed(START_MS);
    let disk = FaultDisk::new();
    let engine = open(&disk, options(&clock, Durability::Full)).unwrap();
    let mut workload = Workload::new(3, &clock);
    let mut transactions = 0;
    while transactions < 10 {
        let before = (disk.copy(), Contents::read(&engine).unwrap());
        workload.step(&engine).unwrap();
        let after = Contents::read(&engine).unwrap();
        let of_total = |contents: &Contents| {
            contents.items_of("Stock").iter().filter(|item| is_total(item)).count()
        };
        if of_total(&after) == of_total(&before.1) {
            continue;
        }
        transactions += 1;
        let (old, new) = (rows(&before.0), rows(&disk));
        let mut edits: Vec<_> = old.keys().filter(|key| !new.contains_key(*key)).collect();
        edits.extend(new.iter().filter(|(key, value)| old.get(*key) != Some(value)).map(|e| e.0));
        // Every way of cutting it in two.
        for half in 1..edits.len() {
            let (done, missing) = edits.split_at(half);
            let edit = |key: &&Place| ((*key).clone(), new.get(*key).cloned());
            let done_edits: Vec<_> = done.iter().map(edit).collect();
            let torn = reopen(&meddled(&before.0, &done_edits), &clock);
            let is_whole = Contents::read(&torn)
                .is_ok_and(|found| found == before.1 || found == after)
                && check_sound(&torn).is_ok();
            // A token only matters when it is used again.
            let is_hidden = missing.iter().all(|(keyspace, _)| *keyspace == Keyspace::Tokens);
            assert!(!is_whole || is_hidden, "{half} rows of a transaction went unnoticed");
        }
    }
}

fn is_total(item: &Item) -> bool {
    item.get("pk") == Some(&Value::from("total"))
}

/// Regression: `check` reported rows of an index being deleted as damage, although they are no
/// longer maintained.
#[test]
fn an_index_that_goes_is_no_damage() {
    let clock = Clock::fixed(START_MS);
    let engine = open(&FaultDisk::new(), options(&clock, Durability::Full)).unwrap();
    let create = br#"{"TableName":"Tasks","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"GlobalSecondaryIndexes":[{"IndexName":"byG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}"#;
    engine.create_table(CreateTable::from_json(create).unwrap()).unwrap();
    engine.maintain().unwrap();
    let key = Item::from([("pk", Value::from("a"))]);
    let mut item = key.clone();
    item.insert("g", Value::from("b"));
    engine.put_item(PutItem::new("Tasks", item)).unwrap();
    let delete =
        br#"{"TableName":"Tasks","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byG"}}]}"#;
    engine.update_table(UpdateTable::from_json(delete).unwrap()).unwrap();
    engine.delete_item(DeleteItem::new("Tasks", key)).unwrap();
    check_sound(&engine).unwrap();
    engine.maintain().unwrap();
    check_sound(&engine).unwrap();
}
