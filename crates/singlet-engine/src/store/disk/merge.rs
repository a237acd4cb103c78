//! The rows of all layers, as if they were one.

use super::{base, top};
use crate::store::bytes::Row;
use crate::store::{Direction, Result, memory};
use std::cmp::Ordering;
use std::fmt;

/// The rows of a range: for each key what the newest layer says that says anything.
pub(crate) struct Range<'s> {
    direction: Direction,
    /// The newest first, without those that have no more rows.
    layers: Vec<Layer<'s>>,
}

struct Layer<'s> {
    rows: Rows<'s>,
    /// The next row, if it has been read.
    head: Option<Row>,
}

#[expect(clippy::large_enum_variant, reason = "a box would cost more than moving it once")]
enum Rows<'s> {
    Top(memory::Range<'s>),
    Base(base::Range),
}

impl Rows<'_> {
    fn next(&mut self) -> Result<Option<Row>> {
        match self {
            Self::Top(rows) => Ok(rows.next()),
            Self::Base(rows) => rows.next().transpose(),
        }
    }
}

impl<'s> Range<'s> {
    /// All of these are of the same bounds and of this direction; the newest top is the first.
    pub(super) fn new(
        direction: Direction,
        tops: impl IntoIterator<Item = memory::Range<'s>>,
        base: base::Range,
    ) -> Self {
        let tops = tops.into_iter().map(Rows::Top);
        let layers = tops.chain([Rows::Base(base)]).map(|rows| Layer { rows, head: None });
        Self { direction, layers: layers.collect() }
    }

    /// Reads the next row of each layer, unless it waits already.
    fn fill(&mut self) -> Result<()> {
        for layer in self.layers.iter_mut().filter(|layer| layer.head.is_none()) {
            layer.head = layer.rows.next()?;
        }
        self.layers.retain(|layer| layer.head.is_some());
        Ok(())
    }

    /// The first of the rows that wait, and whether it is one of the base. What older layers say
    /// of the same key is passed over.
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
            // There is nothing to compare with.
            return rows.next();
        }
        loop {
            if let Err(error) = self.fill() {
                // Whatever other layers hold behind this, nobody should rely on it.
                self.layers.clear();
                return Some(Err(error));
            }
            let (row, is_base) = self.take_first()?;
            if is_base {
                return Some(Ok(row));
            }
            if let Some(row) = top::row(row) {
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
