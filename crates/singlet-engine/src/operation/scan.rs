//! Scan.

use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::layout;
use crate::state::{RowRange, Source, State};
use crate::store::Direction;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{PageAnswer, Scan};
use std::ops::Bound;

impl Engine {
    /// Reads a whole table or index, or a segment of it, page by page.
    pub fn scan(&self, request: &Scan) -> Result<PageAnswer> {
        self.read(|state, fuel| state.scan(request, fuel))
    }
}

impl State {
    pub(crate) fn scan(
        &self,
        request: &Scan,
        fuel: &mut Fuel<'_>,
    ) -> Result<PageAnswer, Unfinished> {
        let table = self.catalogue.usable(&request.table_name)?;
        let plan = request.check(&table.schema)?;
        let source = Source::new(table, plan.index, plan.completes_rows);
        source.check_readable()?;

        let rows = match request.segment {
            None => layout::all_of(source.space()),
            Some(segment) => layout::segment_of(source.space(), segment.number, segment.total),
        };
        let start = plan.start.as_ref().map(|start| source.start_row(start));
        if let (Some(start), Some(segment)) = (&start, request.segment)
            && !rows.contains(start)
        {
            return Err(Scan::wrong_segment(segment).into());
        }
        let mut range = RowRange { lower: Bound::Included(rows.start), upper: Some(rows.end) };
        if let Some(start) = start {
            range.begin_behind(start, Direction::Forward);
        }
        self.fill(request.page(), &source, range, Direction::Forward, fuel)
    }
}
