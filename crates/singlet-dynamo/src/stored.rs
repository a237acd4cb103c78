//! Items as answers carry them: the bytes that are stored, or a tree that was made from them.

use crate::binary::ItemRef;
use crate::expression::Projection;
use crate::json::Writer;
use crate::{Item, Map, Type};
use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Up to this size the bytes of an item are a good measure of what it takes.
const SMALL_ITEM_BYTES_MAX: usize = 4096;
/// What each attribute is charged when an item is measured.
const MEASURED_FUEL: usize = 12;
/// What measuring is charged for each byte of a container, which may have an element in each.
const CONTAINER_BYTE_FUEL: usize = 2;
/// Up to so many attributes are looked at to find out what measuring them takes.
const SURVEYED_MAX: usize = 1000;
/// What reading an item by its key is charged besides its bytes.
const READ_FUEL: usize = 1000;
/// What each attribute and each path is charged when an item is projected.
const PROJECTED_FUEL: usize = 20;

/// The stored bytes of an item, shared with whoever else holds them.
///
/// Cheap to clone, so that an answer can carry an item out of the store without a copy.
#[derive(Clone)]
pub struct StoredItem {
    bytes: Arc<[u8]>,
    /// Where the item lies: a store may keep other things before and after it.
    range: Range<usize>,
}

impl StoredItem {
    /// The item that lies at this range of these bytes. Whoever makes this has checked them, or
    /// made them: see [`ItemRef::trusted`].
    #[must_use]
    pub fn new(bytes: Arc<[u8]>, range: Range<usize>) -> Self {
        Self { bytes, range }
    }

    /// An item with only the attributes whose names are wanted.
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

    /// Only the attributes of these names, which ascend. One walk along both.
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

    /// What a projection leaves of the item. Whole attributes are copied as they lie.
    #[must_use]
    pub fn project(&self, projection: &Projection) -> Attributes {
        match projection.whole_attributes() {
            Some(names) => {
                let names: Vec<&str> = names.collect();
                Attributes::Stored(self.only(|name| names.binary_search(&name).is_ok()))
            }
            // Encoded again, because a tree takes many times as much memory.
            None => Attributes::Stored(Self::from(&projection.project(self.as_item()))),
        }
    }

    /// What measuring the item is charged: a large one by its attributes too.
    #[must_use]
    pub fn measuring_fuel(&self) -> usize {
        match self.range.len() {
            bytes @ 0..=SMALL_ITEM_BYTES_MAX => bytes / 4,
            bytes => self.measuring_fuel_of_large(bytes),
        }
    }

    /// A text is copied and not looked into; what is in a container is looked at one by one.
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

    /// What the item is charged where it is read to be replaced: nothing if it is small.
    #[must_use]
    pub fn replacing_fuel(&self) -> usize {
        match self.range.len() {
            0..=SMALL_ITEM_BYTES_MAX => 0,
            bytes => self.measuring_fuel_of_large(bytes),
        }
    }

    /// Whether it is so small that measuring it is not charged.
    pub(crate) fn is_small(&self) -> bool {
        self.range.len() <= SMALL_ITEM_BYTES_MAX
    }

    /// What walking along the item to measure it is charged: nothing if it is small. Texts are
    /// compared, but neither copied nor looked into.
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

    /// How many bytes the item has as it is stored.
    #[must_use]
    pub fn stored_bytes(&self) -> usize {
        self.range.len()
    }

    /// What reading the item for an answer is charged: it is measured, and perhaps projected.
    #[must_use]
    pub fn reading_fuel(&self, projection: Option<&Projection>) -> usize {
        let projecting = projection.map_or(0, |projection| self.projecting_fuel(projection));
        READ_FUEL + self.measuring_fuel() + projecting
    }

    /// What [`StoredItem::project`] is charged: one walk along the item and the paths, and a copy.
    #[must_use]
    pub fn projecting_fuel(&self, projection: &Projection) -> usize {
        self.copying_fuel(projection.paths().len())
    }

    /// What copying attributes that so many paths lead to is charged.
    pub(crate) fn copying_fuel(&self, paths: usize) -> usize {
        let item = self.as_item();
        PROJECTED_FUEL * (item.len() + paths) + item.as_bytes().len()
    }

    /// Whether this is the same item, which is known at once if both share their bytes.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let is_shared = Arc::ptr_eq(&self.bytes, &other.bytes) && self.range == other.range;
        is_shared || self == other
    }

    /// The item, read where it lies.
    #[must_use]
    pub fn as_item(&self) -> ItemRef<'_> {
        ItemRef::trusted(self.bytes.get(self.range.clone()).unwrap_or_default())
    }
}

/// Items are equal when they have the same attributes, wherever they lie.
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

/// Attributes in an answer: an item as it is stored, or some of its attributes.
#[derive(Clone, Debug)]
pub enum Attributes {
    /// All of an item, written to JSON straight from its bytes.
    Stored(StoredItem),
    /// Attributes that were never stored, such as those that came from another server. A tree
    /// takes many times as much memory.
    Selected(Item),
}

impl Attributes {
    /// The attributes as a tree.
    #[must_use]
    pub fn to_item(&self) -> Item {
        match self {
            Self::Stored(stored) => stored.as_item().to_item(),
            Self::Selected(item) => item.clone(),
        }
    }

    /// How many bytes the service counts for them.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Stored(stored) => stored.as_item().size(),
            Self::Selected(item) => item.size(),
        }
    }

    /// About how many bytes they take in memory. Stored ones are not looked into.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Stored(stored) => stored.range.len(),
            Self::Selected(item) => item.size(),
        }
    }

    /// How many bytes the attributes have as JSON, which is written for that and not kept.
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
    fn what_is_in_a_container_is_charged_and_what_is_in_a_text_is_not() {
        let fuel = |value: Value| StoredItem::from(&Item::from([("a", value)])).measuring_fuel();
        let text = fuel(Value::from("a".repeat(200_000)));
        assert!(fuel(Value::L(vec![Value::Null; 200_000])) > 10 * text);
        let many: Item = (0..2000).map(|n| (format!("a{n}"), Value::from("abc"))).collect();
        assert!(StoredItem::from(&many).measuring_fuel() > text);
    }
}
