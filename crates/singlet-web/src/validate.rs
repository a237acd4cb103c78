//! What is wrong with a request, field by field.
//!
//! A type that comes from outside derives `Deserialize` and `JsonSchema`. The schema is shown on
//! the page about the interface, and is what requests are checked against: [`Validator`] is the
//! schema made ready for checking. So the page cannot promise what the check refuses, and the
//! caller hears of all faults at once. Rules that no schema can say are the system's own; it
//! reports them with the same [`FieldError`]s.

mod check;
mod deserialize;
mod validator;

pub use validator::Validator;
pub(crate) use validator::{integer_bounds, openapi_settings};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// How many faults are reported at most: more help nobody, and an answer must stay small however
/// much nonsense the request holds.
pub const FIELD_ERRORS_MAX: usize = 20;

/// Where in a request a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FieldLocation {
    /// In the body; the field is a JSON pointer.
    Body,
    /// Behind the question mark; the field is the parameter's name.
    Query,
    /// In the path; the field is the parameter's name.
    Path,
    /// In the head; the field is the header's name.
    Header,
    /// In a message on a socket; the field is a JSON pointer.
    Message,
}

/// One field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// Where the field is.
    #[serde(rename = "in")]
    pub place: FieldLocation,
    /// Which field it is.
    pub field: String,
    /// What it must be.
    pub detail: Cow<'static, str>,
}

impl FieldError {
    /// A fault of this field.
    #[must_use]
    pub fn new(
        place: FieldLocation,
        field: impl Into<String>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { place, field: field.into(), detail: detail.into() }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            return write!(f, "the whole {}", self.detail);
        }
        write!(f, "{} {}", self.field, self.detail)
    }
}

/// Turns JSON into a value of the type, or says all that is wrong with it.
///
/// # Errors
///
/// The faults, [`FIELD_ERRORS_MAX`] of them at most.
pub fn read<T: DeserializeOwned>(
    json: Value,
    validator: &Validator,
    place: FieldLocation,
) -> Result<T, Vec<FieldError>> {
    validator.check(&json, place)?;
    read_checked(json, place)
}

/// The same for JSON that was checked against the type's schema. What no schema can say, such as the
/// inner rules of a type's own `Deserialize`, is found here.
pub(crate) fn read_checked<T: DeserializeOwned>(
    json: Value,
    place: FieldLocation,
) -> Result<T, Vec<FieldError>> {
    deserialize::from_value(json)
        .map_err(|(pointer, error)| vec![FieldError::new(place, pointer, error.to_string())])
}
