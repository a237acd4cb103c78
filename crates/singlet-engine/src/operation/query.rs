//! Query.

use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::layout;
use crate::state::{RowRange, Source, State};
use crate::store::Direction;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{PageAnswer, Query};
use std::ops::Bound;

impl Engine {
    /// Reads part of a partition of a table or an index, page by page.
    pub fn query(&self, request: &Query) -> Result<PageAnswer> {
        self.read(|state, fuel| state.query(request, fuel))
    }
}

impl State {
    pub(crate) fn query(
        &self,
        request: &Query,
        fuel: &mut Fuel<'_>,
    ) -> Result<PageAnswer, Unfinished> {
        let table = self.catalogue.usable(&request.table_name)?;
        let plan = request.check(&table.schema)?;
        let source = Source::new(table, plan.index, plan.completes_rows);
        source.check_readable()?;

        let prefix = layout::partition_prefix(source.space(), plan.range.partition_bytes());
        let sort = plan.range.sort_bytes();
        let within = |sort: &[u8]| [&prefix, sort].concat();
        let mut range = RowRange {
            lower: Bound::Included(within(&sort.start)),
            upper: match &sort.end {
                Some(end) => Some(within(end)),
                None => layout::end_of_prefix(prefix.clone()),
            },
        };
        let direction = match request.scan_index_forward {
            true => Direction::Forward,
            false => Direction::Backward,
        };
        if let Some(start) = &plan.start {
            range.begin_behind(source.start_row(start), direction);
        }
        self.fill(request.page(), &source, range, direction, fuel)
    }
}
