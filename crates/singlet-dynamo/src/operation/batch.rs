//! What BatchGetItem and BatchWriteItem share: requests by table.

use super::table_name::named_table;
use crate::arn::name_of_table;
use crate::constraint::{Constraints, Quoted};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Reader;
use crate::json::kept::KEPT_MAX;
use crate::schema::TableSchema;
use std::collections::HashMap;

/// What the names of tables must be, which are the keys of a map.
pub(super) const NAMES_CONSTRAINT: &str = "Map keys must satisfy constraint: [Member must have length less than or equal to 255, \
     Member must have length greater than or equal to 3, \
     Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]";

/// `RequestItems` as it stands in the body: what is asked of each table, by its name or ARN.
pub(super) struct TablesBody<'j, T> {
    /// The first [`KEPT_MAX`] tables: more than a batch may have, so that others are refused.
    tables: Vec<(String, T)>,
    /// The member's text, which the service repeats when a name is wrong.
    text: &'j str,
}

impl<'j, T> TablesBody<'j, T> {
    /// Reads the member. `class` is the Java class of what is asked of a table.
    pub(super) fn read(
        reader: &mut Reader<'j>,
        class: &str,
        mut read: impl FnMut(&mut Reader<'j>) -> Result<T>,
    ) -> Result<Option<Self>> {
        // Of two members with one name the later counts, and stands where it stands; the place of
        // the other is left empty. Most batches have one table, of which no place need be known.
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

    /// The names or ARNs, with what is asked of each.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &(String, T)> {
        self.tables.iter()
    }

    /// Adds a violation if a name can be no table's.
    pub(super) fn constrain_names(&self, constraints: &mut Constraints) {
        if self.tables.iter().any(|(name, _)| named_table(name.clone()).is_err()) {
            constraints.violate(Quoted(self.text), "requestItems", NAMES_CONSTRAINT);
        }
    }

    /// The tables' names or ARNs, after they were checked, with what is asked of each.
    pub(super) fn into_named(self) -> Result<Vec<(String, T)>> {
        let mut named: Vec<(String, T)> = Vec::with_capacity(self.tables.len());
        for (name_or_arn, asked) in self.tables {
            let name_or_arn = named_table(name_or_arn)?;
            let name = name_of_table(&name_or_arn);
            if named.iter().any(|(before, _)| name_of_table(before) == name) {
                // By its name and by its ARN.
                return Err(Error::invalid_parameter(format_args!(
                    "The table {name} is named more than once"
                )));
            }
            named.push((name_or_arn, asked));
        }
        Ok(named)
    }
}

/// The schema of a table that a batch or a transaction names; `tables` knows them by name.
pub(super) fn find_table<'s>(
    tables: &impl Fn(&str) -> Option<&'s TableSchema>,
    name_or_arn: &str,
) -> Result<&'s TableSchema> {
    tables(name_of_table(name_or_arn)).ok_or_else(|| Error::new(ErrorKind::ResourceNotFound))
}

/// Whether no two keys are the same; they come encoded.
pub(super) fn are_distinct(mut encoded: Vec<Vec<u8>>) -> bool {
    encoded.sort_unstable();
    encoded.is_sorted_by(|a, b| a < b)
}

/// Refuses keys of which two are the same.
pub(super) fn check_distinct(encoded: Vec<Vec<u8>>) -> Result<()> {
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
    fn the_text_of_wrong_names_is_repeated() {
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
