//! Measures items once for all uses of their size in a write.
//!
//! A write needs the size of an item before and after it: for the table, for each index that
//! projects a part of it, and for its cost. An item may have 65,000 attributes and a table 20
//! indexes, so each item is walked once, and the attributes that indexes may need are set aside.

use crate::binary::ItemRef;
use crate::fuel::{Fuel, OutOfFuel};
use crate::schema::{Index, IndexProjection, TableSchema};
use crate::stored::StoredItem;
use std::iter::once;

/// The charge for the row of one index: roughly, encoding and comparing a key.
const ROW_FUEL: usize = 250;

/// An item before and after a write, both measured.
///
/// ```
/// use singlet_dynamo::measure::MeasuredWrite;
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// use singlet_dynamo::stored::StoredItem;
/// use singlet_dynamo::{Item, Value};
///
/// let key = KeySchema::simple(KeyAttribute::new("id", KeyType::S), None);
/// let schema = TableSchema { name: "games".into(), key, indexes: vec![] };
/// let item = StoredItem::from(&Item::from([("id", Value::from("a"))]));
/// let write = MeasuredWrite::of(&schema, None, None, Some(&item));
/// assert_eq!(write.new.map(|new| new.size()), Some(3));
/// ```
#[derive(Clone, Debug)]
pub struct MeasuredWrite {
    /// The old item, if there was one.
    pub old: Option<MeasuredItem>,
    /// The new item, unless it is deleted.
    pub new: Option<MeasuredItem>,
    /// Whether both are equal.
    pub is_same: bool,
}

/// An item with its size.
#[derive(Clone, Debug)]
pub struct MeasuredItem {
    size: usize,
    /// `None` if the table does not need it.
    held: Option<StoredItem>,
}

impl MeasuredWrite {
    /// Measures an item before and after a write. `expiry` is the TTL attribute.
    #[must_use]
    pub fn of(
        schema: &TableSchema,
        expiry: Option<&str>,
        old: Option<&StoredItem>,
        new: Option<&StoredItem>,
    ) -> Self {
        let measure = |item: &StoredItem| MeasuredItem::of(schema, expiry, item);
        let is_same = match (old, new) {
            (Some(old), Some(new)) => old.is_same(new),
            (old, new) => old.is_none() && new.is_none(),
        };
        let old = old.map(measure);
        let new = if is_same { old.clone() } else { new.map(measure) };
        Self { old, new, is_same }
    }

    /// Measures an item before and after a write, and keeps it completely.
    pub(crate) fn whole(old: Option<ItemRef<'_>>, new: Option<ItemRef<'_>>) -> Self {
        let measure = |item: ItemRef<'_>| {
            let bytes = item.as_bytes();
            let held = StoredItem::new(bytes.into(), 0..bytes.len());
            MeasuredItem { size: item.size(), held: Some(held) }
        };
        Self { is_same: old == new, old: old.map(measure), new: new.map(measure) }
    }

    /// Like [`MeasuredWrite::of`], charged in advance. Copied parts of large items are charged as
    /// memory.
    ///
    /// # Errors
    ///
    /// Not enough fuel or memory.
    pub fn within(
        schema: &TableSchema,
        expiry: Option<&str>,
        old: Option<&StoredItem>,
        new: Option<&StoredItem>,
        fuel: &mut Fuel<'_>,
    ) -> Result<Self, OutOfFuel> {
        let walks = if schema.indexes.is_empty() { 1 } else { 2 };
        let walking = [old, new].into_iter().flatten().map(|item| walks * item.walking_fuel());
        fuel.spend(walking.sum::<usize>() + 2 * ROW_FUEL * schema.indexes.len())?;
        let measured = Self::of(schema, expiry, old, new);
        let copied = [&measured.old, &measured.new].into_iter().flatten();
        fuel.keep(|| copied.map(MeasuredItem::copied_bytes).sum())?;
        Ok(measured)
    }
}

impl MeasuredItem {
    /// Bytes copied of a large item. Small items are shared.
    fn copied_bytes(&self) -> usize {
        let held = self.held.as_ref().filter(|held| !held.is_small());
        held.map_or(0, StoredItem::stored_bytes)
    }

    fn of(schema: &TableSchema, expiry: Option<&str>, item: &StoredItem) -> Self {
        let held = match schema.indexes.is_empty() && expiry.is_none() {
            true => None,
            false if item.is_small() => Some(item.clone()),
            false => Some(item.only_of(&held_names(schema, expiry))),
        };
        Self { size: item.as_item().size(), held }
    }

    /// The size of the whole item.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The key attributes, the attributes that indexes project by name, and the TTL attribute. A
    /// small item is kept completely. Empty if the table has no indexes and no TTL.
    #[must_use]
    pub fn held(&self) -> ItemRef<'_> {
        self.held.as_ref().map_or(ItemRef::trusted(&[]), StoredItem::as_item)
    }

    /// The size of the item's row in an index.
    #[must_use]
    pub fn row_size(&self, index: &Index, schema: &TableSchema) -> usize {
        match index.projection {
            IndexProjection::All => self.size,
            _ => index.row_size(&schema.key, self.held()),
        }
    }
}

