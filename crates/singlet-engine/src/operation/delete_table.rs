//! Deleting a table.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{DeleteTable, DeleteTableAnswer};
use std::sync::Arc;

impl Engine {
    /// Deletes a table. It is gone at once, and its name is free; its items are cleared away in the
    /// background.
    pub fn delete_table(&self, request: DeleteTable) -> Result<DeleteTableAnswer> {
        self.write(move |stage| stage.delete_table(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn delete_table(&mut self, request: &DeleteTable) -> Result<DeleteTableAnswer> {
        let table = Arc::clone(self.catalogue.existing(&request.table_name)?);
        request.check(&table.description)?;
        let mut description = table.description.clone();
        request.apply(&mut description);
        description.stream = None;
        self.change_table(&table, description);
        let changed = Arc::clone(self.catalogue.existing(&request.table_name)?);
        self.retire_table(&changed);
        Ok(DeleteTableAnswer { table_description: changed.description_now() })
    }
}
