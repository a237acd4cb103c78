//! Reading several items as of one moment.

use crate::engine::Engine;
use crate::error::Result;
use crate::layout;
use singlet_dynamo::operation::{TransactGetItems, TransactGetItemsAnswer};

impl Engine {
    /// Reads items by their keys, all as of one moment. A snapshot is one, so nothing can be in
    /// the way.
    pub fn transact_get_items(&self, request: &TransactGetItems) -> Result<TransactGetItemsAnswer> {
        let state = self.state()?;
        let keys = request.check(|name| state.schema(name))?;
        let mut stored = Vec::with_capacity(keys.len());
        for (get, key) in request.gets.iter().zip(&keys) {
            let table = state.catalogue.usable(&get.table_name)?;
            stored.push(state.item(&layout::item_key(table.id, key))?);
        }
        Ok(request.answer(stored)?)
    }
}
