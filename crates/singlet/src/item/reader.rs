//! Reading entities from stored items, where they lie.

use super::Payload;
use crate::attribute::{Attribute, Mismatch};
use crate::entity::Entity;
use crate::field::Field;
use crate::projection::Projection;
use crate::shape::{EntityShape, Storage, TableShape, template::read_part};
use crate::subject::{Subject, write_key};
use crate::table::Table;
use crate::timestamp::{Expiry, Timestamp};
use singlet_dynamo::Item;
use singlet_dynamo::binary::{Entries, ItemRef, ValueRef};
use std::fmt;

/// A stored item is not what its entity says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupt {
    subject: Subject,
    attribute: String,
    mismatch: Box<Mismatch>,
}

impl Corrupt {
    fn new<E: Entity>(item: ItemRef<'_>, attribute: &str, mismatch: Mismatch) -> Self {
        Self::of(&E::SHAPE, E::Table::SHAPE, item, attribute, mismatch)
    }

    fn of(
        shape: &EntityShape,
        table: &TableShape,
        item: ItemRef<'_>,
        attribute: &str,
        mismatch: Mismatch,
    ) -> Self {
        let names = table.key.iter().map(|attribute| attribute.name());
        let key = names.filter_map(|name| Some((name.to_owned(), item.get(name)?.to_value())));
        Self {
            subject: Subject::keyed(shape.name, key.collect()),
            attribute: format!("{attribute}{}", mismatch.path()),
            mismatch: Box::new(mismatch),
        }
    }

    /// The primary key of the item, by which it is found.
    #[must_use]
    pub fn key(&self) -> &Item {
        static NO_KEY: Item = Item::new();
        self.subject.key().unwrap_or(&NO_KEY)
    }

    /// The item.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The name of the entity's type.
    #[must_use]
    pub fn entity(&self) -> &'static str {
        self.subject.entity()
    }

    /// The attribute, with the way to the value inside it: `board.snakes[3].from`.
    #[must_use]
    pub fn attribute(&self) -> &str {
        &self.attribute
    }
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { attribute, mismatch, .. } = self;
        let entity = self.entity();
        write!(f, "a stored {entity} has a wrong attribute `{attribute}`: {mismatch}; its key is")?;
        f.write_str(" ")?;
        write_key(f, self.key())
    }
}

impl std::error::Error for Corrupt {}

/// What a read does at a stored item that is not what its entity says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnCorrupt {
    /// It fails.
    Fail,
    /// It skips the item.
    Skip,
}

impl OnCorrupt {
    /// The value; `None` if the item is skipped.
    pub(crate) fn apply<T>(
        self,
        read: Result<T, Corrupt>,
        skipped: &mut Skipped,
    ) -> Result<Option<T>, Corrupt> {
        match (read, self) {
            (Ok(read), _) => Ok(Some(read)),
            (Err(corrupt), Self::Fail) => Err(corrupt),
            (Err(corrupt), Self::Skip) => {
                skipped.count += 1;
                skipped.first.get_or_insert(corrupt);
                Ok(None)
            }
        }
    }
}

/// The items of one request that were skipped. They are logged together, when this is dropped: a
/// line for each would flood the log when a whole partition cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    count: usize,
    first: Option<Corrupt>,
}

/// The maximum number of requests in a row that give nothing but skipped items to a read with a
/// limit. Such a read asks for twice as many items each time, so it would read the whole partition.
const FRUITLESS_MAX: usize = 8;

impl Skipped {
    /// Fails after too many requests in a row that gave nothing but skipped items. `fruitless`
    /// counts them.
    pub(crate) fn give_up(&self, has_read: bool, fruitless: &mut usize) -> Result<(), Corrupt> {
        match &self.first {
            _ if has_read => *fruitless = 0,
            None => {}
            Some(first) => {
                *fruitless += 1;
                if *fruitless >= FRUITLESS_MAX {
                    return Err(first.clone());
                }
            }
        }
        Ok(())
    }
}

impl Drop for Skipped {
    fn drop(&mut self) {
        if let Some(first) = &self.first {
            tracing::warn!("skipped {} unreadable items; the first: {first}", self.count);
        }
    }
}

/// A stored item that is being read as an entity: what `#[derive(Entity)]` is made with.
pub struct Reader<'a> {
    shape: &'static EntityShape,
    table: &'static TableShape,
    item: ItemRef<'a>,
    entries: Entries<'a>,
    /// The payload, once a projection has read it.
    payload: Option<Payload>,
}

impl<'a> Reader<'a> {
    fn new<E: Entity>(item: ItemRef<'a>) -> Self {
        Self { shape: &E::SHAPE, table: E::Table::SHAPE, item, entries: item.iter(), payload: None }
    }

    /// Reads the attribute of this name, which comes after all that were read before.
    pub fn read<T: Attribute>(&mut self, name: &str) -> Result<T, Corrupt> {
        T::from_value(self.entries.seek(name)).map_err(|mismatch| self.corrupt(name, mismatch))
    }

    /// Like [`Reader::read`], with a default for an attribute that is missing.
    pub fn read_or_default<T: Attribute + Default>(&mut self, name: &str) -> Result<T, Corrupt> {
        match self.entries.seek(name) {
            None => Ok(T::default()),
            value => T::from_value(value).map_err(|mismatch| self.corrupt(name, mismatch)),
        }
    }

    /// Reads the table's time to live.
    pub fn read_expiry<T: Attribute>(&self) -> Result<T, Corrupt> {
        let name = self.table.ttl.unwrap_or_default();
        T::from_value(self.item.get(name)).map_err(|mismatch| self.corrupt(name, mismatch))
    }

