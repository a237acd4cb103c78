//! Bringing rows from memory into the base.

use super::base::Base;
use super::log::Anchor;
use super::top::{self, Top};
use crate::store::batch::Edit;
use crate::store::keyspace::Keyspace;
use crate::store::{Direction, Result};
use std::ops::Bound;
use std::sync::Arc;

/// Rows on their way into the base, chunk by chunk in the order of their keys. Nobody sees the
/// chunks: until the last one is in the base, readers find the same rows above it, and a crash
/// leaves them in the log.
pub(super) struct Checkpoint {
    rows: Arc<Top>,
    /// Where the log goes on once all rows are in the base.
    anchor: Anchor,
    /// What is left: some keyspaces, and in the first of them the rows behind this key.
    keyspaces: Vec<Keyspace>,
    behind: Option<Vec<u8>>,
    chunk_bytes: usize,
}

/// Whether there is more of a checkpoint to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Done,
    Left,
}

impl Checkpoint {
    pub(super) fn new(rows: Arc<Top>, anchor: Anchor, chunk_bytes: usize) -> Self {
        let keyspaces = Keyspace::ALL.into_iter().rev().collect();
        Self { rows, anchor, keyspaces, behind: None, chunk_bytes: chunk_bytes.max(1) }
    }

    /// Brings all that is left into the base.
    pub(super) fn complete(mut self, base: &Base) -> Result<()> {
        while self.step(base)? == Progress::Left {}
        Ok(())
    }

    /// Brings the next chunk into the base, and with the last one where the log goes on. If that
    /// fails, the same chunk is the next one.
    pub(super) fn step(&mut self, base: &Base) -> Result<Progress> {
        let snapshot = self.rows.snapshot()?;
        let mut chunk = Vec::new();
        let mut bytes = 0;
        let (mut keyspaces, mut behind) = (self.keyspaces.clone(), self.behind.clone());
        while let Some(keyspace) = keyspaces.last().copied() {
            let lower = behind.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
            let range = snapshot.range(keyspace, lower, Bound::Unbounded, Direction::Forward);
            let mut rows = Vec::new();
            for row in range {
                bytes += row.key().len() + row.value().len();
                rows.push(row);
                if bytes >= self.chunk_bytes {
                    break;
                }
            }
            behind = rows.last().map(|row| row.key().to_vec());
            chunk.push((keyspace, rows));
            if bytes >= self.chunk_bytes {
                break;
            }
            keyspaces.pop();
            behind = None;
        }
        let edits: Vec<_> = chunk
            .iter()
            .filter(|(_, rows)| !rows.is_empty())
            .map(|(keyspace, rows)| {
                let edits = rows
                    .iter()
                    .map(|row| Edit { key: row.key(), value: top::value_in(row.value()) });
                (*keyspace, edits.collect())
            })
            .collect();
        let progress = if keyspaces.is_empty() { Progress::Done } else { Progress::Left };
        base.write(&edits, (progress == Progress::Done).then_some(self.anchor))?;
        (self.keyspaces, self.behind) = (keyspaces, behind);
        Ok(progress)
    }
}
