//! Error responses as `application/problem+json` (RFC 9457).
//!
//! Programs match on the code, which is stable once published; people read the title and the
//! detail. [`problems!`](crate::problems) declares both in one place, with the text for the API
//! page.
//!
//! A system has one error type, declared by [`problems!`](crate::problems) and returned by its
//! services and routes. It also wraps problems of the kit and errors of the store.

mod declare;
mod store;

#[doc(hidden)]
pub use store::of_store;

use crate::problems;
use crate::validate::{FieldError, FieldLocation};
use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Reexports for [`problems!`](crate::problems).
#[doc(hidden)]
pub mod for_macros {
    pub use {axum, singlet};
}

/// The media type of RFC 9457.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// A problem type, declared by [`problems!`](crate::problems).
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemType {
    /// The stable code that programs compare.
    pub name: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The title, the same for every occurrence.
    pub title: &'static str,
    /// Explains the problem and its remedy, for the API page.
    pub description: &'static str,
}

problems! {
    /// Problems that any system may return.
    pub SHARED;
    /// The body is not JSON, or the request is not well-formed HTTP.
    MALFORMED = 400, "malformed", "Malformed request";
    /// The resource has changed since the client read it. Read it again before changing it.
    CHANGED_MEANWHILE = 412, "changed-meanwhile", "Changed meanwhile";
    /// Changing this resource requires the header `If-Match` with the version (`ETag`) that the
    /// client has read.
    IF_MATCH_REQUIRED = 428, "if-match-required", "If-Match required";
    /// One or more fields are invalid. `errors` lists each field and its rule.
    INVALID = 422, "invalid", "Invalid request";
    /// The request has no credentials, or they are wrong or have expired.
    UNAUTHENTICATED = 401, "unauthenticated", "Unauthorized";
    /// The credentials are valid, but do not allow this.
    FORBIDDEN = 403, "forbidden", "Forbidden";
    /// A page of another site sent this request. Only pages of the same origin may.
    CROSS_SITE = 403, "cross-site", "Cross-site request refused";
    /// The Host header is missing, or names another server.
    MISDIRECTED = 421, "misdirected", "Unknown host name";
    /// There is nothing at this address.
    NOT_FOUND = 404, "not-found", "Not found";
    /// The address does not support this method. `Allow` lists the supported ones.
    METHOD_NOT_ALLOWED = 405, "method-not-allowed", "Method not allowed";
    /// The Idempotency-Key was already used for another request. Use a new key for every request.
    KEY_REUSED = 409, "key-reused", "Idempotency-Key already used";
    /// The Idempotency-Key is guessable: repetitive, sequential, or with few different characters.
    /// Use a random UUID for each request.
    WEAK_KEY = 400, "weak-key", "Idempotency-Key too weak";
    /// The request with this Idempotency-Key is still in progress. Try again in a moment.
    IN_PROGRESS = 409, "in-progress", "Request in progress";
    /// The request with this Idempotency-Key was already carried out, but its response was too
    /// large to store. Read the changed resource instead.
    ANSWER_NOT_KEPT = 409, "answer-not-kept", "Already carried out";
    /// The client took too long to send its request, or the server to answer it.
    TIMEOUT = 408, "timeout", "Request timed out";
    /// The request is larger than this address accepts.
    TOO_LARGE = 413, "too-large", "Request too large";
    /// The body has an unsupported media type. Send `application/json`, unless the operation says
    /// otherwise.
    UNSUPPORTED_TYPE = 415, "unsupported-type", "Unsupported media type";
    /// This address only accepts WebSocket connections.
    UPGRADE_REQUIRED = 426, "upgrade-required", "WebSocket upgrade required";
    /// Too many requests in a short time. Wait as long as `Retry-After` says.
    RATE_LIMITED = 429, "rate-limited", "Too many requests";
    /// The server failed. The request id identifies the failure in its log.
    INTERNAL = 500, "internal", "Internal error";
    /// Too many requests changed the same data at once. Send the request again.
    BUSY = 503, "busy", "Too many changes at once";
    /// The server is stopping or overloaded. Try again later.
    UNAVAILABLE = 503, "unavailable", "Service unavailable";
}

