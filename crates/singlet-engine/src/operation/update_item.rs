//! UpdateItem.

use crate::commit::{Planner, Write, consumed};
use crate::engine::{Engine, answer};
use crate::error::{Result, Unfinished};
use singlet_dynamo::operation::{UpdateItem, WriteAnswer};

impl Engine {
    /// Updates an item's attributes. Creates the item if it does not exist.
    pub fn update_item(&self, request: UpdateItem) -> Result<WriteAnswer> {
        answer!(Write of self.write(Write::Update(request)))
    }
}

impl Planner<'_, '_> {
    pub(crate) fn update_item(&mut self, request: &UpdateItem) -> Result<WriteAnswer, Unfinished> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(table, &key)?;
        let item_collection_metrics =
            self.collection_metrics(table, &key, request.return_item_collection_metrics)?;
        let updated = request.decide_within(place.old.as_ref(), &table.schema, self.fuel)??;
        let measured = self.measure(table, &place, updated.item.as_ref())?;
        let consumed_capacity =
            consumed(table, request.return_consumed_capacity, &measured, &request.table_name);
        let attributes = updated.attributes;
        self.note_returned(attributes.as_ref());
        self.replace(table, place, updated.item, &measured, false);
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
