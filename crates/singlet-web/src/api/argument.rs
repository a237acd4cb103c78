//! What functions take.

use super::operation::Operation;
use super::route::Contract;
use crate::problem::{INTERNAL, MALFORMED, NOT_FOUND, Problem, TOO_LARGE, UNSUPPORTED_TYPE};
use crate::validate::{self, FieldError, FieldLocation};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request, State};
use axum::http::Extensions;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use singlet::backend::BoxFuture;
use std::any::TypeId;
use std::ops::Deref;
use std::sync::Arc;

/// How many bytes a parameter in a path may have. It names something, and nothing that we ever named
/// has so long a name: a key of DynamoDB has room for 1,024 bytes, and templates add to what is
/// here.
pub(super) const PATH_PARAMETER_BYTES_MAX: usize = 256;

/// How much of an unknown parameter's name an answer repeats.
const NAME_CHARS_MAX: usize = 40;

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

/// The parameters in the path: one member each, or the value itself if there is one parameter. A
/// value that its type refuses leads nowhere: [`NOT_FOUND`].
#[derive(Clone, Debug, PartialEq)]
pub struct Path<T>(pub T);

/// The parameters behind the question mark, one member each. Those that no argument of the route has
/// are refused, because a misspelt parameter that is silently ignored gives a wrong answer.
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
        let json = read_json(request).await?;
        validate::read_checked(json, FieldLocation::Body).map(Self).map_err(Problem::invalid)
    }
}

/// The JSON of a body, which fits its schema. Boxed, so that it is compiled once.
#[inline(never)]
fn read_json(request: Request) -> BoxFuture<'static, Result<Value, Problem>> {
    Box::pin(async move {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(is_json) {
            return Err(Problem::new(&UNSUPPORTED_TYPE));
        }
        let contract = contract(request.extensions())?;
        let bytes = read_body(request).await?;
        let json = serde_json::from_slice(&bytes).map_err(|error| {
            Problem::new(&MALFORMED).detail(format!("the body is not JSON: {error}"))
        })?;
        let validator = contract.validators.body.as_ref().ok_or_else(undescribed)?;
        validator.check(&json, FieldLocation::Body).map_err(Problem::invalid)?;
        Ok(json)
    })
}

/// The bytes of a body, as far as the server reads.
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

impl<T: JsonSchema> Argument for Path<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<T>();
    }
}

impl<T, S> FromRequestParts<S> for Path<T>
where
    T: DeserializeOwned + JsonSchema,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let json = read_path(parts).await?;
        let value = validate::read_checked(json, FieldLocation::Path);
        value.map(Self).map_err(|_| Problem::new(&NOT_FOUND))
    }
}

/// The parameters of a path as JSON that fits its schema. Boxed, so that it is compiled once.
#[inline(never)]
fn read_path(parts: &mut Parts) -> BoxFuture<'_, Result<Value, Problem>> {
    Box::pin(async move {
        let parameters = RawPathParams::from_request_parts(parts, &())
            .await
            .map_err(|_| Problem::new(&MALFORMED).detail("the path is not UTF-8"))?;
        if parameters.iter().any(|(_, value)| value.len() > PATH_PARAMETER_BYTES_MAX) {
            return Err(Problem::new(&NOT_FOUND));
        }
        let contract = contract(&parts.extensions)?;
        let validator = contract.validators.path.as_ref().ok_or_else(undescribed)?;
        let json = match validator.is_object() {
            true => {
                let values = parameters.iter().filter_map(|(name, value)| {
                    let (_, is_text) = validator.members().find(|(known, _)| *known == name)?;
                    Some((name.to_owned(), to_json(value.to_owned(), is_text)))
                });
                Value::Object(values.collect())
            }
            false => {
                let first = parameters.iter().next();
                let (_, value) = first.ok_or_else(|| Problem::new(&NOT_FOUND))?;
                to_json(value.to_owned(), validator.is_text())
            }
        };
        let checked = validator.check(&json, FieldLocation::Path);
        checked.map(|()| json).map_err(|_| Problem::new(&NOT_FOUND))
    })
}

impl<T: JsonSchema + 'static> Argument for Query<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.query::<T>();
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

/// Reads a value from the query; `T` is what the argument is described by. Parameters of other
/// arguments of the route are passed over, and unknown ones refused.
pub(super) fn read_query<T, V>(parts: &Parts) -> Result<V, Problem>
where
    T: JsonSchema + 'static,
    V: DeserializeOwned,
{
    let json = query_to_json(parts, TypeId::of::<T>())?;
    validate::read_checked(json, FieldLocation::Query).map_err(Problem::invalid)
}

/// A name or a value as forms write it: `+` is a space.
fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

/// Parameters are text. Where the type has a number or a truth value, the text is read as one.
fn to_json(text: String, is_text: bool) -> Value {
    match is_text {
        true => Value::String(text),
        false => serde_json::from_str(&text).unwrap_or(Value::String(text)),
    }
}

#[inline(never)]
fn query_to_json(parts: &Parts, argument: TypeId) -> Result<Value, Problem> {
    const LOCATION: FieldLocation = FieldLocation::Query;
    let contract = contract(&parts.extensions)?;
    let validators = &contract.validators;
    let validator = validators.query_of(argument).ok_or_else(undescribed)?;
    let query = parts.uri.query().unwrap_or_default();
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    });
    let mut map = Map::new();
    let mut field_errors = Vec::new();
    for (name, value) in pairs {
        let Some((_, is_text)) = validator.members().find(|(known, _)| *known == name) else {
            if !validators.knows_query(&name) {
                let name: String = name.chars().take(NAME_CHARS_MAX).collect();
                field_errors.push(FieldError::new(LOCATION, name, "unknown parameter"));
            }
            continue;
        };
        if map.insert(name.clone(), to_json(value, is_text)).is_some() {
            field_errors.push(FieldError::new(LOCATION, name, "is given twice"));
        }
    }
    field_errors.truncate(validate::FIELD_ERRORS_MAX);
    if !field_errors.is_empty() {
        return Err(Problem::invalid(field_errors));
    }
    let json = Value::Object(map);
    validator.check(&json, LOCATION).map_err(Problem::invalid)?;
    Ok(json)
}

/// What the route promises.
fn contract(extensions: &Extensions) -> Result<Arc<Contract>, Problem> {
    extensions.get().cloned().ok_or_else(undescribed)
}

/// A function reads arguments that its route does not describe: it is not part of an
/// [`Api`](super::Api).
fn undescribed() -> Problem {
    Problem::new(&INTERNAL).detail("this route does not describe its arguments")
}