/// A problem: its type, and details of this occurrence.
///
/// ```
/// use singlet_web::problem::{NOT_FOUND, Problem};
///
/// let problem = Problem::new(&NOT_FOUND).detail("no game has the code XYZ789");
/// assert_eq!(problem.to_string(), "Not found: no game has the code XYZ789");
/// ```
#[derive(Clone, Debug)]
pub struct Problem(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    problem_type: &'static ProblemType,
    detail: Option<Cow<'static, str>>,
    field_errors: Vec<FieldError>,
    /// Additional members.
    members: Vec<(&'static str, serde_json::Value)>,
    retry_after: Option<Duration>,
    safe_to_retry: bool,
    /// The system that declares the problem; `None` for the kit's own.
    system: Option<&'static str>,
}

impl Problem {
    /// A problem of this type.
    #[must_use]
    pub fn new(problem_type: &'static ProblemType) -> Self {
        Self(Box::new(Inner {
            problem_type,
            detail: None,
            field_errors: Vec::new(),
            members: Vec::new(),
            retry_after: None,
            // A refused request was not executed, unless it was before. After a server failure or a
            // timeout the outcome is unknown.
            safe_to_retry: problem_type.status < 500
                && problem_type.status != TIMEOUT.status
                && problem_type != &ANSWER_NOT_KEPT,
            system: None,
        }))
    }

    /// Invalid fields.
    #[must_use]
    pub fn invalid(field_errors: Vec<FieldError>) -> Self {
        let mut problem = Self::new(&INVALID);
        problem.0.field_errors = field_errors;
        problem
    }

    /// One invalid field.
    ///
    /// ```
    /// use singlet_web::problem::Problem;
    /// use singlet_web::validate::FieldLocation;
    ///
    /// let problem = Problem::invalid_field(FieldLocation::Body, "/name", "must not be empty");
    /// assert_eq!(problem.to_string(), "Invalid request; /name must not be empty");
    /// ```
    #[must_use]
    pub fn invalid_field(
        location: FieldLocation,
        field: impl Into<String>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::invalid(vec![FieldError::new(location, field, detail)])
    }

    /// Adds a member to the problem's JSON, such as the current resource. Standard members (`type`,
    /// `title`, `status`, `code`, `detail`, `errors`) cannot be replaced.
    ///
    /// ```
    /// use singlet_web::problem::{CHANGED_MEANWHILE, Problem};
    ///
    /// let problem = Problem::new(&CHANGED_MEANWHILE).with("version", 8);
    /// assert_eq!(problem.to_json()["version"], 8);
    /// ```
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(value) if !MEMBERS.contains(&name) => self.0.members.push((name, value)),
            _ => tracing::error!(name, "not a valid member of a problem"),
        }
        self
    }

    /// Describes this occurrence. Shown to the caller, so mention only what the caller sent or may
    /// know. Defaults to the description of a system's problem type.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Sets `Retry-After`.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// Marks that nothing was done despite the status: the request can be retried at once.
    #[must_use]
    pub fn safe_to_retry(mut self) -> Self {
        self.0.safe_to_retry = true;
        self
    }

    /// Whether the request certainly had no effect.
    #[must_use]
    pub fn is_safe_to_retry(&self) -> bool {
        self.0.safe_to_retry
    }

    /// The problem type.
    #[must_use]
    pub fn problem_type(&self) -> &'static ProblemType {
        self.0.problem_type
    }

    /// The detail of this occurrence.
    #[must_use]
    pub fn detail_text(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// The invalid fields.
    #[must_use]
    pub fn field_errors(&self) -> &[FieldError] {
        &self.0.field_errors
    }

    /// The problem as sent over HTTP.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        // Cannot fail: all keys are strings.
        serde_json::to_value(self.written()).unwrap_or_default()
    }

    fn body(&self) -> Body {
        Body::from(serde_json::to_vec(&self.written()).unwrap_or_default())
    }

    fn written(&self) -> Written<'_> {
        let Inner { problem_type, detail, field_errors, members, system, .. } = &*self.0;
        // A system's descriptions are written for its callers.
        let description = || system.map(|_| problem_type.description.trim().replace('`', ""));
        Written {
            kind: address(*system, problem_type),
            title: problem_type.title,
            status: problem_type.status,
            code: problem_type.name,
            detail: detail.as_deref().map(Cow::Borrowed).or_else(|| description().map(Cow::Owned)),
            errors: field_errors,
            members: members.iter().map(|(name, value)| (*name, value)).collect(),
        }
    }
}

/// The anchor of an explanation on `/problems`. Two systems may have problems of the same name.
pub(crate) fn anchor(system: Option<&str>, problem_type: &ProblemType) -> String {
    let name = problem_type.name;
    system.map_or_else(|| name.to_owned(), |system| format!("{system}.{name}"))
}

/// The `type` of a problem: the address of its explanation.
pub(crate) fn address(system: Option<&str>, problem_type: &ProblemType) -> String {
    format!("/problems#{}", anchor(system, problem_type))
}

/// Points a response with a problem of this system to its explanation. `types` are the system's.
pub(crate) fn qualify(
    response: &mut Response<Body>,
    system: &'static str,
    types: &[&'static ProblemType],
) {
    let Some(problem) = response.extensions().get::<Problem>() else { return };
    if types.contains(&problem.problem_type()) {
        let mut problem = problem.clone();
        problem.0.system = Some(system);
        *response.body_mut() = problem.body();
        response.headers_mut().remove(CONTENT_LENGTH);
    }
}

/// The members of RFC 9457, plus `code` and `errors`.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'a str,
    status: u16,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
    #[serde(flatten)]
    members: BTreeMap<&'static str, &'a serde_json::Value>,
}

