//! Items in responses: stored bytes, or a decoded tree.

use crate::binary::ItemRef;
use crate::expression::Projection;
use crate::json::Writer;
use crate::{Item, Map, Type};
use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Items up to this size are charged by their bytes.
const SMALL_ITEM_BYTES_MAX: usize = 4096;
/// The charge per attribute for measuring an item.
const MEASURED_FUEL: usize = 12;
/// The charge per byte for measuring a container, which may have an element in each byte.
const CONTAINER_BYTE_FUEL: usize = 2;
/// How many attributes are inspected to estimate the cost of measuring.
const SURVEYED_MAX: usize = 1000;
/// The charge for reading an item by its key, in addition to its bytes.
const READ_FUEL: usize = 1000;
/// The charge per attribute and path for projecting an item.
const PROJECTED_FUEL: usize = 20;

/// The stored bytes of an item, shared.
///
/// Cheap to clone, so that a response can carry an item out of the store without a copy.
#[derive(Clone)]
pub struct StoredItem {
    bytes: Arc<[u8]>,
    /// The item's position: a store may keep other data before and after it.
    range: Range<usize>,
}

impl StoredItem {
    /// The item at this range of the bytes, which must be valid: see [`ItemRef::trusted`].
    #[must_use]
    pub fn new(bytes: Arc<[u8]>, range: Range<usize>) -> Self {
        Self { bytes, range }
    }

    /// An item with only the wanted attributes.
    ///
    /// ```
    /// use singlet_dynamo::stored::StoredItem;
    /// use singlet_dynamo::{Item, Value};
    ///
    /// let game = StoredItem::from(&Item::from([("PK", Value::from("GAME#1")), ("round", 7.into())]));
    /// let key = game.only(|name| name == "PK");
    /// assert_eq!(key.as_item().to_item(), Item::from([("PK", Value::from("GAME#1"))]));
    /// ```
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        let bytes: Arc<[u8]> = self.as_item().encode_only(wanted).into();
        let range = 0..bytes.len();
        Self { bytes, range }
    }

    /// Only the attributes of these names, which must ascend. One pass over both.
    pub(crate) fn only_of(&self, names: &[&str]) -> Self {
        let left = Cell::new(names);
        self.only(|name| {
            while let Some((first, rest)) = left.get().split_first() {
                match (*first).cmp(name) {
                    Ordering::Less => left.set(rest),
                    Ordering::Equal => return true,
                    Ordering::Greater => return false,
                }
            }
            false
        })
    }

    /// Applies a projection. Whole attributes are copied without decoding.
    #[must_use]
    pub fn project(&self, projection: &Projection) -> Attributes {
        match projection.whole_attributes() {
            Some(names) => {
                let names: Vec<&str> = names.collect();
                Attributes::Stored(self.only(|name| names.binary_search(&name).is_ok()))
            }
            // Encoded again, because a tree takes many times more memory.
            None => Attributes::Stored(Self::from(&projection.project(self.as_item()))),
        }
    }

    /// The charge for measuring the item: for a large one also by its attributes.
    #[must_use]
    pub fn measuring_fuel(&self) -> usize {
        match self.range.len() {
            bytes @ 0..=SMALL_ITEM_BYTES_MAX => bytes / 4,
            bytes => self.measuring_fuel_of_large(bytes),
        }
    }

    /// A string is only measured; a container is walked element by element.
    fn measuring_fuel_of_large(&self, bytes: usize) -> usize {
        let item = self.as_item();
        let attributes = MEASURED_FUEL * item.len();
        if item.len() > SURVEYED_MAX {
            return attributes + CONTAINER_BYTE_FUEL * bytes;
        }
        let values = item.raw_entries().map(|(_, kind, payload)| match kind {
            Type::S | Type::B => payload.len() / 8,
            _ => CONTAINER_BYTE_FUEL * payload.len(),
        });
        attributes + values.sum::<usize>()
    }

    /// The charge for reading the item before it is replaced: none if it is small.
    #[must_use]
    pub fn replacing_fuel(&self) -> usize {
        match self.range.len() {
            0..=SMALL_ITEM_BYTES_MAX => 0,
            bytes => self.measuring_fuel_of_large(bytes),
        }
    }

    /// Whether it is too small to be charged for measuring.
    pub(crate) fn is_small(&self) -> bool {
        self.range.len() <= SMALL_ITEM_BYTES_MAX
    }

    /// The charge for walking over the item to measure it: none if it is small. Strings are
    /// compared, but neither copied nor validated.
    pub(crate) fn walking_fuel(&self) -> usize {
        if self.is_small() {
            return 0;
        }
        let item = self.as_item();
        let bytes = match item.len() {
            0..=SURVEYED_MAX => {
                let values = item.raw_entries().map(|(_, kind, payload)| match kind {
                    Type::S | Type::B => payload.len() / 32,
                    _ => CONTAINER_BYTE_FUEL * payload.len(),
                });
                values.sum()
            }
            _ => CONTAINER_BYTE_FUEL * self.range.len(),
        };
        MEASURED_FUEL * item.len() + bytes
    }

    /// The stored size of the item.
    #[must_use]
    pub fn stored_bytes(&self) -> usize {
        self.range.len()
    }

    /// The charge for reading the item for a response, including measuring and projecting.
    #[must_use]
    pub fn reading_fuel(&self, projection: Option<&Projection>) -> usize {
        let projecting = projection.map_or(0, |projection| self.projecting_fuel(projection));
        READ_FUEL + self.measuring_fuel() + projecting
    }

    /// The charge for [`StoredItem::project`]: one pass over the item and the paths, and a copy.
    #[must_use]
    pub fn projecting_fuel(&self, projection: &Projection) -> usize {
        self.copying_fuel(projection.paths().len())
    }

    /// The charge for copying the attributes at this many paths.
    pub(crate) fn copying_fuel(&self, paths: usize) -> usize {
        let item = self.as_item();
        PROJECTED_FUEL * (item.len() + paths) + item.as_bytes().len()
    }

    /// Whether both are equal, which is immediate if they share their bytes.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let is_shared = Arc::ptr_eq(&self.bytes, &other.bytes) && self.range == other.range;
        is_shared || self == other
    }

    /// A view of the item.
    #[must_use]
    pub fn as_item(&self) -> ItemRef<'_> {
        ItemRef::trusted(self.bytes.get(self.range.clone()).unwrap_or_default())
    }
}

