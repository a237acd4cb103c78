//! Deleting an item.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{DeleteItem, WriteAnswer};

impl Engine {
    /// Deletes an item, if it is there.
    pub fn delete_item(&self, request: DeleteItem) -> Result<WriteAnswer> {
        self.write(move |stage| stage.delete_item(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn delete_item(&mut self, request: &DeleteItem) -> Result<WriteAnswer> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(&table, &key)?;
        let attributes = request.decide(place.old.as_ref())?;
        let consumed_capacity = place
            .cost(&table, request.return_consumed_capacity, None)
            .map(|consumed| consumed.told_of(&request.table_name));
        let item_collection_metrics =
            self.collection_metrics(&table, &key, request.return_item_collection_metrics)?;
        self.replace(&table, place, None, false);
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
