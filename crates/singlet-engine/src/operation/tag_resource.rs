//! TagResource.

use crate::catalogue::Table;
use crate::commit::{Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::Result;
use singlet_dynamo::operation::{TagResource, TagResourceAnswer};
use std::sync::Arc;

impl Engine {
    /// Adds tags to a table.
    pub fn tag_resource(&self, request: TagResource) -> Result<TagResourceAnswer> {
        answer!(TagResource of self.write(Write::TagResource(request)))
    }
}

impl Planner<'_, '_> {
    pub(crate) fn tag_resource(&mut self, request: &TagResource) -> Result<TagResourceAnswer> {
        let home = &self.view.options.home;
        let table = self.catalogue().get(request.resource_arn.table_name()).map(Arc::clone);
        request.check(home, table.as_ref().map(|table| &table.description))?;
        if let Some(table) = table {
            let mut changed = Table::clone(&table);
            request.apply(&mut changed.description);
            self.store_table(changed);
        }
        Ok(TagResourceAnswer)
    }
}
