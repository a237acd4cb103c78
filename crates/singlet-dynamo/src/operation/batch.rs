//! Requests by table, shared by BatchGetItem and BatchWriteItem.

use super::table_name::named_table;
use crate::arn::name_of_table;
use crate::constraint::{Constraints, Quoted};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Reader;
use crate::json::kept::KEPT_MAX;
use crate::schema::TableSchema;
use std::collections::HashMap;

/// The constraint on table names as map keys.
pub(super) const NAMES_CONSTRAINT: &str = "Map keys must satisfy constraint: [Member must have length less than or equal to 255, \
     Member must have length greater than or equal to 3, \
     Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]";

/// `RequestItems`, unchecked: the requests of each table, by its name or ARN.
pub(super) struct TablesBody<'j, T> {
    /// The first [`KEPT_MAX`] tables: more than a batch may have, so longer lists are refused.
    tables: Vec<(String, T)>,
    /// The member's text, which the service quotes when a name is invalid.
    text: &'j str,
}

impl<'j, T> TablesBody<'j, T> {
    /// Reads the member. `class` is the Java class of a table's requests.
    pub(super) fn read(
        reader: &mut Reader<'j>,
        class: &str,
        mut read: impl FnMut(&mut Reader<'j>) -> Result<T>,
    ) -> Result<Option<Self>> {
        // Of two members with the same name the later one counts, at its own position; the slot of
        // the other stays empty. Most batches have one table and need no index of positions.
        let mut tables: Vec<Option<(String, T)>> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let (found, text) = reader.with_text(|reader| {
            reader.map(class, |reader, name| {
                let asked = read(reader)?;
                if places.len() >= KEPT_MAX && !places.contains_key(&*name) {
                    return Ok(());
                }
                if places.is_empty() || tables.len() >= 2 * KEPT_MAX {
                    tables.retain(Option::is_some);
                    let names = tables.iter().flatten().map(|(name, _)| name.clone());
                    places = names.zip(0..).collect();
                }
                let name = name.into_owned();
                if !tables.is_empty()
                    && let Some(earlier) = places.insert(name.clone(), tables.len())
                {
                    tables.get_mut(earlier).map(Option::take);
                }
                tables.push(Some((name, asked)));
                Ok(())
            })
        })?;
        #[expect(clippy::filter_map_identity, reason = "unlike flatten, it needs no second vector")]
        let tables = tables.into_iter().filter_map(|table| table).collect();
        Ok(found.then_some(Self { tables, text }))
    }

    /// The names or ARNs, with the requests of each.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &(String, T)> {
        self.tables.iter()
    }

    /// Adds a violation if a name is invalid.
    pub(super) fn constrain_names(&self, constraints: &mut Constraints) {
        if self.tables.iter().any(|(name, _)| named_table(name.clone()).is_err()) {
            constraints.violate(Quoted(self.text), "requestItems", NAMES_CONSTRAINT);
        }
    }

    /// Checks the names or ARNs and returns them with their requests.
    pub(super) fn into_named(self) -> Result<Vec<(String, T)>> {
        let mut named: Vec<(String, T)> = Vec::with_capacity(self.tables.len());
        for (name_or_arn, asked) in self.tables {
            let name_or_arn = named_table(name_or_arn)?;
            let name = name_of_table(&name_or_arn);
            if named.iter().any(|(before, _)| name_of_table(before) == name) {
                // Once by name and once by ARN.
                return Err(Error::invalid_parameter(format_args!(
                    "The table {name} is named more than once"
                )));
            }
            named.push((name_or_arn, asked));
        }
        Ok(named)
    }
}

/// The schema of a table named in a batch or transaction; `tables` looks it up by name.
pub(super) fn find_table<'s>(
    tables: &impl Fn(&str) -> Option<&'s TableSchema>,
    name_or_arn: &str,
) -> Result<&'s TableSchema> {
    tables(name_of_table(name_or_arn)).ok_or_else(|| Error::new(ErrorKind::ResourceNotFound))
}

/// Whether all keys, given in encoded form, are distinct.
pub(super) fn are_distinct<K: Ord>(mut encoded: Vec<K>) -> bool {
    encoded.sort_unstable();
    encoded.is_sorted_by(|a, b| a < b)
}

/// Refuses duplicate keys.
pub(super) fn check_distinct<K: Ord>(encoded: Vec<K>) -> Result<()> {
    if are_distinct(encoded) {
        return Ok(());
    }
    Err(Error::validation("Provided list of item keys contains duplicates"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> TablesBody<'_, i64> {
        let mut reader = Reader::new(json.as_bytes()).unwrap();
        let read = |reader: &mut Reader<'_>| Ok(reader.integer("Integer")?.unwrap_or_default());
        TablesBody::read(&mut reader, "java.lang.Integer", read).unwrap().unwrap()
    }

    #[test]
    fn a_table_is_named_once() {
        assert_eq!(
            read(r#"{"games": 1, "players": 2, "games": 3}"#).into_named().unwrap(),
            [("players".to_owned(), 2), ("games".to_owned(), 3)]
        );
        let arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/games";
        let twice = format!(r#"{{"games": 1, "{arn}": 2}}"#);
        assert_eq!(
            read(&twice).into_named().unwrap_err().message(),
            "One or more parameter values were invalid: The table games is named more than once"
        );
        assert_eq!(
            read(&format!(r#"{{"{arn}": 1}}"#)).into_named().unwrap(),
            [(arn.to_owned(), 1)]
        );
    }

    #[test]
    fn more_tables_than_a_batch_may_have_are_not_kept() {
        let tables = |count: usize, name: fn(usize) -> String| {
            let all: Vec<String> = (0..count).map(|i| format!(r#""{}":{i}"#, name(i))).collect();
            format!("{{{}}}", all.join(","))
        };
        let many = tables(1000, |i| format!("table{i}"));
        assert_eq!(read(&many).iter().len(), KEPT_MAX);
        let few = tables(1000, |i| format!("table{}", i % 2));
        assert_eq!(
            read(&few).into_named().unwrap(),
            [("table0".to_owned(), 998), ("table1".to_owned(), 999)]
        );
    }

    #[test]
    fn invalid_names_are_quoted() {
        let mut constraints = Constraints::default();
        read(r#" {"games": 1} "#).constrain_names(&mut constraints);
        read(r#" {"a!": 1} "#).constrain_names(&mut constraints);
        let error = constraints.finish().unwrap_err();
        assert!(
            error
                .message()
                .starts_with(r#"1 validation error detected: Value '{"a!": 1}' at 'requestItems'"#),
            "{error}"
        );
    }
}
