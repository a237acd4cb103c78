//! DeleteItem.

use crate::commit::{Planner, Write, consumed};
use crate::engine::{Engine, answer};
use crate::error::{Result, Unfinished};
use singlet_dynamo::operation::{DeleteItem, WriteAnswer};

impl Engine {
    /// Deletes an item, if it exists.
    pub fn delete_item(&self, request: DeleteItem) -> Result<WriteAnswer> {
        answer!(Write of self.write(Write::Delete(request)))
    }
}

impl Planner<'_, '_> {
    pub(crate) fn delete_item(&mut self, request: &DeleteItem) -> Result<WriteAnswer, Unfinished> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(table, &key)?;
        let item_collection_metrics =
            self.collection_metrics(table, &key, request.return_item_collection_metrics)?;
        let attributes = request.decide_within(place.old.as_ref(), self.fuel)??;
        let measured = self.measure(table, &place, None)?;
        let consumed_capacity =
            consumed(table, request.return_consumed_capacity, &measured, &request.table_name);
        self.note_returned(attributes.as_ref());
        self.replace(table, place, None, &measured, false);
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
