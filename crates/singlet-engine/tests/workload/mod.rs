//! Commits like the engine's, for tests that crash a store.

use singlet_engine::store::{Batch, Direction, Error, Keyspace, Snapshot};
use singlet_testing::random::Random;
use std::collections::BTreeMap;
use std::ops::Bound;

pub(crate) type Rows = BTreeMap<(Keyspace, Vec<u8>), Vec<u8>>;

pub(crate) fn rows(snapshot: &Snapshot) -> Result<Rows, Error> {
    let mut rows = Rows::new();
    for keyspace in Keyspace::ALL {
        let all = Bound::Unbounded;
        for row in snapshot.range(keyspace, all, all, Direction::Forward)? {
            let row = row?;
            rows.insert((keyspace, row.key().to_vec()), row.value().to_vec());
        }
    }
    Ok(rows)
}

/// The number of the last commit in a state.
pub(crate) fn commit_number(rows: &Rows) -> usize {
    rows.get(&(Keyspace::Catalogue, b"commit".to_vec()))
        .map_or(0, |number| u32::from_be_bytes(number.as_slice().try_into().unwrap()) as usize)
}

/// A commit like the engine's: an item, its index rows, its stream record.
pub(crate) fn batch(number: u32, random: &mut Random, rows: &mut Rows) -> Batch {
    let mut batch = Batch::new();
    let mut edit = |keyspace, key: Vec<u8>, value: Option<Vec<u8>>| match value {
        Some(value) => {
            batch.put(keyspace, key.clone(), value.clone());
            rows.insert((keyspace, key), value);
        }
        None => {
            batch.delete(keyspace, key.clone());
            rows.remove(&(keyspace, key));
        }
    };
    for _ in 0..=random.below(8) {
        let item = random.below(300);
        let key = format!("item {item:05}").into_bytes();
        let length = if random.percent(5) { 20_000 } else { 400 };
        let value = vec![random.bits() as u8; random.below(length)];
        let keep = random.percent(75);
        edit(Keyspace::Items, key.clone(), keep.then_some(value.clone()));
        edit(Keyspace::Indexes, key, keep.then_some(Vec::new()));
        let record = [number.to_be_bytes(), (item as u32).to_be_bytes()].concat();
        edit(Keyspace::Streams, record, Some(value));
    }
    // Identifies the commit.
    edit(Keyspace::Catalogue, b"commit".to_vec(), Some(number.to_be_bytes().to_vec()));
    batch
}
