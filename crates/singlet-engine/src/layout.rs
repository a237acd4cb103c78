//! The keys of every keyspace.
//!
//! ```text
//! items     table · hash(partition) · partition · sort                → the item
//! indexes   index · hash(partition) · partition · sort · item's key   → nothing
//! expiry    second · table · item's key                               → nothing
//! ```
//!
//! Table and index ids are big-endian and never reused. Key values are encoded so that their bytes
//! sort as DynamoDB sorts ([`key::push_encoded`]), each self-delimiting. The hash spreads
//! partitions, which determines the order of Scan and the segments of a parallel Scan.
//!
//! An index row holds no attributes: it points to its item in the same snapshot. So it cannot be
//! stale, and a write that does not change an index's key does not touch the index.

use singlet_dynamo::binary::{ItemRef, ValueRef};
use singlet_dynamo::key::{self, Key};
use singlet_dynamo::schema::KeySchema;
use std::ops::Range;

/// The id of a table or an index; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SpaceId(pub(crate) u32);

const ID_LEN: usize = 4;
const HASH_LEN: usize = 4;
const SECOND_LEN: usize = 8;

pub(crate) fn item_key(table: SpaceId, key: &Key) -> Vec<u8> {
    let mut out = partition_prefix(table, key.partition_bytes());
    out.extend_from_slice(key.sort_bytes());
    out
}

/// Key prefix of a partition in a table or an index, from the encoded partition key.
pub(crate) fn partition_prefix(space: SpaceId, partition: &[u8]) -> Vec<u8> {
    prefix(space, |out| out.extend_from_slice(partition))
}

fn prefix(space: SpaceId, partition: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(&space.0.to_be_bytes());
    out.extend_from_slice(&[0; HASH_LEN]);
    partition(&mut out);
    let hash = hash(out.get(ID_LEN + HASH_LEN..).unwrap_or_default());
    if let Some(slot) = out.get_mut(ID_LEN..ID_LEN + HASH_LEN) {
        slot.copy_from_slice(&hash.to_be_bytes());
    }
    out
}

/// The key of an item's index row. `None` if the item is not in the index.
pub(crate) fn index_key(
    index: SpaceId,
    schema: &KeySchema,
    item: ItemRef<'_>,
    item_key: &[u8],
) -> Option<Vec<u8>> {
    let key = schema.key_of_stored(item)?;
    let push = |values: &[ValueRef<'_>], out: &mut Vec<u8>| {
        values.iter().for_each(|value| key::push_stored(*value, out));
    };
    let mut out = prefix(index, |out| push(key.partition(), out));
    push(key.sort(), &mut out);
    push_item_key(item_key, &mut out);
    Some(out)
}

/// Appends an item's key to an index row's key, without the table and hash, which follow from the
/// rest.
pub(crate) fn push_item_key(item_key: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(item_key.get(ID_LEN + HASH_LEN..).unwrap_or_default());
}

/// The key of the item behind an index row. `None` if the row does not belong to this index.
pub(crate) fn item_key_of_index_row(
    table: SpaceId,
    table_key: &KeySchema,
    index_key_schema: &KeySchema,
    row: &[u8],
) -> Option<Vec<u8>> {
    let mut rest = row.get(ID_LEN + HASH_LEN..)?;
    for attribute in index_key_schema.attributes() {
        rest = rest.get(key::encoded_len(attribute.kind, rest)?..)?;
    }
    let partition_len = key::encoded_len(table_key.first().kind, rest)?;
    let mut out = Vec::with_capacity(ID_LEN + HASH_LEN + rest.len());
    out.extend_from_slice(&table.0.to_be_bytes());
    out.extend_from_slice(&hash(rest.get(..partition_len)?).to_be_bytes());
    out.extend_from_slice(rest);
    Some(out)
}

pub(crate) fn expiry_key(second: u64, item_key: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(SECOND_LEN + item_key.len());
    out.extend_from_slice(&second.to_be_bytes());
    out.extend_from_slice(item_key);
    out
}

/// Splits an expiry row's key into second, table and item key.
pub(crate) fn split_expiry_key(row: &[u8]) -> Option<(u64, SpaceId, &[u8])> {
    let (second, item_key) = row.split_first_chunk::<SECOND_LEN>()?;
    Some((u64::from_be_bytes(*second), space_of(item_key)?, item_key))
}