/// The names of all attributes that an index row may hold by name, sorted.
fn held_names<'s>(schema: &'s TableSchema, expiry: Option<&'s str>) -> Vec<&'s str> {
    let keys = once(&schema.key).chain(schema.indexes.iter().map(|index| &index.key));
    let keys = keys.flat_map(|key| key.attributes()).map(|attribute| attribute.name.as_str());
    let included = schema.indexes.iter().flat_map(|index| match &index.projection {
        IndexProjection::Include(names) => names.as_slice(),
        _ => &[],
    });
    let mut names: Vec<&str> =
        keys.chain(included.map(|name| name.as_str())).chain(expiry).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::{ConsumedCapacity, ReturnConsumedCapacity};
    use crate::fuel::Supply;
    use crate::schema::{KeyAttribute, KeySchema, KeyType, Scope};
    use crate::{Item, Value};

    fn schema() -> TableSchema {
        let key = |name: &str| KeySchema::simple(KeyAttribute::new(name, KeyType::S), None);
        let index = |name: &str, of: &str, projection| Index {
            name: name.into(),
            key: key(of),
            projection,
            scope: Scope::Global,
        };
        let names = vec!["b7".into(), "zz".into()];
        TableSchema {
            name: "games".into(),
            key: key("pk"),
            indexes: vec![
                index("all", "g", IndexProjection::All),
                index("keys", "g", IndexProjection::KeysOnly),
                index("some", "b9", IndexProjection::Include(names)),
            ],
        }
    }

    fn item(attributes: usize, g: &str) -> StoredItem {
        let mut item: Item =
            (0..attributes).map(|number| (format!("b{number}"), Value::from("text"))).collect();
        item.insert("pk", Value::from("key"));
        item.insert("g", Value::from(g));
        item.insert("zz", Value::from("last"));
        StoredItem::from(&item)
    }

    /// Each attribute used to be compared with each name of each index, on the commit thread. Both
    /// methods must find the same row.
    #[test]
    fn a_large_item_is_measured_by_its_index_rows() {
        let schema = schema();
        for attributes in [0, 20, 5_000] {
            let (old, new) = (item(attributes, "a"), item(attributes, "bb"));
            let write = MeasuredWrite::of(&schema, Some("zz"), Some(&old), Some(&new));
            for (whole, measured) in [(&old, write.old), (&new, write.new)] {
                let measured = measured.unwrap();
                assert_eq!(measured.size(), whole.as_item().size());
                assert!(measured.held().get("zz").is_some());
                assert!(measured.held().len() <= 40);
                for index in &schema.indexes {
                    let expected = index.row_size(&schema.key, whole.as_item());
                    assert_eq!(measured.row_size(index, &schema), expected, "{}", index.name);
                }
            }
        }
    }

    #[test]
    fn the_cost_is_the_same_for_large_items() {
        let schema = schema();
        let detail = ReturnConsumedCapacity::Indexes;
        let items = [None, Some(item(5_000, "a")), Some(item(5_000, "b")), Some(item(5_001, "a"))];
        for (old, new) in items.iter().flat_map(|old| items.iter().map(move |new| (old, new))) {
            let (old, new) = (old.as_ref(), new.as_ref());
            let measured = MeasuredWrite::of(&schema, None, old, new);
            assert_eq!(
                ConsumedCapacity::of_measured_write(&schema, detail, &measured),
                ConsumedCapacity::of_write(
                    &schema,
                    detail,
                    old.map(StoredItem::as_item),
                    new.map(StoredItem::as_item)
                )
            );
        }
    }

    /// An index that projects an attribute of 390 KB used to have it copied twice for each item of
    /// a transaction, without being counted.
    #[test]
    fn copies_are_charged_as_memory() {
        struct Counted(usize);
        impl Supply for Counted {
            fn pause(&mut self) -> bool {
                true
            }
            fn grant(&mut self, bytes: usize) -> bool {
                self.0 += bytes;
                self.0 < 1 << 20
            }
        }
        let mut large = item(1, "a").as_item().to_item();
        large.insert("b7", Value::from("a".repeat(300_000)));
        let large = StoredItem::from(&large);
        let mut kept = Counted(0);
        let mut measure = |item: &StoredItem| {
            let mut fuel = Fuel::sliced(1 << 30, &mut kept);
            MeasuredWrite::within(&schema(), None, None, Some(item), &mut fuel).map(drop)
        };
        assert_eq!(measure(&item(1, "a")), Ok(()));
        assert_eq!([(); 4].map(|()| measure(&large).is_ok()), [true, true, true, false]);
        assert!(kept.0 > 4 * 300_000);
    }

    #[test]
    fn measuring_is_charged_by_attributes_and_indexes() {
        let schema = schema();
        let large = item(60_000, "a");
        let charged = |item: &StoredItem| {
            let mut fuel = Fuel::limited(1 << 30);
            MeasuredWrite::within(&schema, None, None, Some(item), &mut fuel).unwrap();
            (1 << 30) - fuel.left()
        };
        assert!(charged(&large) > 60_000 * 20);
        assert_eq!(charged(&item(1, "a")), 6 * ROW_FUEL as u64);
        let mut little = Fuel::limited(10_000);
        assert!(MeasuredWrite::within(&schema, None, None, Some(&large), &mut little).is_err());
    }
}
