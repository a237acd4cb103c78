//! Letting items expire.

use crate::catalogue::Table;
use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{UpdateTimeToLive, UpdateTimeToLiveAnswer};
use std::sync::Arc;

impl Engine {
    /// Turns the expiry of items on or off.
    pub fn update_time_to_live(&self, request: UpdateTimeToLive) -> Result<UpdateTimeToLiveAnswer> {
        self.write(move |stage| stage.update_time_to_live(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn update_time_to_live(
        &mut self,
        request: &UpdateTimeToLive,
    ) -> Result<UpdateTimeToLiveAnswer> {
        let table = self.table_to_tell_of(&request.table_name)?;
        request.check(&table.description)?;
        let mut changed = Table::clone(&table);
        request.apply(&mut changed.description);
        // Rows of an attribute that no longer counts are dropped when their time comes.
        changed.must_fill_expiry = changed.description.time_to_live.is_some();
        self.store_table(changed);
        Ok(request.answer())
    }

    fn table_to_tell_of(&self, name: &str) -> Result<Arc<Table>> {
        Ok(Arc::clone(self.catalogue.existing(name)?))
    }
}
