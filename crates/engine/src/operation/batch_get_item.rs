//! Reading many items by their keys.

use crate::engine::Engine;
use crate::error::Result;
use crate::layout;
use singlet_dynamo::operation::{BatchGetItem, BatchGetItemAnswer};

impl Engine {
    /// Reads items by their keys, from one or several tables, as many as an answer can hold.
    pub fn batch_get_item(&self, request: BatchGetItem) -> Result<BatchGetItemAnswer> {
        let state = self.state()?;
        let keys = request.check(|name| state.schema(name))?;
        request.answer(&keys, |asked, key| {
            let table = state.catalogue.usable(&asked.table_name)?;
            state.item(&layout::item_key(table.id, key))
        })
    }
}
