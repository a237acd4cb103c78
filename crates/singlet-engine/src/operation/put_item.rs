//! Putting an item.

use crate::commit::{Stage, cost};
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::lane::STAGE_FUEL;
use singlet_dynamo::fuel::{Fuel, OutOfFuel};
use singlet_dynamo::operation::{PutItem, WriteAnswer};
use singlet_dynamo::stored::StoredItem;
use std::cell::OnceCell;

impl Engine {
    /// Puts an item, new or in place of the one with its key.
    pub fn put_item(&self, request: PutItem) -> Result<WriteAnswer> {
        let put = WeighedPut::new(request);
        self.write_items(put.is_heavy(), move |stage| stage.put_item(&put))
    }
}

/// A request, and what encoding its item takes.
pub(crate) struct WeighedPut {
    request: PutItem,
    /// `None` if it is more than the stage gives.
    encoding_fuel: Option<usize>,
    /// The item as it is to be stored, once somebody needed it. It does not depend on what is stored,
    /// so a decision that has to be made again does not encode it again.
    encoded: OnceCell<StoredItem>,
}

impl WeighedPut {
    pub(crate) fn new(request: PutItem) -> Self {
        let encoding_fuel = request.item.encoding_fuel(STAGE_FUEL as usize);
        Self { request, encoding_fuel, encoded: OnceCell::new() }
    }

    pub(crate) fn is_heavy(&self) -> bool {
        self.encoding_fuel.is_none()
    }

    /// The item as it is to be stored.
    fn encode(&self, fuel: &mut Fuel<'_>) -> Result<StoredItem, OutOfFuel> {
        if let Some(encoded) = self.encoded.get() {
            return Ok(encoded.clone());
        }
        let item = &self.request.item;
        let units = self.encoding_fuel.or_else(|| item.encoding_fuel(usize::MAX));
        fuel.spend(units.unwrap_or(usize::MAX))?;
        Ok(self.encoded.get_or_init(|| StoredItem::from(item)).clone())
    }
}

impl Stage<'_> {
    pub(crate) fn put_item(&mut self, put: &WeighedPut) -> Result<WriteAnswer, Unfinished> {
        let request = &put.request;
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let place = self.place(&table, &key)?;
        let item_collection_metrics =
            self.collection_metrics(&table, &key, request.return_item_collection_metrics)?;
        let decide = |fuel: &mut Fuel<'_>| match request.decide_within(place.old.as_ref(), fuel)? {
            Ok(attributes) => {
                let new = put.encode(fuel)?;
                let measured = place.measure(&table, Some(&new), fuel)?;
                Ok(Ok((attributes, new, measured)))
            }
            Err(error) => Ok(Err(error)),
        };
        let (attributes, new, measured) = self.decide([(&table, &place)].into_iter(), decide)?;
        self.find_room(attributes.as_ref())?;
        let consumed_capacity = cost(&table, request.return_consumed_capacity, &measured)
            .map(|consumed| consumed.told_of(&request.table_name));
        self.replace(&table, place, Some(new), &measured, false);
        Ok(WriteAnswer { attributes, consumed_capacity, item_collection_metrics })
    }
}
