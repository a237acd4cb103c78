//! What is wrong with a request, field by field.
//!
//! A type that comes from outside derives `Deserialize` and `JsonSchema`. The schema is shown on
//! the page about the interface, and is what requests are checked against: [`Validator`] is the
//! schema made ready for checking. So the page cannot promise what the check refuses, and the
//! caller hears of all faults at once. Rules that no schema can say are the system's own; it
//! reports them with the same [`FieldError`]s.

mod check;
mod shape;

pub use shape::Validator;
pub(crate) use shape::{integer_bounds, openapi_settings};

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
    shape: &Validator,
    place: FieldLocation,
) -> Result<T, Vec<FieldError>> {
    checked(&json, shape, place)?;
    // What no schema can say, such as the inner rules of a type's own Deserialize.
    match serde_path_to_error::deserialize(json) {
        Ok(value) => Ok(value),
        Err(error) => Err(told(error, place)),
    }
}

#[inline(never)]
fn checked(json: &Value, shape: &Validator, place: FieldLocation) -> Result<(), Vec<FieldError>> {
    let field_errors = shape.field_errors(json, place);
    match field_errors.is_empty() {
        true => Ok(()),
        false => Err(field_errors),
    }
}

#[inline(never)]
fn told(
    error: serde_path_to_error::Error<serde_json::Error>,
    place: FieldLocation,
) -> Vec<FieldError> {
    let mut pointer = String::new();
    for segment in error.path().iter() {
        use serde_path_to_error::Segment;
        match segment {
            Segment::Seq { index } => check::step(&mut pointer, &index.to_string()),
            Segment::Map { key } => check::step(&mut pointer, key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    vec![FieldError::new(place, pointer, error.into_inner().to_string())]
}
