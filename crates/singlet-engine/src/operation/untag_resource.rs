//! UntagResource.

use crate::catalogue::Table;
use crate::commit::{Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::Result;
use singlet_dynamo::operation::{UntagResource, UntagResourceAnswer};
use std::sync::Arc;

impl Engine {
    /// Removes tags from a table.
    pub fn untag_resource(&self, request: UntagResource) -> Result<UntagResourceAnswer> {
        answer!(UntagResource of self.write(Write::UntagResource(request)))
    }
}

impl Planner<'_, '_> {
    pub(crate) fn untag_resource(
        &mut self,
        request: &UntagResource,
    ) -> Result<UntagResourceAnswer> {
        let home = &self.view.options.home;
        let table = self.catalogue().get(request.resource_arn.table_name()).map(Arc::clone);
        request.check(home, table.as_ref().map(|table| &table.description))?;
        if let Some(table) = table {
            let mut changed = Table::clone(&table);
            request.apply(&mut changed.description);
            self.store_table(changed);
        }
        Ok(UntagResourceAnswer)
    }
}
