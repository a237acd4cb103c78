//! TransactGetItems.

use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::layout;
use crate::state::State;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::limits::TRANSACTION_SIZE_MAX;
use singlet_dynamo::operation::{TransactGetItems, TransactGetItemsAnswer};

impl Engine {
    /// Reads items from one snapshot, so it never conflicts with a write.
    pub fn transact_get_items(&self, request: &TransactGetItems) -> Result<TransactGetItemsAnswer> {
        self.read(|state, fuel| state.transact_get_items(request, fuel))
    }
}

impl State {
    pub(crate) fn transact_get_items(
        &self,
        request: &TransactGetItems,
        fuel: &mut Fuel<'_>,
    ) -> Result<TransactGetItemsAnswer, Unfinished> {
        let keys = request.check(|name| self.schema(name))?;
        let mut keys = keys.iter();
        let mut kept = 0;
        request.read(|get| {
            let Some(key) = keys.next() else { return Ok(None) };
            let table = self.catalogue.usable(&get.table_name)?;
            let item = self.item(&layout::item_key(table.id, key))?;
            if let Some(item) = &item {
                fuel.spend(item.reading_fuel(get.projection.as_ref()))?;
                // An answer keeps at most this much: an item's stored form is at most twice its
                // size.
                if kept < 2 * TRANSACTION_SIZE_MAX {
                    kept += fuel.keep(|| item.stored_bytes())?;
                }
            }
            Ok(item)
        })
    }
}
