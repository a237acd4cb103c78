//! Checkpoints: writing a frozen memtable into the base.

use super::base::Base;
use super::log::Anchor;
use super::memtable::{self, Memtable};
use crate::store::batch::Edit;
use crate::store::keyspace::Keyspace;
use crate::store::{Direction, Result};
use std::ops::Bound;
use std::sync::Arc;

/// Writes a memtable into the base, chunk by chunk in key order. Partial progress is invisible:
/// until the last chunk is written, readers find the same rows in the memtable, and after a crash
/// they are still in the log.
pub(super) struct Checkpoint {
    rows: Arc<Memtable>,
    /// Where the log continues after the checkpoint.
    anchor: Anchor,
    /// The rest: these keyspaces, and in the first of them the rows after `behind`.
    keyspaces: Vec<Keyspace>,
    behind: Option<Vec<u8>>,
    chunk_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Done,
    Left,
}

impl Checkpoint {
    pub(super) fn new(rows: Arc<Memtable>, anchor: Anchor, chunk_bytes: usize) -> Self {
        let keyspaces = Keyspace::ALL.into_iter().rev().collect();
        Self { rows, anchor, keyspaces, behind: None, chunk_bytes: chunk_bytes.max(1) }
    }

    /// Writes the next chunk, and the anchor with the last one. After a failure the same chunk is
    /// next.
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
                    .map(|row| Edit { key: row.key(), value: memtable::value_in(row.value()) });
                (*keyspace, edits.collect())
            })
            .collect();
        let progress = if keyspaces.is_empty() { Progress::Done } else { Progress::Left };
        base.write(&edits, (progress == Progress::Done).then_some(self.anchor))?;
        (self.keyspaces, self.behind) = (keyspaces, behind);
        Ok(progress)
    }
}
