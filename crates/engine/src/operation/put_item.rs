//! Putting an item.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{PutItem, WriteAnswer};
use singlet_dynamo::stored::StoredItem;

impl Engine {
    /// Puts an item, new or in place of the one with its key.
    pub fn put_item(&self, request: PutItem) -> Result<WriteAnswer> {
        self.write_items(move |stage| stage.put_item(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn put_item(&mut self, request: &PutItem) -> Result<WriteAnswer, Unfinished> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(&table, &key)?;
        let item_collection_metrics =
            self.collection_metrics(&table, &key, request.return_item_collection_metrics)?;
        let decide = |fuel: &mut Fuel<'_>| request.decide_within(place.old.as_ref(), fuel);
        let attributes = self.decide([(&table, &place)].into_iter(), decide)?;
        let new = StoredItem::from(&request.item);
        let consumed_capacity = place
            .cost(&table, request.return_consumed_capacity, Some(&new))
            .map(|consumed| consumed.told_of(&request.table_name));
        self.replace(&table, place, Some(new), false);
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
