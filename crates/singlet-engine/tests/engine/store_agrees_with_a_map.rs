//! Both stores behave like a `BTreeMap`, including snapshots held across commits.

use proptest::collection::vec;
use proptest::prelude::*;
use singlet_engine::store::{
    Batch, Checkpoints, Direction, DiskOptions, DiskStore, Durability, Files, Keyspace, Snapshot,
    Store,
};
use singlet_testing::disk::FaultDisk;
use std::collections::BTreeMap;
use std::ops::Bound;

type Model = BTreeMap<(Keyspace, Vec<u8>), Vec<u8>>;

/// A store on disk with this memtable budget.
fn disk(recent_bytes: u64, checkpoints: Checkpoints) -> Store {
    let disk = FaultDisk::new();
    let log = ["log.0", "log.1"].map(|log| disk.file(log));
    let files = Files { data: disk.file("data"), log, reach: disk.file("reach") };
    let options =
        DiskOptions { recent_bytes, chunk_bytes: 20_000, checkpoints, ..DiskOptions::default() };
    Store::Disk(DiskStore::with_files(files, options).unwrap())
}

#[derive(Clone, Debug)]
enum Step {
    /// Writes and deletions, committed together.
    Commit(Vec<(Keyspace, Vec<u8>, Option<Vec<u8>>)>, Durability),
    /// Deletes up to this many rows of a keyspace, starting at a key.
    DeleteFrom(Keyspace, Vec<u8>, usize),
    /// Takes a snapshot, which is compared again at the end of the test.
    Hold,
    Range(Keyspace, Bound<Vec<u8>>, Bound<Vec<u8>>, Direction),
}

/// Mostly two keyspaces, so that their trees grow.
fn keyspace() -> impl Strategy<Value = Keyspace> {
    prop_oneof![
        6 => Just(Keyspace::Items),
        2 => Just(Keyspace::Indexes),
        1 => proptest::sample::select(Keyspace::ALL.to_vec()),
    ]
}

/// Keys with long common prefixes, keys that are prefixes of others, and short random ones.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => (0_u8..4, 0_u16..300).prop_map(|(partition, sort)| {
            let mut key = vec![partition; 40];
            key.extend_from_slice(&sort.to_be_bytes());
            key
        }),
        1 => (0_u8..4, 0_usize..45).prop_map(|(partition, length)| vec![partition; length]),
        1 => vec(prop_oneof![Just(0), Just(1), Just(0xff)], 0..6),
        1 => vec(any::<u8>(), 0..20),
    ]
}

/// Values from empty to larger than a leaf of the memory store.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![4 => 0_usize..100, 4 => 1000_usize..5000, 1 => 5000_usize..20_000];
    (any::<u8>(), length).prop_map(|(byte, length)| vec![byte; length])
}

fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![
        1 => Just(Bound::Unbounded),
        2 => key().prop_map(Bound::Included),
        2 => key().prop_map(Bound::Excluded),
    ]
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Forward), Just(Direction::Backward)]
}

fn durability() -> impl Strategy<Value = Durability> {
    prop_oneof![Just(Durability::Full), Just(Durability::Relaxed)]
}

