//! Gives a table tags.

use crate::catalogue::Table;
use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::arn::Home;
use singlet_dynamo::operation::{TagResource, TagResourceAnswer};
use std::sync::Arc;

impl Engine {
    /// Gives a table tags.
    pub fn tag_resource(&self, request: TagResource) -> Result<TagResourceAnswer> {
        let home = self.options().home.clone();
        self.write(move |stage| stage.tag_resource(&request, &home))
    }
}

impl Stage<'_> {
    pub(crate) fn tag_resource(
        &mut self,
        request: &TagResource,
        home: &Home,
    ) -> Result<TagResourceAnswer> {
        let table = self.catalogue.get(request.resource_arn.table_name()).map(Arc::clone);
        request.check(home, table.as_ref().map(|table| &table.description))?;
        if let Some(table) = table {
            let mut changed = Table::clone(&table);
            request.apply(&mut changed.description);
            self.store_table(changed);
        }
        Ok(TagResourceAnswer)
    }
}
