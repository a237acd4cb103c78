//! Trees behave like a `BTreeMap`, and old versions stay unchanged. Nodes are small here, so that
//! few rows make deep trees.

use super::draft::Draft;
use super::tree::Tree;
use crate::store::Direction;
use crate::store::batch::Edit;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::Bound;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Clone, Debug)]
enum Step {
    /// Rows put and deleted together.
    Edits(Vec<(Vec<u8>, Option<Vec<u8>>)>),
    /// Rows appended to their partition, like stream records.
    Append(u8, usize),
    /// Deletes up to this many rows, starting at a key.
    DeleteFrom(Vec<u8>, usize),
}

/// Keys of a few partitions larger than a leaf, and keys that are prefixes of others.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => (0_u8..6, 0_u16..200).prop_map(|(partition, sort)| {
            let mut key = vec![partition; 10];
            key.extend_from_slice(&sort.to_be_bytes());
            key
        }),
        1 => (0_u8..6, 0_usize..14).prop_map(|(partition, length)| vec![partition; length]),
        1 => vec(any::<u8>(), 0..12),
    ]
}

/// Values from empty to larger than a block.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![6 => 0_usize..40, 2 => 40_usize..200, 1 => 200_usize..600];
    (any::<u8>(), length).prop_map(|(byte, length)| vec![byte; length])
}

fn step() -> impl Strategy<Value = Step> {
    let edit = || (key(), proptest::option::weighted(0.7, value()));
    prop_oneof![
        4 => vec(edit(), 1..2).prop_map(Step::Edits),
        4 => vec(edit(), 1..60).prop_map(Step::Edits),
        2 => (0_u8..6, 1_usize..40).prop_map(|(partition, rows)| Step::Append(partition, rows)),
        2 => (key(), 1_usize..400).prop_map(|(from, rows)| Step::DeleteFrom(from, rows)),
    ]
}

fn edits_of(step: Step, model: &Model) -> BTreeMap<Vec<u8>, Option<Vec<u8>>> {
    match step {
        Step::Edits(edits) => edits.into_iter().collect(),
        Step::Append(partition, rows) => (0..rows)
            .map(|row| {
                let mut key = vec![partition; 10];
                key.extend_from_slice(&(10_000 + model.len() * 100 + row).to_be_bytes());
                (key, Some(vec![partition; 30]))
            })
            .collect(),
        Step::DeleteFrom(from, rows) => {
            model.range(from..).take(rows).map(|(key, _)| (key.clone(), None)).collect()
        }
    }
}

fn check(tree: &Tree, model: &Model, keys: &[Vec<u8>]) {
    tree.verify().unwrap();
    for (key, value) in model {
        assert_eq!(tree.get(key).as_deref(), Some(value.as_slice()));
    }
    let walked = |lower, direction| -> Vec<_> {
        let rows = tree.range(lower, Bound::Unbounded, direction);
        rows.map(|row| (row.key().to_vec(), row.value().to_vec())).collect()
    };
    let mut all: Vec<_> = model.clone().into_iter().collect();
    assert_eq!(walked(Bound::Unbounded, Direction::Forward), all);
    all.reverse();
    assert_eq!(walked(Bound::Unbounded, Direction::Backward), all);
    for key in keys {
        assert_eq!(tree.get(key).as_deref(), model.get(key).map(Vec::as_slice));
        let expected: Vec<_> =
            model.range(key.clone()..).map(|(key, value)| (key.clone(), value.clone())).collect();
        assert_eq!(walked(Bound::Included(key), Direction::Forward), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_tree_is_a_map(steps in vec(step(), 1..30), keys in vec(key(), 0..4)) {
        let mut draft = Draft::default();
        let mut versions = vec![(Tree::default(), Model::new())];
        for step in steps {
            let (tree, model) = versions.last().unwrap();
            let edits = edits_of(step, model);
            let sorted: Vec<Edit<'_>> = edits
                .iter()
                .map(|(key, value)| Edit { key, value: value.as_deref() })
                .collect();
            let tree = if sorted.is_empty() { tree.clone() } else { tree.apply(&sorted, &mut draft) };
            let mut model = model.clone();
            for (key, value) in edits {
                match value {
                    Some(value) => model.insert(key, value),
                    None => model.remove(&key),
                };
            }
            tree.verify().unwrap();
            versions.push((tree, model));
        }
        for (tree, model) in &versions {
            check(tree, model, &keys);
        }
    }
}
