//! Deleting an item.

use crate::commit::{Stage, cost};
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{DeleteItem, WriteAnswer};

impl Engine {
    /// Deletes an item, if it is there.
    pub fn delete_item(&self, request: DeleteItem) -> Result<WriteAnswer> {
        self.write_items(false, move |stage| stage.delete_item(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn delete_item(&mut self, request: &DeleteItem) -> Result<WriteAnswer, Unfinished> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(&table, &key)?;
        let item_collection_metrics =
            self.collection_metrics(&table, &key, request.return_item_collection_metrics)?;
        let decide = |fuel: &mut Fuel<'_>| match request.decide_within(place.old.as_ref(), fuel)? {
            Ok(attributes) => Ok(Ok((attributes, place.measure(&table, None, fuel)?))),
            Err(error) => Ok(Err(error)),
        };
        let (attributes, measured) = self.decide([(&table, &place)].into_iter(), decide)?;
        self.find_room(attributes.as_ref())?;
        let consumed_capacity = cost(&table, request.return_consumed_capacity, &measured)
            .map(|consumed| consumed.told_of(&request.table_name));
        self.replace(&table, place, None, &measured, false);
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
