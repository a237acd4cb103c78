//! A legacy parameter: a bounded map by attribute name.

use crate::error::{Error, Result};
use crate::expression::PLACEHOLDERS_SIZE_MAX;
use crate::json::Reader;
use crate::json::value::Budget;
use std::collections::BTreeMap;

/// Maximum number of attributes in one parameter. The service has no known limit; here each takes
/// several hundred bytes, and a body of 16 MB has room for two million.
const ATTRIBUTES_MAX: usize = 10_000;

/// The cost of each value of an `AttributeValueList` in addition to its size: roughly its memory.
pub(super) const VALUE_COST: usize = 64;

/// A parameter's entries by attribute name.
pub(super) struct ByName<T> {
    parameter: &'static str,
    entries: BTreeMap<String, T>,
    /// Whether entries were dropped.
    is_cut: bool,
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self { parameter: "", entries: BTreeMap::new(), is_cut: false }
    }
}

impl<T> ByName<T> {
    /// Reads the parameter of this name; `class` is the Java class of an entry. Names and values
    /// have the same size limits as in expressions.
    pub(super) fn read<'j>(
        reader: &mut Reader<'j>,
        parameter: &'static str,
        class: &str,
        mut read: impl FnMut(&mut Reader<'j>, &mut Budget) -> Result<T>,
    ) -> Result<Option<Self>> {
        let mut by_name = Self { parameter, ..Self::default() };
        let mut budget = Budget::new(PLACEHOLDERS_SIZE_MAX);
        let found = reader.map(class, |reader, name| {
            budget.spend(|| name.len());
            let said = read(reader, &mut budget)?;
            by_name.is_cut |= by_name.entries.len() >= ATTRIBUTES_MAX || !budget.keeps();
            if !by_name.is_cut {
                by_name.entries.insert(name.into_owned(), said);
            }
            Ok(())
        })?;
        Ok(found.then_some(by_name))
    }

    /// The number of attributes.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut T)> {
        self.entries.iter_mut()
    }

    /// The entries, ordered by name; an error if the parameter was too large to keep.
    pub(super) fn into_entries(self) -> Result<impl Iterator<Item = (String, T)>> {
        if self.is_cut {
            return Err(Error::validation(format!("{} exceeds max size", self.parameter)));
        }
        Ok(self.entries.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(count: usize) -> ByName<bool> {
        let entries: Vec<String> = (0..count).map(|i| format!(r#""{i}":true"#)).collect();
        let json = format!("{{{}}}", entries.join(","));
        let mut reader = Reader::new(json.as_bytes()).unwrap();
        let read = |reader: &mut Reader<'_>, _: &mut Budget| Ok(reader.boolean()?.unwrap_or(false));
        ByName::read(&mut reader, "Expected", "java.lang.Boolean", read).unwrap().unwrap()
    }

    #[test]
    fn too_many_attributes_are_refused() {
        assert_eq!(read(ATTRIBUTES_MAX).into_entries().unwrap().count(), ATTRIBUTES_MAX);
        let error = read(ATTRIBUTES_MAX + 1).into_entries().err().unwrap();
        assert_eq!(error.message(), "Expected exceeds max size");
    }
}
