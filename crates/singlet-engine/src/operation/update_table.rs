//! Changing a table, its indexes and its stream.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{UpdateTable, UpdateTableAnswer};
use std::sync::Arc;

impl Engine {
    /// Changes a table. An index that is added is filled in the background, and can be read once
    /// the table is active again: [`Engine::wait_until_active`] waits for that. Any other change
    /// is made at once.
    pub fn update_table(&self, request: UpdateTable) -> Result<UpdateTableAnswer> {
        self.write(move |stage| stage.update_table(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn update_table(&mut self, request: &UpdateTable) -> Result<UpdateTableAnswer> {
        let table = Arc::clone(self.catalogue.existing(&request.table_name)?);
        request.check(&table.description_now())?;
        let mut description = table.description.clone();
        request.apply(&mut description, self.now);
        self.catalogue.check_quotas(Some(&table), &description)?;
        self.change_table(&table, description);
        let table_description = self.catalogue.existing(&request.table_name)?.description_now();
        self.settle_table(&request.table_name);
        Ok(UpdateTableAnswer { table_description })
    }
}
