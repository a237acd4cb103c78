//! Changing an item, or making it.

use crate::commit::{Stage, cost};
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{UpdateItem, WriteAnswer};

impl Engine {
    /// Changes some attributes of an item, which comes into being if it is not there.
    pub fn update_item(&self, request: UpdateItem) -> Result<WriteAnswer> {
        self.write_items(false, move |stage| stage.update_item(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn update_item(&mut self, request: &UpdateItem) -> Result<WriteAnswer, Unfinished> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(&table, &key)?;
        let item_collection_metrics =
            self.collection_metrics(&table, &key, request.return_item_collection_metrics)?;
        let decide = |fuel: &mut Fuel<'_>| match request.decide_within(
            place.old.as_ref(),
            &table.schema,
            fuel,
        )? {
            Ok(updated) => {
                let measured = place.measure(&table, updated.item.as_ref(), fuel)?;
                Ok(Ok((updated, measured)))
            }
            Err(error) => Ok(Err(error)),
        };
        let (updated, measured) = self.decide([(&table, &place)].into_iter(), decide)?;
        self.find_room(updated.attributes.as_ref())?;
        let consumed_capacity = cost(&table, request.return_consumed_capacity, &measured)
            .map(|consumed| consumed.told_of(&request.table_name));
        self.replace(&table, place, updated.item, &measured, false);
        let attributes = updated.attributes;
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
