//! Reading many items by their keys.

use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::layout;
use crate::state::State;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{BatchGetItem, BatchGetItemAnswer};

impl Engine {
    /// Reads items by their keys, from one or several tables, as many as an answer can hold.
    pub fn batch_get_item(&self, request: BatchGetItem) -> Result<BatchGetItemAnswer> {
        self.read(|state, fuel| state.batch_get_item(&request, fuel))
    }
}

impl State {
    pub(crate) fn batch_get_item(
        &self,
        request: &BatchGetItem,
        fuel: &mut Fuel<'_>,
    ) -> Result<BatchGetItemAnswer, Unfinished> {
        let keys = request.check(|name| self.schema(name))?;
        request.answer(&keys, |asked, key| {
            let table = self.catalogue.usable(&asked.table_name)?;
            let item = self.item(&layout::item_key(table.id, key))?;
            if let Some(item) = &item {
                fuel.spend(item.reading_fuel(asked.projection.as_ref()))?;
            }
            Ok(item)
        })
    }
}
