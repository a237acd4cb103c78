//! BatchGetItem.

use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::layout;
use crate::state::State;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::key::Key;
use singlet_dynamo::limits::{BATCH_GET_JSON_MAX, JSON_GROWTH_MAX};
use singlet_dynamo::operation::{BatchGetItem, BatchGetItemAnswer, KeysAndAttributes};
use singlet_dynamo::stored::Attributes;
use std::cell::RefCell;

/// Fuel per stored byte for measuring the JSON, which may be up to fourteen times as long.
const COUNTED_BYTE_FUEL: usize = 16;

impl Engine {
    /// Reads items by their keys, from one or several tables, up to the size limit of an answer.
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
        let fuel = RefCell::new(fuel);
        let (mut stored_bytes, mut counted_bytes) = (0, 0);
        let read = |asked: &KeysAndAttributes, key: &Key| {
            let table = self.catalogue.usable(&asked.table_name)?;
            let item = self.item(&layout::item_key(table.id, key))?;
            if let Some(item) = &item {
                let mut fuel = fuel.borrow_mut();
                fuel.spend(item.reading_fuel(asked.projection.as_ref()))?;
                stored_bytes += item.stored_bytes();
                if stored_bytes > BATCH_GET_JSON_MAX / JSON_GROWTH_MAX {
                    // Charge for measuring its JSON; the first time, also for all items before it.
                    fuel.spend(COUNTED_BYTE_FUEL * (stored_bytes - counted_bytes))?;
                    counted_bytes = stored_bytes;
                }
            }
            Ok::<_, Unfinished>(item)
        };
        let mut kept = 0;
        let has_room = |item: &Attributes| match fuel.borrow_mut().keep(|| item.held_bytes()) {
            Ok(bytes) => {
                kept += bytes;
                Ok(true)
            }
            // A partial answer is valid, but not an empty one.
            Err(_) if kept > 0 => Ok(false),
            Err(error) => Err(error.into()),
        };
        request.answer_while(&keys, read, has_room)
    }
}
