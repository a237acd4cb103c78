//! UpdateTable.

use crate::commit::{Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::Result;
use singlet_dynamo::operation::{UpdateTable, UpdateTableAnswer};
use std::sync::Arc;

impl Engine {
    /// Changes a table. A new index is filled in the background and is readable once the table is
    /// active again: see [`Engine::wait_until_active`]. Other changes take effect at once.
    pub fn update_table(&self, request: UpdateTable) -> Result<UpdateTableAnswer> {
        answer!(UpdateTable of self.write(Write::UpdateTable(request))).map(|answer| *answer)
    }
}

impl Planner<'_, '_> {
    pub(crate) fn update_table(&mut self, request: &UpdateTable) -> Result<UpdateTableAnswer> {
        let table = Arc::clone(self.catalogue().existing(&request.table_name)?);
        request.check(&table.description_now())?;
        let mut description = table.description.clone();
        request.apply(&mut description, self.view.now);
        self.catalogue().check_quotas(Some(&table), &description)?;
        self.change_table(&table, description);
        let table_description = self.catalogue().existing(&request.table_name)?.description_now();
        self.settle_table(&request.table_name);
        Ok(UpdateTableAnswer { table_description })
    }
}