/// The table or index that a row belongs to.
pub(crate) fn space_of(row: &[u8]) -> Option<SpaceId> {
    row.first_chunk::<ID_LEN>().map(|id| SpaceId(u32::from_be_bytes(*id)))
}

pub(crate) fn all_of(space: SpaceId) -> Range<Vec<u8>> {
    let start = space.0.to_be_bytes().to_vec();
    // Ids are assigned one by one from zero, so there is always a next one.
    let end = space.0.saturating_add(1).to_be_bytes().to_vec();
    start..end
}

/// One segment of a table or an index: a range of hashes.
pub(crate) fn segment_of(space: SpaceId, segment: u32, total: u32) -> Range<Vec<u8>> {
    let all = all_of(space);
    let bound = |segment: u32| {
        let hash = (u64::from(segment) << 32) / u64::from(total.max(1));
        u32::try_from(hash).ok().map(|hash| {
            let mut out = space.0.to_be_bytes().to_vec();
            out.extend_from_slice(&hash.to_be_bytes());
            out
        })
    };
    bound(segment).unwrap_or_else(|| all.end.clone())
        ..bound(segment.saturating_add(1)).unwrap_or(all.end)
}

/// The first key after all keys with a prefix. `None` if there is none.
pub(crate) fn end_of_prefix(mut prefix: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = prefix.pop() {
        if let Some(next) = last.checked_add(1) {
            prefix.push(next);
            return Some(prefix);
        }
    }
    None
}

/// FNV-1a with a final mix, so that short keys spread over all segments. Part of the file format:
/// it must never change.
fn hash(bytes: &[u8]) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    ((hash ^ (hash >> 33)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_dynamo::schema::{KeyAttribute, KeyType};
    use singlet_dynamo::{Item, Value, binary};

    #[test]
    fn an_index_row_leads_to_its_item() {
        let table = SpaceId(7);
        let schema = |partition: &str, sort: Option<(&str, KeyType)>| {
            KeySchema::simple(
                KeyAttribute::new(partition, KeyType::S),
                sort.map(|(name, kind)| KeyAttribute::new(name, kind)),
            )
        };
        let item = Item::from([
            ("pk", Value::from("x\0")),
            ("text", Value::from("a\0b")),
            ("number", Value::from(-3)),
        ]);
        let bytes = binary::encode(&item);
        for (own, of_index) in [
            (schema("pk", None), schema("text", None)),
            (schema("pk", Some(("number", KeyType::N))), schema("text", None)),
            (
                schema("pk", Some(("text", KeyType::S))),
                schema("text", Some(("number", KeyType::N))),
            ),
        ] {
            let item_key = item_key(table, &own.key_of_item(&item).unwrap());
            let view = ItemRef::trusted(&bytes);
            let row = index_key(SpaceId(9), &of_index, view, &item_key).unwrap();
            assert_eq!(item_key_of_index_row(table, &own, &of_index, &row), Some(item_key.clone()));
            assert_eq!(index_key(SpaceId(9), &schema("absent", None), view, &item_key), None);
            assert_eq!(index_key(SpaceId(9), &schema("number", None), view, &item_key), None);
        }
    }

    #[test]
    fn segments_are_all_rows_once() {
        let space = SpaceId(3);
        for total in [1_u32, 2, 3, 7, 1_000_000] {
            let mut end = all_of(space).start;
            end.extend_from_slice(&[0; HASH_LEN]);
            for segment in 0..total {
                let range = segment_of(space, segment, total);
                assert_eq!(range.start, end);
                assert!(range.start < range.end);
                end = range.end;
            }
            assert_eq!(end, all_of(space).end);
        }
    }

    #[test]
    fn a_prefix_ends_before_what_does_not_begin_with_it() {
        assert_eq!(end_of_prefix(vec![1, 2]), Some(vec![1, 3]));
        assert_eq!(end_of_prefix(vec![1, 0xff, 0xff]), Some(vec![2]));
        assert_eq!(end_of_prefix(vec![0xff]), None);
        assert_eq!(end_of_prefix(vec![]), None);
    }

    #[test]
    fn hashes_never_change() {
        // Stored keys contain them: if this fails, existing folders become unreadable.
        assert_eq!(hash(b""), 0xecba_3df2);
        assert_eq!(hash(b"GAME#ABC123\0\0"), 0xfd95_018f);
    }
}
