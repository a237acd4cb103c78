//! Checks how expressions use key attributes.

use super::{Action, Condition, Path, Projection, Update};
use crate::error::{Error, Result};
use crate::schema::{Index, KeyAttribute, KeySchema, TableSchema};
use crate::{Item, Value};

impl Condition {
    /// Refuses a path into a key attribute, which is never a document.
    pub fn check_keys(&self, schema: &TableSchema) -> Result<()> {
        let mut nested = NestedPaths::default();
        self.visit_paths(&mut |path| nested.note(path));
        nested.check(schema)
    }

    /// Refuses key attributes of the queried key in a filter. `filter` is the name in error
    /// messages: `Filter Expression` or `QueryFilter`.
    pub fn check_filter(&self, key: &KeySchema, filter: &str) -> Result<()> {
        let names = self.attribute_names();
        match key.attributes().find(|attribute| names.contains(&attribute.name.as_str())) {
            None => Ok(()),
            Some(attribute) => Err(Error::validation(format!(
                "{filter} can only contain non-primary key attributes: Primary key attribute: {}",
                attribute.name
            ))),
        }
    }
}

impl Projection {
    /// Refuses a path into a key attribute, which is never a document.
    pub fn check_keys(&self, schema: &TableSchema) -> Result<()> {
        let mut nested = NestedPaths::default();
        self.paths().iter().for_each(|path| nested.note(path));
        nested.check(schema)
    }
}

impl Update {
    /// Refuses changes of the primary key, values of the wrong type for an index key, and paths
    /// into a key attribute.
    pub fn check_keys(&self, schema: &TableSchema) -> Result<()> {
        for attribute in schema.key.attributes() {
            if self.actions().iter().any(|action| action.path().name() == attribute.name) {
                return Err(Error::invalid_parameter(format_args!(
                    "Cannot update attribute {}. This attribute is part of the key",
                    attribute.name
                )));
            }
        }
        schema.check_indexes(|index| {
            index.key.attributes().try_for_each(|attribute| self.check_type(index, attribute))
        })?;
        let mut nested = NestedPaths::default();
        self.visit_paths(&mut |path| nested.note(path));
        nested.check(schema)
    }

