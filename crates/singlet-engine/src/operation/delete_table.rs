//! DeleteTable.

use crate::commit::{Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::Result;
use singlet_dynamo::operation::{DeleteTable, DeleteTableAnswer};
use std::sync::Arc;

impl Engine {
    /// Deletes a table. Its name is free at once; its items are deleted in the background.
    pub fn delete_table(&self, request: DeleteTable) -> Result<DeleteTableAnswer> {
        answer!(DeleteTable of self.write(Write::DeleteTable(request))).map(|answer| *answer)
    }
}

impl Planner<'_, '_> {
    pub(crate) fn delete_table(&mut self, request: &DeleteTable) -> Result<DeleteTableAnswer> {
        let table = Arc::clone(self.catalogue().existing(&request.table_name)?);
        request.check(&table.description)?;
        let mut description = table.description.clone();
        request.apply(&mut description);
        description.stream = None;
        self.change_table(&table, description);
        let changed = Arc::clone(self.catalogue().existing(&request.table_name)?);
        self.retire_table(&changed);
        Ok(DeleteTableAnswer { table_description: changed.description_now() })
    }
}
