//! What functions take.

use super::operation::Operation;
use super::route::Contract;
use crate::problem::{MALFORMED, NOT_FOUND, Problem, TOO_LARGE, UNSUPPORTED_TYPE};
use crate::validate::{self, FieldError, FieldLocation, Validator};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request, State};
use axum::http::Extensions;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::ops::Deref;
use std::sync::Arc;

/// How many bytes a parameter in a path may have. It names something, and nothing that we ever named
/// has so long a name: a key of DynamoDB has room for 1,024 bytes, and templates add to what is
/// here.
const PATH_PARAMETER_BYTES_MAX: usize = 256;

/// What a function can take: something made from the request, that can say what it needs.
pub trait Argument {
    /// Writes down what the argument needs in a request, and for what it refuses one.
    fn describe(operation: &mut Operation<'_>);
}

/// What the routes work on is no part of the request.
impl<S> Argument for State<S> {
    fn describe(_: &mut Operation<'_>) {}
}

/// The body: JSON that fits the type's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<T>(pub T);

/// The parameters in the path, one member each.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<T>(pub T);

/// The parameters behind the question mark, one member each. Others are refused, because a
/// misspelt parameter that is silently ignored gives a wrong answer.
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
        operation.body =
            Some(json!({"required": true, "content": {"application/json": {"schema": schema}}}));
        operation.validators.body = Some(Validator::of::<T>());
        for code in [&MALFORMED, &UNSUPPORTED_TYPE, &TOO_LARGE, &crate::problem::INVALID] {
            operation.add_problem(code);
        }
    }
}

impl<T, S> FromRequest<S> for Body<T>
where
    T: DeserializeOwned + JsonSchema,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(is_json) {
            return Err(Problem::new(&UNSUPPORTED_TYPE));
        }
        let contract = contract(request.extensions());
        let bytes = read_body(request, state).await?;
        let json = serde_json::from_slice(&bytes).map_err(|error| {
            Problem::new(&MALFORMED).detail(format!("the body is not JSON: {error}"))
        })?;
        with_shape::<T, _>(
            contract.as_ref().and_then(|one| one.validators.body.as_ref()),
            |shape| {
                validate::read(json, shape, FieldLocation::Body).map(Self).map_err(Problem::invalid)
            },
        )
    }
}

/// The bytes of a body, as far as the server reads.
pub(crate) async fn read_body<S: Send + Sync>(
    request: Request,
    state: &S,
) -> Result<Bytes, Problem> {
    Bytes::from_request(request, state).await.map_err(|rejection| match rejection {
        BytesRejection::FailedToBufferBody(error)
            if error.status().as_u16() == TOO_LARGE.status =>
        {
            Problem::new(&TOO_LARGE)
        }
        _ => Problem::new(&MALFORMED).detail("the body ended early"),
    })
}

fn is_json(kind: &str) -> bool {
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

impl<T: JsonSchema> Argument for Path<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.parameters_of::<T>("path");
        operation.validators.path = Some(Validator::of::<T>());
        operation.add_problem(&crate::problem::INVALID);
        operation.add_problem(&NOT_FOUND);
    }
}

impl<T, S> FromRequestParts<S> for Path<T>
where
    T: DeserializeOwned + JsonSchema,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let parameters = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::new(&MALFORMED).detail("the path is not UTF-8"))?;
        if parameters.iter().any(|(_, value)| value.len() > PATH_PARAMETER_BYTES_MAX) {
            return Err(Problem::new(&NOT_FOUND));
        }
        let pairs = parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let contract = contract(&parts.extensions);
        with_shape::<T, _>(
            contract.as_ref().and_then(|one| one.validators.path.as_ref()),
            |shape| parameters_to_type(pairs, shape, FieldLocation::Path).map(Self),
        )
    }
}

impl<T: JsonSchema> Argument for Query<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.parameters_of::<T>("query");
        operation.validators.query = Some(Validator::of::<T>());
        operation.add_problem(&crate::problem::INVALID);
    }
}

impl<T, S> FromRequestParts<S> for Query<T>
where
    T: DeserializeOwned + JsonSchema,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        let contract = contract(&parts.extensions);
        with_shape::<T, _>(
            contract.as_ref().and_then(|one| one.validators.query.as_ref()),
            |shape| parameters_to_type(pairs, shape, FieldLocation::Query).map(Self),
        )
    }
}

/// A name or a value as forms write it: `+` is a space.
fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

/// Parameters are text. Where the type has a number or a truth value, the text is read as one.
fn parameters_to_type<T: DeserializeOwned>(
    pairs: impl Iterator<Item = (String, String)>,
    shape: &Validator,
    place: FieldLocation,
) -> Result<T, Problem> {
    let mut map = Map::new();
    let mut field_errors = Vec::new();
    for (name, value) in pairs {
        let Some((_, is_text)) = shape.members().find(|(known, _)| *known == name) else {
            let name: String = name.chars().take(40).collect();
            field_errors.push(FieldError::new(place, name, "unknown parameter"));
            continue;
        };
        let value = match is_text {
            true => Value::String(value),
            false => serde_json::from_str(&value).unwrap_or(Value::String(value)),
        };
        if map.insert(name.clone(), value).is_some() {
            field_errors.push(FieldError::new(place, name, "is given twice"));
        }
    }
    field_errors.truncate(validate::FIELD_ERRORS_MAX);
    if !field_errors.is_empty() {
        return Err(Problem::invalid(field_errors));
    }
    validate::read(Value::Object(map), shape, place).map_err(Problem::invalid)
}

/// What the route promises; `None` if the function is called outside of an [`Api`](super::Api).
fn contract(extensions: &Extensions) -> Option<Arc<Contract>> {
    extensions.get().cloned()
}

/// Goes on with the shape that the route has made ready, or else with one made for the occasion.
fn with_shape<T: JsonSchema, R>(
    ready: Option<&Validator>,
    go_on: impl FnOnce(&Validator) -> R,
) -> R {
    match ready {
        Some(shape) => go_on(shape),
        None => go_on(&Validator::of::<T>()),
    }
}
