//! UpdateTimeToLive.

use crate::catalogue::Table;
use crate::commit::{Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::Result;
use singlet_dynamo::operation::{UpdateTimeToLive, UpdateTimeToLiveAnswer};
use std::sync::Arc;

impl Engine {
    /// Enables or disables the expiry of items.
    pub fn update_time_to_live(&self, request: UpdateTimeToLive) -> Result<UpdateTimeToLiveAnswer> {
        answer!(UpdateTimeToLive of self.write(Write::UpdateTimeToLive(request)))
    }
}

impl Planner<'_, '_> {
    pub(crate) fn update_time_to_live(
        &mut self,
        request: &UpdateTimeToLive,
    ) -> Result<UpdateTimeToLiveAnswer> {
        let table = Arc::clone(self.catalogue().existing(&request.table_name)?);
        request.check(&table.description)?;
        let mut changed = Table::clone(&table);
        request.apply(&mut changed.description);
        // Rows of the previous attribute are dropped when they come due.
        changed.must_fill_expiry = changed.description.time_to_live.is_some();
        self.store_table(changed);
        Ok(request.answer())
    }
}