fn step() -> impl Strategy<Value = Step> {
    let edit = || (keyspace(), key(), proptest::option::weighted(0.7, value()));
    prop_oneof![
        4 => (vec(edit(), 1..3), durability()).prop_map(|(e, d)| Step::Commit(e, d)),
        2 => (vec(edit(), 0..150), durability()).prop_map(|(e, d)| Step::Commit(e, d)),
        1 => (keyspace(), key(), 0_usize..400).prop_map(|(k, f, n)| Step::DeleteFrom(k, f, n)),
        1 => Just(Step::Hold),
        3 => (keyspace(), bound(), bound(), direction())
            .prop_map(|(k, l, u, d)| Step::Range(k, l, u, d)),
    ]
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

fn contains(lower: &Bound<Vec<u8>>, upper: &Bound<Vec<u8>>, key: &[u8]) -> bool {
    let above = match lower {
        Bound::Unbounded => true,
        Bound::Included(lower) => key >= lower.as_slice(),
        Bound::Excluded(lower) => key > lower.as_slice(),
    };
    above
        && match upper {
            Bound::Unbounded => true,
            Bound::Included(upper) => key <= upper.as_slice(),
            Bound::Excluded(upper) => key < upper.as_slice(),
        }
}

fn assert_range(
    snapshot: &Snapshot,
    model: &Model,
    keyspace: Keyspace,
    lower: &Bound<Vec<u8>>,
    upper: &Bound<Vec<u8>>,
    direction: Direction,
) {
    let mut expected: Vec<(&[u8], &[u8])> = model
        .iter()
        .filter(|((k, key), _)| *k == keyspace && contains(lower, upper, key))
        .map(|((_, key), value)| (key.as_slice(), value.as_slice()))
        .collect();
    if direction == Direction::Backward {
        expected.reverse();
    }
    let found: Vec<_> = snapshot
        .range(keyspace, as_slice(lower), as_slice(upper), direction)
        .unwrap()
        .map(|row| row.unwrap())
        .collect();
    let found: Vec<(&[u8], &[u8])> = found.iter().map(|row| (row.key(), row.value())).collect();
    assert!(found == expected, "{keyspace:?} from {lower:?} to {upper:?} {direction:?}");
}

fn assert_same(snapshot: &Snapshot, model: &Model) {
    for keyspace in Keyspace::ALL {
        for direction in [Direction::Forward, Direction::Backward] {
            let all = Bound::Unbounded;
            assert_range(snapshot, model, keyspace, &all, &all, direction);
        }
    }
    for ((keyspace, key), value) in model {
        let found = snapshot.get(*keyspace, key).unwrap();
        assert_eq!(found.as_deref(), Some(value.as_slice()));
        let longer = [key.as_slice(), &[0]].concat();
        assert_eq!(
            snapshot.get(*keyspace, &longer).unwrap().as_deref(),
            model.get(&(*keyspace, longer)).map(Vec::as_slice)
        );
    }
}

fn run(store: &Store, steps: Vec<Step>) {
    let mut model = Model::new();
    let mut held: Vec<(Snapshot, Model)> = Vec::new();
    for step in steps {
        match step {
            Step::Commit(edits, durability) => {
                let mut batch = Batch::new();
                for (keyspace, key, value) in edits {
                    match value {
                        Some(value) => {
                            batch.put(keyspace, key.clone(), value.clone());
                            model.insert((keyspace, key), value);
                        }
                        None => {
                            batch.delete(keyspace, key.clone());
                            model.remove(&(keyspace, key));
                        }
                    }
                }
                store.commit(&batch, durability).unwrap();
            }
            Step::DeleteFrom(keyspace, from, count) => {
                let doomed: Vec<_> = model
                    .range((keyspace, from)..)
                    .take_while(|((k, _), _)| *k == keyspace)
                    .take(count)
                    .map(|((_, key), _)| key.clone())
                    .collect();
                let mut batch = Batch::new();
                for key in doomed {
                    model.remove(&(keyspace, key.clone()));
                    batch.delete(keyspace, key);
                }
                store.commit(&batch, Durability::Relaxed).unwrap();
            }
            Step::Hold => held.push((store.snapshot().unwrap(), model.clone())),
            Step::Range(keyspace, lower, upper, direction) => {
                let snapshot = store.snapshot().unwrap();
                assert_range(&snapshot, &model, keyspace, &lower, &upper, direction);
            }
        }
    }
    assert_same(&store.snapshot().unwrap(), &model);
    for (snapshot, model) in &held {
        assert_same(snapshot, model);
    }
    drop(held);
    store.sync().unwrap();
    store.verify().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn in_memory(steps in vec(step(), 1..40)) {
        run(&Store::memory(), steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn on_disk(
        steps in vec(step(), 1..40),
        recent_bytes in proptest::sample::select(vec![0, 30_000, 1_000_000, 100_000_000]),
        checkpoints in proptest::sample::select(
            vec![Checkpoints::InBackground, Checkpoints::WithCommits]
        ),
    ) {
        run(&disk(recent_bytes, checkpoints), steps);
    }
}
