//! Resource versions: `ETag` and `If-Match`.

use super::argument::Argument;
use super::operation::Operation;
use super::reply::{Reply, json};
use crate::problem::{CHANGED_MEANWHILE, IF_MATCH_REQUIRED, INVALID, Problem};
use crate::validate::FieldLocation;
use axum::body::Body;
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::{ETAG, HeaderValue, IF_MATCH};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Serialize;

/// 200 with a value and its version as `ETag: "7"`, which the client sends back in `If-Match` to
/// change it.
#[derive(Clone, Debug, PartialEq)]
pub struct Versioned<T> {
    /// The version. Increases with every change.
    pub version: u64,
    /// The value.
    pub value: T,
}

impl<T: Serialize + JsonSchema> Reply for Versioned<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.replies::<T>(200, "Done. The header ETag is the version, for If-Match.");
    }
}

impl<T: Serialize> IntoResponse for Versioned<T> {
    fn into_response(self) -> Response<Body> {
        let mut response = json(StatusCode::OK, &self.value);
        if response.status() == StatusCode::OK {
            response.headers_mut().insert(ETAG, etag(self.version));
        }
        response
    }
}

/// The version as an `ETag`.
pub(super) fn etag(version: u64) -> HeaderValue {
    // Quoted digits are always a valid header value.
    HeaderValue::try_from(format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"0\""))
}

/// The version the client last read: `If-Match: "7"`.
///
/// As an argument it makes the header required (428). With `Option<IfMatch>`, clients without it
/// overwrite any version. The service compares the versions; see
/// [`changed_meanwhile`](crate::problem::changed_meanwhile).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IfMatch(pub u64);

const DESCRIPTION: &str = "The version that the change is made to, as ETag gave it.";

impl Argument for IfMatch {
    fn describe(operation: &mut Operation<'_>) {
        operation.header(IF_MATCH.as_str(), true, DESCRIPTION);
        for problem_type in [&IF_MATCH_REQUIRED, &INVALID, &CHANGED_MEANWHILE] {
            operation.add_problem(problem_type);
        }
    }
}

impl Argument for Option<IfMatch> {
    fn describe(operation: &mut Operation<'_>) {
        operation.header(IF_MATCH.as_str(), false, DESCRIPTION);
        operation.add_problem(&INVALID);
        operation.add_problem(&CHANGED_MEANWHILE);
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let seen = <Self as OptionalFromRequestParts<S>>::from_request_parts(parts, state).await?;
        seen.ok_or_else(|| Problem::new(&IF_MATCH_REQUIRED))
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        let mut values = parts.headers.get_all(IF_MATCH).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let version = value.to_str().ok().and_then(parse).filter(|_| values.next().is_none());
        version.map(|version| Some(Self(version))).ok_or_else(|| {
            let detail = "must be one version as ETag gave it, such as \"7\"";
            Problem::invalid_field(FieldLocation::Header, IF_MATCH.as_str(), detail)
        })
    }
}

/// Parses `"7"`. Weak tags, lists, `*` and non-canonical numbers are rejected.
fn parse(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('"')?.strip_suffix('"')?;
    let version: u64 = digits.parse().ok()?;
    (version.to_string() == digits).then_some(version)
}