/// Items are equal if they have the same attributes.
impl PartialEq for StoredItem {
    fn eq(&self, other: &Self) -> bool {
        self.as_item() == other.as_item()
    }
}

impl Eq for StoredItem {}

impl From<&Map> for StoredItem {
    fn from(item: &Map) -> Self {
        let bytes: Arc<[u8]> = crate::binary::encode(item).into();
        let range = 0..bytes.len();
        Self::new(bytes, range)
    }
}

impl fmt::Debug for StoredItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_item().fmt(f)
    }
}

/// Attributes in a response: a stored item, or some of its attributes.
#[derive(Clone, Debug)]
pub enum Attributes {
    /// A whole stored item, written as JSON without decoding.
    Stored(StoredItem),
    /// Attributes that were never stored, such as those from another server. A tree takes many
    /// times more memory.
    Selected(Item),
}

impl Attributes {
    /// Decodes the attributes.
    #[must_use]
    pub fn to_item(&self) -> Item {
        match self {
            Self::Stored(stored) => stored.as_item().to_item(),
            Self::Selected(item) => item.clone(),
        }
    }

    /// The size as the service counts it.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Stored(stored) => stored.as_item().size(),
            Self::Selected(item) => item.size(),
        }
    }

    /// Approximate size in memory, without walking stored ones.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Stored(stored) => stored.range.len(),
            Self::Selected(item) => item.size(),
        }
    }

    /// The size of the attributes as JSON, which is written only to count it.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        let mut writer = Writer::counting();
        self.write_json(&mut writer);
        writer.written_len()
    }

    /// Writes the attributes as DynamoDB's JSON.
    pub fn write_json(&self, writer: &mut Writer) {
        match self {
            Self::Stored(stored) => stored.as_item().write_json(writer),
            Self::Selected(item) => item.write_json(writer),
        }
    }
}

impl PartialEq for Attributes {
    fn eq(&self, other: &Self) -> bool {
        self.to_item() == other.to_item()
    }
}

impl Eq for Attributes {}

impl From<StoredItem> for Attributes {
    fn from(stored: StoredItem) -> Self {
        Self::Stored(stored)
    }
}

impl From<Item> for Attributes {
    fn from(item: Item) -> Self {
        Self::Selected(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn containers_are_charged_by_element_and_strings_are_not() {
        let fuel = |value: Value| StoredItem::from(&Item::from([("a", value)])).measuring_fuel();
        let text = fuel(Value::from("a".repeat(200_000)));
        assert!(fuel(Value::L(vec![Value::Null; 200_000])) > 10 * text);
        let many: Item = (0..2000).map(|n| (format!("a{n}"), Value::from("abc"))).collect();
        assert!(StoredItem::from(&many).measuring_fuel() > text);
    }
}
