//! Results of route functions.

use super::Operation;
use super::version::etag;
use crate::problem::{ApiError, INTERNAL, Problem};
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, LOCATION};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Serialize;

/// A result of a route function.
pub trait Reply: IntoResponse {
    /// Adds the response to the operation.
    fn describe(operation: &mut Operation<'_>);
}

/// Declare the error cases with [`problems`](super::Route::problems).
impl<R: Reply, E: ApiError> Reply for Result<R, E> {
    fn describe(operation: &mut Operation<'_>) {
        R::describe(operation);
    }
}

/// 200 with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> Reply for Json<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.replies::<T>(200, "Done.");
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response<Body> {
        json(StatusCode::OK, &self.0)
    }
}

/// 201 with the created resource and its location.
#[derive(Clone, Debug, PartialEq)]
pub struct Created<T> {
    /// The path of the resource, within the system.
    pub location: String,
    /// The resource.
    pub value: T,
    /// Its version, for `ETag`.
    pub version: Option<u64>,
}

impl<T> Created<T> {
    /// A resource created at this path within the system.
    #[must_use]
    pub fn at(location: impl Into<String>, value: T) -> Self {
        Self { location: location.into(), value, version: None }
    }

    /// Sets the version for `ETag`.
    #[must_use]
    pub fn version(self, version: u64) -> Self {
        Self { version: Some(version), ..self }
    }
}

impl<T: Serialize + JsonSchema> Reply for Created<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.replies::<T>(201, "Made. The header Location says where it is.");
    }
}

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response<Body> {
        let mut response = json(StatusCode::CREATED, &self.value);
        if let Ok(location) = HeaderValue::from_str(&self.location) {
            response.headers_mut().insert(LOCATION, location);
        }
        if let Some(version) = self.version {
            response.headers_mut().insert(ETAG, etag(version));
        }
        response
    }
}

/// 201 with the created resource, or 200 with the existing one: for requests that may be repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum CreatedOrFound<T> {
    /// Newly created.
    Created(Created<T>),
    /// It existed already.
    Found(T),
}

impl<T: Serialize + JsonSchema> Reply for CreatedOrFound<T> {
    fn describe(operation: &mut Operation<'_>) {
        Json::<T>::describe(operation);
        Created::<T>::describe(operation);
    }
}

impl<T: Serialize> IntoResponse for CreatedOrFound<T> {
    fn into_response(self) -> Response<Body> {
        match self {
            Self::Created(created) => created.into_response(),
            Self::Found(value) => Json(value).into_response(),
        }
    }
}

/// 204 without a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoContent;

impl Reply for NoContent {
    fn describe(operation: &mut Operation<'_>) {
        operation.replies_without_body(204, "Done.");
    }
}

impl IntoResponse for NoContent {
    fn into_response(self) -> Response<Body> {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// A JSON response, marked as not cacheable.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response<Body> {
    json_of(status, serde_json::to_vec(value).ok())
}

#[inline(never)]
fn json_of(status: StatusCode, body: Option<Vec<u8>>) -> Response<Body> {
    let Some(body) = body else {
        return Problem::new(&INTERNAL).into_response();
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
