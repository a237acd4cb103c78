//! Sizes and costs as in the developer guide.

use super::table::{Row, Table, is_row};
use singlet_dynamo::capacity::{ConsumedCapacity, ReturnConsumedCapacity};
use singlet_dynamo::schema::Index;
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, Value};

const KB: usize = 1024;

/// The size of an item: names and values.
pub(super) fn size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size(value)).sum()
}

fn value_size(value: &Value) -> usize {
    match value {
        Value::S(text) => text.len(),
        Value::N(number) => number_size(&number.to_string()),
        Value::B(bytes) => bytes.len(),
        Value::Bool(_) | Value::Null => 1,
        Value::M(map) => 3 + map.len() + size(map),
        Value::L(list) => 3 + list.iter().map(|value| 1 + value_size(value)).sum::<usize>(),
        Value::Ss(set) => set.iter().map(String::len).sum(),
        Value::Ns(set) => set.iter().map(|number| number_size(&number.to_string())).sum(),
        Value::Bs(set) => set.iter().map(Vec::len).sum(),
    }
}

/// A number takes one byte per two digits, plus one, plus one if negative. Digit pairs are counted
/// from the decimal point; leading and trailing pairs of zeros are free.
fn number_size(text: &str) -> usize {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (1, digits),
        None => (0, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut digits = format!("{whole}{fraction}");
    if whole.len() % 2 == 1 {
        digits.insert(0, '0');
    }
    if fraction.len() % 2 == 1 {
        digits.push('0');
    }
    let pairs: Vec<&str> = (0..digits.len()).step_by(2).map(|at| &digits[at..at + 2]).collect();
    let is_zero = |pair: &&&str| **pair == "00";
    let leading = pairs.iter().take_while(is_zero).count();
    let trailing = pairs[leading..].iter().rev().take_while(is_zero).count();
    pairs.len() - leading - trailing + 1 + sign
}

/// Half a unit per 4 KB, or one for a consistent read. Empty reads cost the minimum.
pub(super) fn read_units(size: usize, is_consistent: bool) -> f64 {
    let steps = size.div_ceil(4 * KB).max(1) as f64;
    if is_consistent { steps } else { steps / 2.0 }
}

fn write_units(size: usize) -> f64 {
    size.div_ceil(KB).max(1) as f64
}

/// Write units of the table: by the larger of the old and new item.
fn table_units(old: Option<&Item>, new: Option<&Item>) -> f64 {
    let size = |item: Option<&Item>| item.map_or(0, size);
    write_units(size(old).max(size(new)))
}

/// Write units of an index: a row that is added, removed or changed costs once, a moved row twice.
fn index_units(table: &Table, index: &Index, old: Option<&Item>, new: Option<&Item>) -> f64 {
    let row = |item: Option<&Item>| {
        item.filter(|item| is_row(index, item)).map(|item| Row::of(table, Some(index), item))
    };
    match (row(old), row(new)) {
        (None, None) => 0.0,
        (Some(row), None) | (None, Some(row)) => write_units(size(&row.held)),
        (Some(old), Some(new)) if old.key != new.key => {
            write_units(size(&old.held)) + write_units(size(&new.held))
        }
        (Some(old), Some(new)) if old.held == new.held => 0.0,
        (Some(old), Some(new)) => write_units(size(&old.held).max(size(&new.held))),
    }
}

/// The capacity of a write, if requested.
pub(super) fn of_write(
    table: &Table,
    detail: ReturnConsumedCapacity,
    old: Option<&Item>,
    new: Option<&Item>,
) -> Option<ConsumedCapacity> {
    let units = table_units(old, new);
    let mut consumed = ConsumedCapacity::new(table.name(), detail, units);
    add_indexes(&mut consumed, table, old, new);
    (detail != ReturnConsumedCapacity::None).then_some(consumed)
}

/// The capacity of a transactional write: double for the table, single for its indexes.
pub(super) fn of_transact_write(
    table: &Table,
    detail: ReturnConsumedCapacity,
    old: Option<&Item>,
    new: Option<&Item>,
) -> ConsumedCapacity {
    // Only `singlet_dynamo` can mark units as transactional; their number is computed here.
    let mut schema = table.schema();
    schema.indexes.clear();
    let (stored_old, stored_new) = (old.map(StoredItem::from), new.map(StoredItem::from));
    let mut consumed = ConsumedCapacity::of_transact_write(
        &schema,
        detail,
        stored_old.as_ref().map(StoredItem::as_item),
        stored_new.as_ref().map(StoredItem::as_item),
    );
    assert_eq!(consumed.total(), 2.0 * table_units(old, new), "{old:?} becomes {new:?}");
    add_indexes(&mut consumed, table, old, new);
    consumed
}

/// The capacity of a transactional read: twice a consistent read.
pub(super) fn of_transact_read(
    table_name: &str,
    detail: ReturnConsumedCapacity,
    item: Option<&Item>,
) -> ConsumedCapacity {
    let size = item.map_or(0, size);
    let consumed = ConsumedCapacity::of_transact_read(table_name, detail, size);
    assert_eq!(consumed.total(), 2.0 * read_units(size, true), "{item:?}");
    consumed
}

fn add_indexes(
    consumed: &mut ConsumedCapacity,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
) {
    for described in &table.description.indexes {
        let units = index_units(table, &described.index, old, new);
        if units > 0.0 {
            consumed.add_index(&described.index.name, described.index.scope, units);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_language() {
        for text in ["0", "7", "-7", "10", "100", "123.45", "-0.001", "1e40", "1.5e-20", "-99e3"] {
            let number = Value::N(text.parse().unwrap());
            assert_eq!(value_size(&number), number.size(), "{text}");
        }
    }
}
