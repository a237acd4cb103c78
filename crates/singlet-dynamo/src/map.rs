//! Attributes by name: an item, or a value of type M.

use crate::Value;
use std::fmt;

/// Attributes by name, sorted by name.
///
/// Items are small, so a sorted list of pairs is faster and smaller than a tree. Sorting also gives
/// equal maps equal encodings.
///
/// ```
/// use singlet_dynamo::{Map, Value};
///
/// let mut game = Map::new();
/// game.insert("PK", Value::from("GAME#ABC123"));
/// game.insert("SK", Value::from("METADATA"));
/// assert_eq!(game.insert("SK", Value::from("PLAYER#1")), Some(Value::from("METADATA")));
/// assert_eq!(game.len(), 2);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Map {
    entries: Vec<(String, Value)>,
}

/// An item of a table.
pub type Item = Map;

impl Map {
    /// No attributes.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// A map of these entries in any order. Of two entries with the same name the later one counts,
    /// as in the service.
    #[must_use]
    pub fn from_entries(mut entries: Vec<(String, Value)>) -> Self {
        if !entries.is_sorted_by(|(a, _), (b, _)| a < b) {
            // Stable, so that entries with the same name keep their order.
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            entries.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    std::mem::swap(&mut later.1, &mut earlier.1);
                }
                same
            });
        }
        Self { entries }
    }

    #[inline]
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(own, _)| own.as_str().cmp(name))
    }

    /// The attribute of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let place = self.find(name).ok()?;
        self.entries.get(place).map(|(_, value)| value)
    }

    /// The attribute of this name, mutable.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let place = self.find(name).ok()?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Whether there is an attribute of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Sets an attribute and returns its old value.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) -> Option<Value> {
        let name = name.into();
        match self.find(&name) {
            Ok(place) => self.entries.get_mut(place).map(|(_, own)| std::mem::replace(own, value)),
            Err(place) => {
                self.entries.insert(place, (name, value));
                None
            }
        }
    }

    /// Removes an attribute.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let place = self.find(name).ok()?;
        Some(self.entries.remove(place).1)
    }

    /// Keeps only the attributes for which the function returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Value) -> bool) {
        self.entries.retain(|(name, value)| keep(name, value));
    }

    /// The attributes, ordered by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> + DoubleEndedIterator {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The number of attributes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl FromIterator<(String, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(entries: I) -> Self {
        Self::from_entries(entries.into_iter().collect())
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Map {
    fn from(entries: [(&str, Value); N]) -> Self {
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_of_two_entries_counts() {
        let entry = |name: &str, value: i64| (name.to_owned(), Value::from(value));
        let map = Map::from_entries(vec![
            entry("b", 1),
            entry("a", 2),
            entry("b", 3),
            entry("a", 4),
            entry("b", 5),
        ]);
        assert_eq!(map, Map::from([("a", Value::from(4)), ("b", Value::from(5))]));
    }

    #[test]
    fn names_stay_in_order_of_their_bytes() {
        let mut map = Map::new();
        for name in ["é", "z", "Z", "", "a"] {
            map.insert(name, Value::Null);
        }
        assert_eq!(map.iter().map(|(n, _)| n).collect::<Vec<_>>(), ["", "Z", "a", "z", "é"]);
        assert_eq!(map.remove("z"), Some(Value::Null));
        assert!(!map.contains("z"));
    }
}
