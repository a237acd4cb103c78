//! The size of an item, as the service counts it.
//!
//! Names count as their UTF-8 bytes, numbers by their digit pairs ([`Number::size`]), BOOL and NULL
//! as one. A list or map costs three bytes, and one more for each of its elements. The item itself
//! and sets have no overhead.

use crate::binary::{MapRef, ValueRef, from_payload};
use crate::limits::ITEM_SIZE_MAX;
use crate::schema::{Index, KeySchema, Scope, TableSchema};
use crate::{Map, Type, Value};

#[cfg(doc)]
use crate::Number;

pub(crate) const CONTAINER_OVERHEAD: usize = 3;
pub(crate) const ELEMENT_OVERHEAD: usize = 1;

impl Map {
    /// The size of an item with these attributes.
    ///
    /// ```
    /// use singlet_dynamo::{Item, Value};
    ///
    /// let item = Item::from([("id", Value::from("abc")), ("list", Value::L(vec![Value::Null]))]);
    /// assert_eq!(item.size(), 2 + 3 + 4 + (3 + 1 + 1));
    /// ```
    #[must_use]
    pub fn size(&self) -> usize {
        self.iter().map(|(name, value)| name.len() + value.size()).sum()
    }
}

impl TableSchema {
    /// Whether an item is too large for the table. The limit includes its rows in local indexes,
    /// which are in the same partition.
    pub(crate) fn is_too_large(&self, item: &Map) -> bool {
        self.is_too_large_by(item, item.size())
    }

    /// Like [`TableSchema::is_too_large`], given the item's size.
    pub(crate) fn is_too_large_by(&self, item: &Map, size: usize) -> bool {
        let holds_item = |index: &&Index| {
            index.scope == Scope::Local
                && index.key.attributes().all(|attribute| item.contains(&attribute.name))
        };
        let local = || self.indexes.iter().filter(holds_item);
        // Most items are too small for the exact row sizes to matter.
        if size <= ITEM_SIZE_MAX / (1 + local().count()) {
            return false;
        }
        let held = |index: &Index| -> usize {
            let entries = item.iter().filter(|(name, _)| index.holds(&self.key, name));
            entries.map(|(name, value)| name.len() + value.size()).sum()
        };
        size + local().map(held).sum::<usize>() > ITEM_SIZE_MAX
    }
}

impl Value {
    /// The size of the value alone, without its name.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::S(text) => text.len(),
            Self::N(number) => number.size(),
            Self::B(bytes) => bytes.len(),
            Self::Bool(_) | Self::Null => 1,
            Self::M(map) => CONTAINER_OVERHEAD + map.len() * ELEMENT_OVERHEAD + map.size(),
            Self::L(values) => {
                CONTAINER_OVERHEAD
                    + values.iter().map(|value| ELEMENT_OVERHEAD + value.size()).sum::<usize>()
            }
            Self::Ss(set) => set.iter().map(String::len).sum(),
            Self::Ns(set) => set.iter().map(|number| number.size()).sum(),
            Self::Bs(set) => set.iter().map(Vec::len).sum(),
        }
    }
}

impl MapRef<'_> {
    /// The size of an item with these attributes: the same as [`Map::size`] of the tree.
    #[must_use]
    pub fn size(&self) -> usize {
        let sizes =
            self.raw_entries().map(|(name, kind, payload)| name.len() + stored_size(kind, payload));
        sizes.sum()
    }
}

impl Index {
    /// The size of an item's row in this index, for a table with this key.
    ///
    /// ```
    /// use singlet_dynamo::binary::{ItemRef, encode};
    /// use singlet_dynamo::schema::{
    ///     Index, IndexProjection, KeyAttribute, KeySchema, KeyType, Scope,
    /// };
    /// use singlet_dynamo::{Item, Value};
    ///
    /// let key = |name| KeySchema::simple(KeyAttribute::new(name, KeyType::S), None);
    /// let projection = IndexProjection::KeysOnly;
    /// let index = Index { name: "byG".into(), key: key("g"), projection, scope: Scope::Global };
    /// let value = Value::from("abc");
    /// let item = Item::from([("pk", value.clone()), ("g", value.clone()), ("text", value)]);
    /// assert_eq!(index.row_size(&key("pk"), ItemRef::trusted(&encode(&item))), 5 + 4);
    /// ```
    #[must_use]
    pub fn row_size(&self, table_key: &KeySchema, item: MapRef<'_>) -> usize {
        item.iter()
            .filter(|(name, _)| self.holds(table_key, name))
            .map(|(name, value)| name.len() + value.size())
            .sum()
    }
}

/// The size of a stored value. Every write needs the size of the old item, so this only uses
/// lengths and does not validate strings.
fn stored_size(kind: Type, payload: &[u8]) -> usize {
    match kind {
        Type::S | Type::B => payload.len(),
        _ => from_payload(kind, payload).map_or(0, |value| value.size()),
    }
}

impl ValueRef<'_> {
    /// The size of the value alone, without its name.
    #[must_use]
    pub fn size(&self) -> usize {
        match *self {
            Self::S(text) => text.len(),
            Self::N(number) => number.size(),
            Self::B(bytes) => bytes.len(),
            Self::Bool(_) | Self::Null => 1,
            Self::M(map) => CONTAINER_OVERHEAD + map.len() * ELEMENT_OVERHEAD + map.size(),
            Self::L(list) => {
                CONTAINER_OVERHEAD
                    + list
                        .raw_values()
                        .map(|(kind, payload)| ELEMENT_OVERHEAD + stored_size(kind, payload))
                        .sum::<usize>()
            }
            Self::Ss(set) | Self::Ns(set) | Self::Bs(set) => {
                set.iter().map(|element| element.size()).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Item, binary};

    fn size(json: &str) -> usize {
        let item = Item::from_json(json.as_bytes()).unwrap();
        assert_eq!(binary::ItemRef::trusted(&binary::encode(&item)).size(), item.size());
        item.size()
    }

    #[test]
    fn sizes_follow_the_developer_guide() {
        // Developer guide, "DynamoDB item sizes and formats".
        assert_eq!(size("{}"), 0);
        assert_eq!(size(r#"{"é":{"S":"é"}}"#), 4);
        assert_eq!(size(r#"{"n":{"N":"-123.45"}}"#), 1 + 5);
        assert_eq!(size(r#"{"b":{"B":"YWJj"}}"#), 1 + 3);
        assert_eq!(size(r#"{"b":{"BOOL":false},"n":{"NULL":true}}"#), 4);
        assert_eq!(size(r#"{"m":{"M":{}},"l":{"L":[]}}"#), 8);
        assert_eq!(size(r#"{"m":{"M":{"ab":{"S":"cd"}}}}"#), 1 + 3 + 1 + 4);
        assert_eq!(size(r#"{"s":{"SS":["a","bc"]},"n":{"NS":["1","22"]}}"#), 1 + 3 + 1 + 4);
    }
}