/// Members that [`Problem::with`] cannot replace.
const MEMBERS: &[&str] = &["type", "title", "status", "code", "detail", "errors"];

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.problem_type.title)?;
        if let Some(detail) = &self.0.detail {
            write!(f, ": {detail}")?;
        }
        for fault in &self.0.field_errors {
            write!(f, "; {fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body());
        *response.status_mut() = StatusCode::from_u16(self.0.problem_type.status)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if let Some(wait) = self.0.retry_after {
            // Rounded up to whole seconds.
            headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs_f64().ceil() as u64));
        }
        if self.0.problem_type.status == 401 {
            headers
                .insert(axum::http::header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // For outer layers.
        response.extensions_mut().insert(self);
        response
    }
}

/// The error type of a system, declared by [`problems!`](crate::problems).
///
/// Routes return `Result<_, E>` with such an `E`. [`Problem`] implements it for the kit's own
/// problems.
///
/// ```
/// use singlet_web::problem::{ApiError, BUSY, Problem};
///
/// singlet_web::problems! {
///     /// Why the team refuses a request.
///     pub enum Error {
///         /// Another player has the number.
///         NumberTaken = 409, "number-taken", "Number taken";
///     }
/// }
///
/// let taken: Problem = Error::NumberTaken.because("Ann has it.").with("number", 7).into();
/// assert_eq!(taken.to_string(), "Number taken: Ann has it.");
/// assert_eq!(taken.to_json()["number"], 7);
/// let invalid: Problem = Error::invalid("/number", "must be at most 99").into();
/// assert_eq!(invalid.field_errors()[0].field, "/number");
/// assert_eq!(Error::changed().problem_type(), &BUSY);
/// ```
pub trait ApiError:
    std::error::Error + From<Problem> + Into<Problem> + IntoResponse + Send + Sync + 'static
{
    /// All problem types of the system.
    const TYPES: &'static [&'static ProblemType];

    /// The problem type of this error.
    fn problem_type(&self) -> &'static ProblemType;

    /// Another request changed the data first, and nothing was done: [`BUSY`]. As the error of a
    /// failed condition, it makes [`Db::attempt`](singlet::Db::attempt) retry.
    #[must_use]
    fn changed() -> Self {
        Problem::new(&BUSY).safe_to_retry().into()
    }

    /// An invalid field of the body: [`INVALID`]. `field` is a JSON pointer.
    #[must_use]
    fn invalid(field: impl Into<String>, detail: impl Into<Cow<'static, str>>) -> Self {
        Problem::invalid_field(FieldLocation::Body, field, detail).into()
    }

    /// Adds a detail, see [`Problem::detail`].
    #[must_use]
    fn because(self, detail: impl Into<Cow<'static, str>>) -> Self {
        let problem: Problem = self.into();
        problem.detail(detail).into()
    }

    /// Adds a member, see [`Problem::with`].
    #[must_use]
    fn with(self, name: &'static str, value: impl Serialize) -> Self {
        let problem: Problem = self.into();
        problem.with(name, value).into()
    }
}

impl ApiError for Problem {
    const TYPES: &'static [&'static ProblemType] = SHARED;

    fn problem_type(&self) -> &'static ProblemType {
        self.problem_type()
    }
}

/// The problem of a change based on an outdated version.
///
/// ```
/// use singlet_web::problem::changed_meanwhile;
///
/// let problem = changed_meanwhile(7, 8);
/// assert_eq!(problem.to_json()["detail"], "You have version 7, and version 8 is stored.");
/// ```
#[must_use]
pub fn changed_meanwhile(seen: u64, stored: u64) -> Problem {
    let detail = format!("You have version {seen}, and version {stored} is stored.");
    Problem::new(&CHANGED_MEANWHILE).detail(detail).with("version", stored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::FieldLocation;
    use serde_json::json;
    use std::collections::HashSet;

    #[test]
    fn a_problem_says_what_where_and_when_to_come_back() {
        let fault =
            FieldError::new(FieldLocation::Body, "/name", "must have at most 40 characters");
        let problem = Problem::invalid(vec![fault]).detail("Look again.");
        assert_eq!(
            problem.to_json(),
            json!({
                "type": "/problems#invalid",
                "title": "Invalid request",
                "status": 422,
                "code": "invalid",
                "detail": "Look again.",
                "errors": [
                    {"in": "body", "field": "/name", "detail": "must have at most 40 characters"}
                ],
            })
        );
        let response =
            Problem::new(&RATE_LIMITED).retry_after(Duration::from_millis(1200)).into_response();
        assert_eq!(response.status(), 429);
        assert_eq!(response.headers()[RETRY_AFTER], "2");
        assert_eq!(response.headers()[CONTENT_TYPE], MEDIA_TYPE);
    }

    #[test]
    fn codes_are_names_and_each_stands_for_one_thing() {
        let names: HashSet<&str> = SHARED.iter().map(|code| code.name).collect();
        assert_eq!(names.len(), SHARED.len());
        for code in SHARED {
            let is_name = code.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            assert!(is_name && (400..600).contains(&code.status), "{code:?}");
            assert!(
                code.description.starts_with(' ') && code.description.ends_with('.'),
                "{code:?}"
            );
        }
    }
}
