//! Changing an item, or making it.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{UpdateItem, WriteAnswer};

impl Engine {
    /// Changes some attributes of an item, which comes into being if it is not there.
    pub fn update_item(&self, request: UpdateItem) -> Result<WriteAnswer> {
        self.write(move |stage| stage.update_item(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn update_item(&mut self, request: &UpdateItem) -> Result<WriteAnswer> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(&table, &key)?;
        let updated = request.decide(place.old.as_ref(), &table.schema)?;
        let consumed_capacity = place
            .cost(&table, request.return_consumed_capacity, updated.item.as_ref())
            .map(|consumed| consumed.told_of(&request.table_name));
        let item_collection_metrics =
            self.collection_metrics(&table, &key, request.return_item_collection_metrics)?;
        self.replace(&table, place, updated.item, false);
        let attributes = updated.attributes;
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
