//! GetItem.

use crate::engine::Engine;
use crate::error::Result;
use crate::layout;
use crate::state::State;
use singlet_dynamo::capacity::{ConsumedCapacity, ReturnConsumedCapacity, read_units};
use singlet_dynamo::operation::{GetItem, GetItemAnswer};
use singlet_dynamo::stored::StoredItem;

impl Engine {
    /// Reads one item by its key.
    pub fn get_item(&self, request: &GetItem) -> Result<GetItemAnswer> {
        self.state()?.get_item(request)
    }
}

impl State {
    fn get_item(&self, request: &GetItem) -> Result<GetItemAnswer> {
        let table = self.catalogue.usable(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let found = self.item(&layout::item_key(table.id, &key))?;
        let detail = request.return_consumed_capacity;
        let consumed_capacity = (detail != ReturnConsumedCapacity::None).then(|| {
            let size = found.as_ref().map_or(0, |item| item.as_item().size());
            let units = read_units(size, request.consistency());
            ConsumedCapacity::new(request.table_name.as_str(), detail, units)
        });
        let item = found.map(|item| request.select(item));
        Ok(GetItemAnswer { item, consumed_capacity })
    }

    pub(crate) fn item(&self, item_key: &[u8]) -> Result<Option<StoredItem>> {
        Ok(self.snapshot.get(crate::store::Keyspace::Items, item_key)?.map(StoredItem::from))
    }
}
