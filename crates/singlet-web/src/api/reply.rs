//! What functions return.

use super::Operation;
use super::version::etag;
use crate::problem::{ApiError, INTERNAL, Problem};
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, LOCATION};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Serialize;

/// What a function can return.
pub trait Reply: IntoResponse {
    /// Writes down what the answer looks like.
    fn describe(operation: &mut Operation<'_>);
}

/// What is refused is what the route declares with [`problems`](super::Route::problems).
impl<R: Reply, E: ApiError> Reply for Result<R, E> {
    fn describe(operation: &mut Operation<'_>) {
        R::describe(operation);
    }
}

/// 200, with a value.
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

/// 201, with what was made and where it is from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Created<T> {
    /// The path of what was made, within the system.
    pub location: String,
    /// What was made.
    pub value: T,
    /// Its version, for the header `ETag`.
    pub version: Option<u64>,
}

impl<T> Created<T> {
    /// `value` was made, and is at this path within the system.
    #[must_use]
    pub fn at(location: impl Into<String>, value: T) -> Self {
        Self { location: location.into(), value, version: None }
    }

    /// Says which version the client has now.
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

/// 201 with what was made, or 200 with what was there already: for requests that may be repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum CreatedOrFound<T> {
    /// It was made.
    Created(Created<T>),
    /// It was there already.
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

/// 204: done, and nothing to say about it.
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

/// A value in JSON. It belongs to whoever asked, at this moment: nobody may keep it.
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
