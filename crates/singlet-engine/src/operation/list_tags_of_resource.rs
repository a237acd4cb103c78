//! ListTagsOfResource.

use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{ListTagsOfResource, ListTagsOfResourceAnswer};

impl Engine {
    /// Lists a table's tags.
    pub fn list_tags_of_resource(
        &self,
        request: &ListTagsOfResource,
    ) -> Result<ListTagsOfResourceAnswer> {
        let state = self.state()?;
        let table = state.catalogue.get(request.resource_arn.table_name());
        let description = table.map(|table| &table.description);
        Ok(request.answer(&self.options().home, description)?)
    }
}
