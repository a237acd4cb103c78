//! Items that were stored before an index existed.

use crate::backend::BackendError;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::item::{Payload, recognizes};
use crate::key::KeyValues;
use crate::operation::stored;
use crate::shape::{EntityShape, IndexKeyShape, Shapes, Storage, TableShape};
use crate::table::Declaration;
use singlet_dynamo::Value;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::operation::{Answer, Request, Scan};
use std::fmt;

/// The maximum number of requests for one table: they read 8 MB, for at most 1,024 read units.
const REQUESTS_MAX: usize = 8;

/// Items that lack their key in an index that [`Db::provision`] has just made: they were stored
/// before it existed. Queries of the index do not find them until they are read and put.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LackingItems {
    /// The name of the table.
    pub table: String,
    /// The name of the index.
    pub index: &'static str,
    /// The name of the entity's type.
    pub entity: &'static str,
    /// The number of items.
    pub count: usize,
    /// Whether there may be more, because only the first 8 MB of the table were read.
    pub may_be_more: bool,
}

impl fmt::Display for LackingItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, index, entity, count, may_be_more } = self;
        let least = if *may_be_more { "at least " } else { "" };
        write!(
            f,
            "{least}{count} items of {entity} in table {table} lack their key in the new index {index}: read and `put` them"
        )
    }
}

impl<D: Declaration> Db<D> {
    /// Counts the items that lack their keys in these indexes, in the first part of the table.
    pub(super) async fn count_lacking(
        &self,
        name: &str,
        table: &'static TableShape,
        new_indexes: &[String],
    ) -> Result<Vec<LackingItems>> {
        let mut found: Vec<LackingItems> = Vec::new();
        let is_new =
            |of_index: &&IndexKeyShape| new_indexes.iter().any(|new| new == of_index.index);
        let mut start = None;
        for _ in 0..REQUESTS_MAX {
            let mut scan = Scan::new(name);
            scan.exclusive_start_key = start.take();
            let page = match self.execute(Request::from(scan)).await.map_err(Error::from) {
                Ok(Answer::Page(page)) => page,
                Ok(_) => return Err(BackendError::unexpected().into()),
                // The index is there. A second run would not count, and must not be needed for the
                // rest of the design.
                Err(error) => {
                    tracing::warn!(
                        table = name,
                        %error,
                        "items that lack their key in a new index were not all counted"
                    );
                    break;
                }
            };
            for item in page.items.unwrap_or_default().into_iter().map(stored) {
                let item = item.as_item();
                let mut entities = table.entities.iter();
                let Some(entity) = entities.find(|entity| recognizes(entity, table, item)) else {
                    continue;
                };
                for of_index in entity.indexes.iter().filter(is_new) {
                    if lacks(Shapes { entity, table }, of_index, item) {
                        count(&mut found, name, entity, of_index);
                    }
                }
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                found.iter_mut().for_each(|lacking| lacking.may_be_more = false);
                break;
            }
        }
        Ok(found)
    }
}

fn count(found: &mut Vec<LackingItems>, table: &str, entity: &EntityShape, of: &IndexKeyShape) {
    let is_same = |one: &&mut LackingItems| one.entity == entity.name && one.index == of.index;
    match found.iter_mut().find(is_same) {
        Some(lacking) => lacking.count += 1,
        None => found.push(LackingItems {
            table: table.to_owned(),
            index: of.index,
            entity: entity.name,
            count: 1,
            may_be_more: true,
        }),
    }
}

/// Whether a `put` of the item would add this index key to it.
fn lacks(of: Shapes, of_index: &IndexKeyShape, item: ItemRef<'_>) -> bool {
    let Some(index) = of.table.index(of_index.index) else { return false };
    let mut attributes = index.key.iter();
    if attributes.all(|attribute| item.get(attribute.name()).is_some()) {
        return false;
    }
    let values = values(of, item);
    let value = |place: usize| values.get(place).and_then(Option::as_ref);
    let templates = of_index.key.partition.iter().chain(of_index.key.sort);
    of_index.applies(&value)
        && templates.into_iter().all(|template| of_index.key.has(template, &value))
}

/// The values of an item's fields, by place, as far as they can be read.
fn values(of: Shapes, item: ItemRef<'_>) -> Vec<Option<Value>> {
    let value = |name: &str| item.get(name).map(|value| value.to_value());
    let names = &of.table.key;
    let key = value(names.partition_name()).map(|partition| KeyValues {
        partition,
        sort: names.sort.first().and_then(|sort| value(sort.name())),
    });
    let payload = of.entity.payload.and_then(|name| Payload::read(item.get(name)).ok());
    let fields = of.entity.fields.iter().enumerate();
    fields
        .map(|(place, field)| match field.storage {
            Storage::Attribute => value(field.attribute),
            Storage::Expiry => of.table.ttl.and_then(value),
            Storage::Key => key.as_ref()?.part(of, place),
            Storage::Payload => payload.as_ref()?.get(field.attribute).map(|one| one.to_value()),
        })
        .collect()
}
