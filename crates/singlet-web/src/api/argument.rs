//! Arguments of route functions.

use super::operation::Operation;
use super::path::Path;
use super::route::Contract;
use crate::problem::{INTERNAL, MALFORMED, Problem, TOO_LARGE, UNSUPPORTED_TYPE};
use crate::validate::{self, FieldError, FieldLocation};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{Extensions, Uri};
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use singlet::backend::BoxFuture;
use std::any::TypeId;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// Errors quote this much of an unknown parameter's name.
const NAME_CHARS_MAX: usize = 40;

/// An argument of a route's function: extracted from the request, and described in OpenAPI.
pub trait Argument {
    /// Adds the argument's parameters, body and problems to the operation.
    fn describe(operation: &mut Operation<'_>);
}

/// Not part of the request.
impl<S> Argument for State<S> {
    fn describe(_: &mut Operation<'_>) {}
}

/// A JSON body that matches the type's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<T>(pub T);

/// The query parameters, one per field. Parameters unknown to the route are rejected, because
/// silently ignoring a typo gives wrong results.
#[derive(Clone, Debug, PartialEq)]
pub struct Query<T>(pub T);

macro_rules! deref {
    ($($name:ident)+) => {
        $(
            impl<T> Deref for $name<T> {
                type Target = T;

                fn deref(&self) -> &T {
                    &self.0
                }
            }
        )+
    };
}

deref!(Body Path Query);

impl<T: JsonSchema> Argument for Body<T> {
    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schema::<T>();
        operation.takes(&schema);
    }
}

impl<T, S> FromRequest<S> for Body<T>
where
    T: DeserializeOwned + JsonSchema,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (json, errors) = read_json(request).await?;
        let value = validate::read_checked(&json, errors, FieldLocation::Body);
        value.map(Self).map_err(Problem::invalid)
    }
}

/// JSON and its schema errors.
type CheckedJson = (Value, Vec<FieldError>);

/// Reads a JSON body. Boxed, so that it is compiled once.
#[inline(never)]
fn read_json(request: Request) -> BoxFuture<'static, Result<CheckedJson, Problem>> {
    Box::pin(async move {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(is_json) {
            return Err(Problem::new(&UNSUPPORTED_TYPE));
        }
        let contract = contract(request.extensions())?;
        let bytes = read_body(request).await?;
        let parsed = validate::parse(&bytes, FieldLocation::Body);
        let (json, mut errors) = parsed.map_err(|error| {
            Problem::new(&MALFORMED).detail(format!("the body is not JSON: {error}"))
        })?;
        let validator = contract.validators.body.as_ref().ok_or_else(undescribed)?;
        errors.extend(validator.field_errors(&json, FieldLocation::Body));
        Ok((json, errors))
    })
}

/// Reads the body, up to the size limit.
#[inline(never)]
pub(crate) fn read_body(request: Request) -> BoxFuture<'static, Result<Bytes, Problem>> {
    Box::pin(async move {
        Bytes::from_request(request, &()).await.map_err(|rejection| match rejection {
            BytesRejection::FailedToBufferBody(error)
                if error.status().as_u16() == TOO_LARGE.status =>
            {
                Problem::new(&TOO_LARGE)
            }
            _ => Problem::new(&MALFORMED).detail("the body ended early"),
        })
    })
}

fn is_json(kind: &str) -> bool {
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

impl<T: DeserializeOwned + JsonSchema + 'static> Argument for Query<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.query::<T, T>();
    }
}

impl<T, S> FromRequestParts<S> for Query<T>
where
    T: DeserializeOwned + JsonSchema + 'static,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        read_query::<T, T>(parts).map(Self)
    }
}

/// Reads a value described by `T` from the query. Parameters of other arguments are checked too, and
/// unknown ones are rejected, so that a response has all errors of the query.
pub(super) fn read_query<T, V>(parts: &Parts) -> Result<V, Problem>
where
    T: JsonSchema + 'static,
    V: DeserializeOwned,
{
    let (json, errors) = query_to_json(parts, TypeId::of::<T>())?;
    let read = validate::read_checked(&json, errors, FieldLocation::Query);
    read.or_else(|errors| Err(with_other_arguments(parts, errors)?))
}

/// The errors of an argument, then the errors of the operation's other arguments.
#[inline(never)]
fn with_other_arguments(parts: &Parts, mut errors: Vec<FieldError>) -> Result<Problem, Problem> {
    let contract = contract(&parts.extensions)?;
    for argument in &contract.validators.query {
        let (json, of_schema) = query_to_json(parts, argument.id)?;
        for error in (argument.refusals)(&json, of_schema) {
            if errors.len() < validate::FIELD_ERRORS_MAX && !errors.contains(&error) {
                errors.push(error);
            }
        }
    }
    Ok(Problem::invalid(errors))
}

/// Decodes a form-encoded name or value; `None` if it is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

/// Parses a parameter as JSON where the type is not text.
pub(super) fn to_json(text: String, is_text: bool) -> Value {
    match is_text {
        true => Value::String(text),
        false => serde_json::from_str(&text).unwrap_or(Value::String(text)),
    }
}

#[inline(never)]
fn query_to_json(parts: &Parts, argument: TypeId) -> Result<CheckedJson, Problem> {
    const LOCATION: FieldLocation = FieldLocation::Query;
    let contract = contract(&parts.extensions)?;
    let validators = &contract.validators;
    let validator = validators.query_of(argument).ok_or_else(undescribed)?;
    let mut map = Map::new();
    let mut field_errors = Vec::new();
    for (name, value) in query_pairs(&parts.uri) {
        let Some((_, is_text)) = validator.members().find(|(known, _)| *known == name) else {
            if !validators.knows_query(&name) {
                field_errors.push(unknown_parameter(&name));
            }
            continue;
        };
        let Some(value) = value else {
            field_errors.push(FieldError::new(LOCATION, name, "must be UTF-8"));
            continue;
        };
        if map.insert(name.clone(), to_json(value, is_text)).is_some() {
            field_errors.push(FieldError::new(LOCATION, name, "is given twice"));
        }
    }
    let json = Value::Object(map);
    field_errors.extend(validator.field_errors(&json, LOCATION));
    Ok((json, field_errors))
}

/// The decoded query parameters. A value that is not UTF-8 is `None`.
fn query_pairs(uri: &Uri) -> impl Iterator<Item = (String, Option<String>)> {
    let pairs = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let lossy = || percent_decode_str(name).decode_utf8_lossy().into_owned();
        (decoded(name).unwrap_or_else(lossy), decoded(value))
    })
}

fn unknown_parameter(name: &str) -> FieldError {
    let name: String = name.chars().take(NAME_CHARS_MAX).collect();
    FieldError::new(FieldLocation::Query, name, "unknown parameter")
}

/// Rejects all query parameters, for routes that read none.
pub(super) fn refuse_query(uri: &Uri) -> Result<(), Problem> {
    let unknown = query_pairs(uri).map(|(name, _)| unknown_parameter(&name));
    let unknown: Vec<FieldError> = unknown.take(validate::FIELD_ERRORS_MAX).collect();
    if unknown.is_empty() { Ok(()) } else { Err(Problem::invalid(unknown)) }
}

/// The contract of the route.
pub(super) fn contract(extensions: &Extensions) -> Result<Arc<Contract>, Problem> {
    extensions.get().cloned().ok_or_else(undescribed)
}

/// The function runs outside of an [`Api`](super::Api), so its arguments are not described.
pub(super) fn undescribed() -> Problem {
    Problem::new(&INTERNAL).detail("this route does not describe its arguments")
}
