//! Takes tags off a table.

use crate::catalogue::Table;
use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::arn::Home;
use singlet_dynamo::operation::{UntagResource, UntagResourceAnswer};
use std::sync::Arc;

impl Engine {
    /// Takes tags off a table.
    pub fn untag_resource(&self, request: UntagResource) -> Result<UntagResourceAnswer> {
        let home = self.options().home.clone();
        self.write(move |stage| stage.untag_resource(&request, &home))
    }
}

impl Stage<'_> {
    pub(crate) fn untag_resource(
        &mut self,
        request: &UntagResource,
        home: &Home,
    ) -> Result<UntagResourceAnswer> {
        let table = self.catalogue.get(request.resource_arn.table_name()).map(Arc::clone);
        request.check(home, table.as_ref().map(|table| &table.description))?;
        if let Some(table) = table {
            let mut changed = Table::clone(&table);
            request.apply(&mut changed.description);
            self.store_table(changed);
        }
        Ok(UntagResourceAnswer)
    }
}
