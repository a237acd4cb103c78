//! Estimates the work to encode an item, and the memory of decoded values.

use crate::binary::{MapRef, ValueRef};
use crate::{Map, Number, Value};

/// The charge for encoding one value.
const ENCODED_FUEL: usize = 20;
/// The allocator's overhead for a string.
const ALLOCATION_BYTES: usize = 16;

impl Map {
    /// The charge for encoding the item with everything in it; `None` if it exceeds `max`. Stops as
    /// soon as it does.
    ///
    /// ```
    /// use singlet_dynamo::{Item, Value};
    ///
    /// let item = Item::from([("list", Value::L(vec![Value::Null; 1000]))]);
    /// assert!(item.encoding_fuel(usize::MAX).is_some_and(|fuel| fuel > 1000));
    /// assert_eq!(item.encoding_fuel(1000), None);
    /// ```
    #[must_use]
    pub fn encoding_fuel(&self, max: usize) -> Option<usize> {
        rest_after_map(self, max).map(|rest| max - rest)
    }
}

/// The charge for encoding these items; `None` if it exceeds `max`.
pub(crate) fn encoding_fuel<'i>(
    mut items: impl Iterator<Item = &'i Map>,
    max: usize,
) -> Option<usize> {
    items.try_fold(max, |rest, item| rest_after_map(item, rest)).map(|rest| max - rest)
}

/// The fuel left after encoding a map, if it suffices.
pub(crate) fn rest_after_map(map: &Map, fuel: usize) -> Option<usize> {
    map.iter().try_fold(fuel, |fuel, (name, value)| {
        let fuel = fuel.checked_sub(ENCODED_FUEL + name.len() / 8)?;
        match value {
            // The most common types, without a call.
            Value::S(text) => fuel.checked_sub(text.len() / 8),
            Value::N(_) | Value::Bool(_) | Value::Null => Some(fuel),
            nested => rest_after(nested, fuel),
        }
    })
}

/// Like [`rest_after_map`], for a value.
pub(crate) fn rest_after(value: &Value, fuel: usize) -> Option<usize> {
    let elements = |count: usize| fuel.checked_sub(count * ENCODED_FUEL);
    match value {
        Value::S(text) => fuel.checked_sub(text.len() / 8),
        Value::B(bytes) => fuel.checked_sub(bytes.len() / 8),
        Value::N(_) | Value::Bool(_) | Value::Null => Some(fuel),
        Value::M(map) => rest_after_map(map, fuel),
        Value::L(values) => values
            .iter()
            .try_fold(fuel, |fuel, value| rest_after(value, fuel.checked_sub(ENCODED_FUEL)?)),
        // The count comes first, so that a large set is not walked.
        Value::Ss(set) => {
            elements(set.len())?.checked_sub(set.iter().map(String::len).sum::<usize>() / 8)
        }
        Value::Ns(set) => elements(set.len()),
        Value::Bs(set) => {
            elements(set.len())?.checked_sub(set.iter().map(Vec::len).sum::<usize>() / 8)
        }
    }
}

/// Approximate heap size of a value.
pub(crate) fn heap_bytes(value: &Value) -> usize {
    match value {
        Value::S(text) => ALLOCATION_BYTES + text.len(),
        Value::B(bytes) => ALLOCATION_BYTES + bytes.len(),
        Value::N(_) | Value::Bool(_) | Value::Null => 0,
        Value::M(map) => {
            map.iter().map(|(name, value)| entry_bytes(name) + heap_bytes(value)).sum()
        }
        Value::L(values) => {
            size_of::<Value>() * values.len() + values.iter().map(heap_bytes).sum::<usize>()
        }
        Value::Ss(set) => set.iter().map(|text| element_bytes(text.len())).sum(),
        Value::Ns(set) => size_of::<Number>() * set.len(),
        Value::Bs(set) => set.iter().map(|bytes| element_bytes(bytes.len())).sum(),
    }
}

/// Approximate heap size of a stored item when decoded.
pub(crate) fn tree_bytes(map: MapRef<'_>) -> usize {
    map.iter().map(|(name, value)| entry_bytes(name) + stored_tree_bytes(value)).sum()
}

fn stored_tree_bytes(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::S(_) | ValueRef::B(_) => ALLOCATION_BYTES + value.body().len(),
        ValueRef::N(_) | ValueRef::Bool(_) | ValueRef::Null => 0,
        ValueRef::M(map) => tree_bytes(map),
        ValueRef::L(list) => {
            list.iter().map(|value| size_of::<Value>() + stored_tree_bytes(value)).sum()
        }
        ValueRef::Ns(set) => size_of::<Number>() * set.len(),
        ValueRef::Ss(set) | ValueRef::Bs(set) => set.len() * element_bytes(0) + value.body().len(),
    }
}

fn entry_bytes(name: &str) -> usize {
    size_of::<(String, Value)>() + ALLOCATION_BYTES + name.len()
}

/// Memory of a string or binary in a set.
fn element_bytes(len: usize) -> usize {
    size_of::<String>() + ALLOCATION_BYTES + len
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Item, Set, binary};

    #[test]
    fn nested_values_are_charged_like_flat_ones() {
        let list = |count| Value::L(vec![Value::from("a"); count]);
        let fuel = |value: Value| Item::from([("a", value)]).encoding_fuel(usize::MAX).unwrap();
        let flat: Item = (0..1000).map(|n| (format!("{n}"), Value::from("a"))).collect();
        let flat = flat.encoding_fuel(usize::MAX).unwrap();
        let strings = Set::new((0..1000).map(|n| n.to_string()).collect()).unwrap();
        for nested in [
            fuel(list(1000)),
            fuel(Value::L(vec![list(100); 10])),
            fuel(Value::M(Item::from([("m", list(1000))]))),
            fuel(Value::Ss(strings)),
        ] {
            assert!(nested >= flat, "{nested} {flat}");
        }
        // A string is copied in one piece.
        assert!(fuel(Value::from("a".repeat(1000))) < flat / 10);
    }

    #[test]
    fn the_heap_size_of_a_stored_item_is_estimated() {
        let strings = Set::new((0..50).map(|n| n.to_string()).collect()).unwrap();
        let item = Item::from([
            ("list", Value::L(vec![Value::from("abc"); 100])),
            ("map", Value::M(Item::from([("n", Value::from(1)), ("b", Value::B(vec![1, 2]))]))),
            ("set", Value::Ss(strings)),
        ]);
        let made = heap_bytes(&Value::M(item.clone()));
        let told = tree_bytes(binary::ItemRef::trusted(&binary::encode(&item)));
        assert!(told >= made && told < made + 200, "{told} {made}");
    }
}
