//! Fields of a PATCH: left out, null, or a value.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// A PATCH of an optional field: absent keeps it, null removes it, a value sets it.
///
/// ```
/// use singlet_web::api::Change;
///
/// #[derive(serde::Deserialize)]
/// struct UpdateTeam {
///     #[serde(default)]
///     motto: Change<String>,
/// }
///
/// let motto = Some("Onwards".to_owned());
/// let read = |json| serde_json::from_str::<UpdateTeam>(json).unwrap().motto;
/// assert_eq!(read("{}").apply(motto.clone()), motto);
/// assert_eq!(read(r#"{"motto": null}"#).apply(motto.clone()), None);
/// assert_eq!(read(r#"{"motto": "Up"}"#).apply(motto), Some("Up".to_owned()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The field is absent.
    #[default]
    Keep,
    /// The field is null.
    Remove,
    /// The field has this value.
    Set(T),
}

impl<T> Change<T> {
    /// The value after the change.
    #[must_use]
    pub fn apply(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Remove => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The same change with the value converted by `f`.
    ///
    /// ```
    /// use singlet_web::api::Change;
    ///
    /// let change = Change::Set("Onwards").map(str::to_owned);
    /// assert_eq!(change.apply(None), Some("Onwards".to_owned()));
    /// ```
    #[must_use]
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Keep => Change::Keep,
            Self::Remove => Change::Remove,
            Self::Set(value) => Change::Set(f(value)),
        }
    }

    /// Whether the field is present.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !matches!(self, Self::Keep)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Remove, Self::Set))
    }
}

/// The schema of an optional value.
impl<T: JsonSchema> JsonSchema for Change<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[derive(Deserialize, JsonSchema)]
    struct Update {
        #[serde(default)]
        number: Change<u8>,
    }

    #[test]
    fn left_out_null_and_a_value_are_three_things() {
        let read = |json: Value| serde_json::from_value::<Update>(json).map(|read| read.number);
        assert_eq!(read(json!({})).ok(), Some(Change::Keep));
        assert_eq!(read(json!({"number": null})).ok(), Some(Change::Remove));
        assert_eq!(read(json!({"number": 7})).ok(), Some(Change::Set(7)));
        assert!(read(json!({"number": "7"})).is_err());
        assert!(!Change::<u8>::Keep.is_given() && Change::<u8>::Remove.is_given());
    }

    #[test]
    fn the_schema_takes_null_and_does_not_require_the_field() {
        let schema = serde_json::to_value(schemars::schema_for!(Update)).unwrap_or_default();
        let kind = schema.pointer("/properties/number/type");
        assert_eq!(kind, Some(&json!(["integer", "null"])), "{schema}");
        assert_eq!(schema.get("required"), None);
    }
}