    /// Refuses a value of the wrong type for an index key.
    fn check_type(&self, index: &Index, KeyAttribute { name, kind }: &KeyAttribute) -> Result<()> {
        let actual = self
            .actions()
            .iter()
            .find(|action| action.path().is_attribute() && action.path().name() == name)
            .and_then(|action| match action {
                Action::Set(_, value) => value.known_type(),
                Action::Add(_, value) | Action::Delete(_, value) => Some(value.kind()),
                Action::Remove(_) => None,
            });
        match actual {
            Some(actual) if actual != (*kind).into() => {
                Err(Error::invalid_parameter(format_args!(
                    "Type mismatch for Index Key {name} Expected: {kind} Actual: {actual} IndexName: {}",
                    index.name
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an empty value in the request for an index key. Values from paths or defaults are
    /// only known with the item.
    pub(crate) fn check_not_empty(&self, schema: &TableSchema) -> Result<()> {
        for (_, KeyAttribute { name, kind }) in index_attributes(schema) {
            let empty = self.actions().iter().find_map(|action| match action {
                Action::Set(path, value) if path.is_attribute() && path.name() == name => value
                    .given()
                    .filter(|value| value.kind() == (*kind).into())
                    .and_then(empty_kind),
                _ => None,
            });
            if let Some(empty) = empty {
                return Err(empty_index_key(empty));
            }
        }
        Ok(())
    }

    /// Refuses a new item if the update gave an index key an invalid value.
    pub fn check_new(&self, new: &Item, schema: &TableSchema) -> Result<()> {
        for (_, KeyAttribute { name, kind }) in index_attributes(schema) {
            if !self.actions().iter().any(|action| action.path().name() == name) {
                continue;
            }
            let Some(value) = new.get(name) else { continue };
            if value.kind() != (*kind).into() {
                return Err(Error::validation(
                    "The update expression attempted to update the secondary index key to unsupported type",
                ));
            }
            if let Some(empty) = empty_kind(value) {
                return Err(empty_index_key(empty));
            }
        }
        schema.check_indexes(|index| index.check_item(new))
    }
}

/// The name of an empty value in error messages; `None` if it is not empty.
fn empty_kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::S(text) if text.is_empty() => Some("string"),
        Value::B(bytes) if bytes.is_empty() => Some("binary"),
        _ => None,
    }
}

fn empty_index_key(empty: &str) -> Error {
    Error::validation(format!(
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. \
         The AttributeValue for a key attribute cannot contain an empty {empty} value."
    ))
}

/// The key attributes of all indexes, with the index of each.
fn index_attributes(schema: &TableSchema) -> impl Iterator<Item = (&Index, &KeyAttribute)> {
    schema
        .indexes
        .iter()
        .flat_map(|index| index.key.attributes().map(move |attribute| (index, attribute)))
}

/// The names of attributes that an expression uses in part.
#[derive(Default)]
struct NestedPaths<'a>(Vec<&'a str>);

impl<'a> NestedPaths<'a> {
    fn note(&mut self, path: &'a Path) {
        if !path.is_attribute() {
            self.0.push(path.name());
        }
    }

    fn check(&self, schema: &TableSchema) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let refuse = |what: &str, name: &str| {
            Err(Error::validation(format!(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {what}: {name}"
            )))
        };
        let used = |attribute: &&KeyAttribute| self.0.contains(&attribute.name.as_str());
        if let Some(attribute) = schema.key.attributes().find(used) {
            return refuse("Key", &attribute.name);
        }
        match index_attributes(schema).map(|(_, attribute)| attribute).find(used) {
            Some(attribute) => refuse("IndexKey", &attribute.name),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Parameter, Placeholders};
    use crate::schema::{IndexProjection, KeyType, Scope};

    fn games() -> TableSchema {
        TableSchema {
            name: "games".into(),
            key: KeySchema::simple(KeyAttribute::new("pk", KeyType::S), None),
            indexes: vec![Index {
                name: "newest".into(),
                key: KeySchema::simple(KeyAttribute::new("day", KeyType::S), None),
                projection: IndexProjection::KeysOnly,
                scope: Scope::Global,
            }],
        }
    }

    fn update(text: &str) -> Update {
        // `day` is a reserved word, which does not matter here.
        let text = text.replace("day", "#d");
        let mut placeholders = Placeholders::of(&[("#d", "day")], [(":n", Value::from(1))]);
        Update::parse(&text, Parameter::UpdateExpression, &mut placeholders).unwrap()
    }

    #[test]
    fn an_update_cannot_change_keys_or_index_key_types() {
        let scalars = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ";
        let mismatch = "One or more parameter values were invalid: Type mismatch for Index Key day Expected: S Actual: N IndexName: newest";
        let key = "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key";
        for (text, expected) in [
            ("SET x = :n REMOVE pk.a", key.to_owned()),
            ("SET x = pk.a", format!("{scalars}Key: pk")),
            ("SET day.a = :n", format!("{scalars}IndexKey: day")),
            ("SET day = :n", mismatch.to_owned()),
            ("ADD day :n", mismatch.to_owned()),
            ("SET day = x - :n, y = pk[0]", mismatch.to_owned()),
        ] {
            let error = update(text).check_keys(&games()).unwrap_err();
            assert_eq!(error.message(), expected, "{text}");
        }
        update("SET day = x, y = pk REMOVE z").check_keys(&games()).unwrap();
    }

    #[test]
    fn an_update_must_leave_valid_index_keys() {
        let check = |text: &str, day: Value| {
            let new = Item::from([("pk", Value::from("a")), ("day", day)]);
            update(text).check_new(&new, &games()).map_err(|error| error.message().to_owned())
        };
        assert_eq!(
            check("SET day = x", Value::from(1)).unwrap_err(),
            "The update expression attempted to update the secondary index key to unsupported type"
        );
        assert_eq!(
            check("SET day = x", Value::from("")).unwrap_err(),
            "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. \
             The AttributeValue for a key attribute cannot contain an empty string value."
        );
        check("SET day = x", Value::from("2026-11-15")).unwrap();
    }
}
