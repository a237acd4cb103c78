//! Request validation with errors per field.
//!
//! Input types derive `Deserialize` and `JsonSchema`. The schema is published in the API document,
//! and [`Validator`] checks requests against it and reports all errors at once. Rules beyond a
//! schema belong to the system, which reports them with the same [`FieldError`]s.

mod check;
mod deserialize;
mod field;
mod json;
mod validator;

pub use field::{Distinct, PlannedTime};
pub(crate) use json::parse;
pub use validator::Validator;
pub(crate) use validator::{integer_bounds, openapi_settings};

use crate::problem::Problem;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// Maximum number of reported errors, to keep the response small.
pub const FIELD_ERRORS_MAX: usize = 20;

/// Where in a request a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FieldLocation {
    /// In the body; the field is a JSON pointer.
    Body,
    /// In the query; the field is the parameter's name.
    Query,
    /// In the path; the field is the parameter's name.
    Path,
    /// A header; the field is its name.
    Header,
    /// In a message on a socket; the field is a JSON pointer.
    Message,
}

/// A field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// Where the field is.
    #[serde(rename = "in")]
    pub place: FieldLocation,
    /// The field.
    pub field: String,
    /// The rule that the field breaks.
    pub detail: Cow<'static, str>,
}

impl FieldError {
    /// An error in this field.
    #[must_use]
    pub fn new(
        place: FieldLocation,
        field: impl Into<String>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { place, field: field.into(), detail: detail.into() }
    }

    /// An error at a JSON pointer. Parameters are identified by name, members by pointer.
    fn at(place: FieldLocation, pointer: &str, detail: impl Into<Cow<'static, str>>) -> Self {
        let field = match place {
            FieldLocation::Body | FieldLocation::Message => pointer,
            _ => pointer.trim_start_matches('/'),
        };
        Self::new(place, field, detail)
    }

    fn pointer(&self) -> Cow<'_, str> {
        match self.place {
            FieldLocation::Body | FieldLocation::Message => Cow::Borrowed(&self.field),
            _ => Cow::Owned(format!("/{}", self.field)),
        }
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

/// Collects the fields of a body that break rules beyond its schema, so that they are reported
/// together.
///
/// ```
/// use singlet_web::validate::FieldErrors;
///
/// let mut errors = FieldErrors::default();
/// errors.add("/endsOn", "must not be before startsOn");
/// errors.add("/teams", "must have three entries");
/// assert_eq!(errors.refuse().unwrap_err().field_errors().len(), 2);
/// assert!(FieldErrors::default().refuse().is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// Adds an error at a JSON pointer.
    pub fn add(&mut self, field: impl Into<String>, detail: impl Into<Cow<'static, str>>) {
        if self.0.len() < FIELD_ERRORS_MAX {
            self.0.push(FieldError::new(FieldLocation::Body, field, detail));
        }
    }

    /// Adds the error if the field breaks the rule.
    pub fn add_if(&mut self, is_broken: bool, field: &str, detail: &'static str) {
        if is_broken {
            self.add(field, detail);
        }
    }

    /// Refuses the request if there are errors.
    ///
    /// # Errors
    ///
    /// [`INVALID`](crate::problem::INVALID) with all of them.
    pub fn refuse(self) -> Result<(), Problem> {
        if self.0.is_empty() { Ok(()) } else { Err(Problem::invalid(self.0)) }
    }
}

/// Deserializes JSON, or reports all errors of its schema and of the field types.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
/// use singlet_web::text::CleanText;
/// use singlet_web::validate::{FieldError, FieldLocation, Validator, read};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Player {
///     name: CleanText<20>,
///     number: u8,
///     teams: Vec<CleanText<20>>,
/// }
///
/// let json = json!({"name": "\u{200b}", "number": 300, "teams": ["Kettles", " "]});
/// let refused = read::<Player>(&json, &Validator::of::<Player>(), FieldLocation::Body).err().unwrap();
/// let refused: Vec<String> = refused.iter().map(FieldError::to_string).collect();
/// let expected =
///     ["/number must be at most 255", "/name must not be blank", "/teams/1 must not be blank"];
/// assert_eq!(refused, expected);
/// ```
///
/// # Errors
///
/// The errors, at most [`FIELD_ERRORS_MAX`].
pub fn read<T: DeserializeOwned>(
    json: &Value,
    validator: &Validator,
    place: FieldLocation,
) -> Result<T, Vec<FieldError>> {
    read_checked(json, validator.field_errors(json, place), place)
}

/// The same for JSON already checked against the schema, with the errors found.
pub(crate) fn read_checked<T: DeserializeOwned>(
    json: &Value,
    field_errors: Vec<FieldError>,
    place: FieldLocation,
) -> Result<T, Vec<FieldError>> {
    let faulty = field_errors.iter().map(|error| error.pointer().into_owned()).collect();
    deserialize::from_value(json, faulty).map_err(|refusals| {
        let refusals = refusals.into_iter();
        let refusals = refusals.map(|(pointer, detail)| FieldError::at(place, &pointer, detail));
        field_errors.into_iter().chain(refusals).take(FIELD_ERRORS_MAX).collect()
    })
}
