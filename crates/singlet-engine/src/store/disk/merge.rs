//! Merging the rows of all layers.

use super::{base, memtable};
use crate::store::bytes::Row;
use crate::store::{Direction, Result, memory};
use std::cmp::Ordering;
use std::fmt;

/// The rows of a range. For each key, the newest layer wins.
pub(crate) struct Range<'s> {
    direction: Direction,
    /// Newest first, without exhausted layers.
    layers: Vec<Layer<'s>>,
}

struct Layer<'s> {
    rows: Rows<'s>,
    /// The next row, if it has been read.
    head: Option<Row>,
}

#[expect(clippy::large_enum_variant, reason = "a box would cost more than moving it once")]
enum Rows<'s> {
    Memtable(memory::Range<'s>),
    Base(base::Range),
}

impl Rows<'_> {
    fn next(&mut self) -> Result<Option<Row>> {
        match self {
            Self::Memtable(rows) => Ok(rows.next()),
            Self::Base(rows) => rows.next().transpose(),
        }
    }
}

impl<'s> Range<'s> {
    /// Merges ranges with the same bounds and direction, newest memtable first.
    pub(super) fn new(
        direction: Direction,
        memtables: impl IntoIterator<Item = memory::Range<'s>>,
        base: base::Range,
    ) -> Self {
        let memtables = memtables.into_iter().map(Rows::Memtable);
        let layers = memtables.chain([Rows::Base(base)]).map(|rows| Layer { rows, head: None });
        Self { direction, layers: layers.collect() }
    }

    /// Reads the next row of each layer that has none buffered.
    fn fill(&mut self) -> Result<()> {
        for layer in self.layers.iter_mut().filter(|layer| layer.head.is_none()) {
            layer.head = layer.rows.next()?;
        }
        self.layers.retain(|layer| layer.head.is_some());
        Ok(())
    }

    /// Takes the first buffered row, and whether it is from the base. Skips older rows with the
    /// same key.
    fn take_first(&mut self) -> Option<(Row, bool)> {
        let mut first: Option<&mut Layer<'s>> = None;
        for layer in &mut self.layers {
            let key = layer.head.as_ref().map_or(&[][..], Row::key);
            let is_first =
                first.as_ref().and_then(|first| first.head.as_ref()).is_none_or(|first| {
                    let order = match self.direction {
                        Direction::Forward => key.cmp(first.key()),
                        Direction::Backward => first.key().cmp(key),
                    };
                    order == Ordering::Less
                });
            if is_first {
                first = Some(layer);
            }
        }
        let first = first?;
        let is_base = matches!(first.rows, Rows::Base(_));
        let row = first.head.take()?;
        for layer in &mut self.layers {
            layer.head.take_if(|head| head.key() == row.key());
        }
        Some((row, is_base))
    }
}

impl Iterator for Range<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        if let [Layer { rows: Rows::Base(rows), head: None }] = self.layers.as_mut_slice() {
            // Fast path: only the base is left.
            return rows.next();
        }
        loop {
            if let Err(error) = self.fill() {
                // Do not continue with the other layers after an error.
                self.layers.clear();
                return Some(Err(error));
            }
            let (row, is_base) = self.take_first()?;
            if is_base {
                return Some(Ok(row));
            }
            if let Some(row) = memtable::row(row) {
                return Some(Ok(row));
            }
        }
    }
}

impl fmt::Debug for Range<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").field("direction", &self.direction).finish_non_exhaustive()
    }
}