    /// Reads one field, wherever it is stored. A missing one has the default that the entity gives
    /// it.
    pub fn project<E: Entity, T: Attribute + 'static, K>(
        &mut self,
        field: Field<E, T, K>,
    ) -> Result<T, Corrupt> {
        let place = field.place();
        let Some(field) = self.shape.field(place) else {
            return Err(self.corrupt("", Mismatch::of("a field of the entity", None)));
        };
        let name = field.attribute;
        let read = |value: Option<ValueRef<'_>>| match value {
            None => match E::default_of(place).and_then(|default| default.downcast().ok()) {
                Some(default) => Ok(*default),
                None => T::from_value(None),
            },
            value => T::from_value(value),
        };
        match field.storage {
            Storage::Attribute => {
                read(self.item.get(name)).map_err(|mismatch| self.corrupt(name, mismatch))
            }
            Storage::Expiry => self.read_expiry(),
            Storage::Key => self.read_from_key(place),
            Storage::Payload => {
                let payload = match self.payload.take() {
                    Some(payload) => payload,
                    None => self.payload()?,
                };
                let read = self.in_payload(read(payload.get(name)));
                self.payload = Some(payload);
                read
            }
        }
    }

    /// Reads the field at this place from a key: the primary one, or that of an index.
    pub fn read_from_key<T: Attribute>(&self, place: usize) -> Result<T, Corrupt> {
        let of_indexes =
            self.shape.indexes.iter().filter(|of_index| of_index.when.is_none()).filter_map(
                |of_index| Some((&of_index.key, &self.table.index(of_index.index)?.key)),
            );
        let keys = std::iter::once((&self.shape.key, &self.table.key)).chain(of_indexes);
        for (template, attribute) in keys.flat_map(|(key, attributes)| key.with(attributes)) {
            if !template.has(place) {
                continue;
            }
            let value = self.item.get(attribute.name());
            let read = match value {
                // A number or bytes: the field alone.
                Some(ValueRef::N(_) | ValueRef::B(_)) => T::from_value(value),
                Some(ValueRef::S(text)) => match template.part(place, text) {
                    Some(part) => read_part(part),
                    None => Err(Mismatch::new(template.text, format!("`{text}`"))),
                },
                // An item that is not in the index does not have the field.
                None if T::OPTIONAL => T::from_value(None),
                other => Err(Mismatch::of(template.text, other)),
            };
            return read.map_err(|mismatch| self.corrupt(attribute.name(), mismatch));
        }
        let name = self.shape.field(place).map_or("", |field| field.name);
        Err(self.corrupt(name, Mismatch::of("a part of a key", None)))
    }

    /// Reads the JSON text that holds the fields.
    pub fn payload(&self) -> Result<Payload, Corrupt> {
        let name = self.shape.payload.unwrap_or_default();
        Payload::read(self.item.get(name)).map_err(|mismatch| self.corrupt(name, mismatch))
    }

    /// Says of a mismatch in the payload where it was.
    pub fn in_payload<T>(&self, read: Result<T, Mismatch>) -> Result<T, Corrupt> {
        read.map_err(|mismatch| self.corrupt(self.shape.payload.unwrap_or_default(), mismatch))
    }

    fn corrupt(&self, attribute: &str, mismatch: Mismatch) -> Corrupt {
        Corrupt::of(self.shape, self.table, self.item, attribute, mismatch)
    }
}

/// Reads an item as the entity that it is known to be, where it lies; see
/// [`decode_item`](crate::item::decode_item).
pub fn decode<P: Projection>(item: ItemRef<'_>) -> Result<P, Corrupt> {
    let shape = &P::Entity::SHAPE;
    if let Some((name, expected)) = shape.discriminator {
        match item.get(name) {
            Some(ValueRef::S(found)) if found == expected => {}
            Some(ValueRef::S(found)) => {
                let mismatch = Mismatch::new(format!("`{expected}`"), format!("`{found}`"));
                return Err(Corrupt::new::<P::Entity>(item, name, mismatch));
            }
            other => {
                let mismatch = Mismatch::of(format!("`{expected}`"), other);
                return Err(Corrupt::new::<P::Entity>(item, name, mismatch));
            }
        }
    }
    P::decode(&mut Reader::new::<P::Entity>(item))
}

/// Whether an item is of this entity, told by its primary key, and by its discriminator if another
/// entity shares the key. No item is of two entities of a table: the compiler has checked that
/// their keys cannot be the same, or that discriminators tell them apart.
pub(crate) fn recognizes(shape: &EntityShape, table: &TableShape, item: ItemRef<'_>) -> bool {
    shape.key.matches(&table.key, item) && !is_of_sharing_entity(shape, item)
}

/// Whether an item with a key of this entity belongs to another one that shares the key: its
/// discriminator says so.
pub(crate) fn is_of_sharing_entity(shape: &EntityShape, item: ItemRef<'_>) -> bool {
    if !shape.shares_keys() {
        return false;
    }
    match shape.discriminator {
        Some((name, own)) => matches!(item.get(name), Some(ValueRef::S(found)) if found != own),
        None => false,
    }
}

/// Whether the item's time to live has passed, so that it counts as gone.
pub(crate) fn is_expired<E: Entity>(item: ItemRef<'_>, now: Timestamp) -> bool {
    E::SHAPE.expires && has_passed(E::Table::SHAPE, item, now)
}

/// Whether the item has a time to live, and it has passed.
pub(crate) fn has_passed(table: &TableShape, item: ItemRef<'_>, now: Timestamp) -> bool {
    // What is no number is no time to live, for DynamoDB as well.
    match table.ttl.and_then(|name| item.get(name)) {
        Some(ValueRef::N(number)) => {
            number.floor_i64().is_some_and(|seconds| Expiry::from_seconds(seconds).has_passed(now))
        }
        _ => false,
    }
}
