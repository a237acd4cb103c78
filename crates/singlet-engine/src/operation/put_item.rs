//! PutItem.

use crate::commit::{Planner, Write, consumed};
use crate::engine::{Engine, answer};
use crate::error::{Result, Unfinished};
use singlet_dynamo::operation::{PutItem, WriteAnswer};
use singlet_dynamo::stored::StoredItem;
use std::cell::OnceCell;

impl Engine {
    /// Puts an item, and replaces the one with the same key.
    pub fn put_item(&self, request: PutItem) -> Result<WriteAnswer> {
        answer!(Write of self.write(Write::Put(request.into())))
    }
}

/// A request with the stored form of its item, encoded once for all plans.
pub(crate) struct Put {
    request: PutItem,
    encoded: OnceCell<StoredItem>,
}

impl From<PutItem> for Put {
    fn from(request: PutItem) -> Self {
        Self { request, encoded: OnceCell::new() }
    }
}

impl Planner<'_, '_> {
    pub(crate) fn put_item(&mut self, put: &Put) -> Result<WriteAnswer, Unfinished> {
        let request = &put.request;
        if put.encoded.get().is_none() {
            // First, so that a large item moves to the lane before it is checked.
            self.charge_encoding(|max| request.item.encoding_fuel(max))?;
        }
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(table, &key)?;
        let item_collection_metrics =
            self.collection_metrics(table, &key, request.return_item_collection_metrics)?;
        let attributes = request.decide_within(place.old.as_ref(), self.fuel)??;
        let new = put.encoded.get_or_init(|| StoredItem::from(&request.item)).clone();
        let measured = self.measure(table, &place, Some(&new))?;
        let consumed_capacity =
            consumed(table, request.return_consumed_capacity, &measured, &request.table_name);
        self.note_returned(attributes.as_ref());
        self.replace(table, place, Some(new), &measured, false);
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
