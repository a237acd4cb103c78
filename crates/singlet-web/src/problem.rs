//! Why a request was refused, for programs and for people: `application/problem+json`.
//!
//! A program decides by the code, which never changes once it is published. A person reads the
//! title and the detail. Both are declared in one place, by [`problems!`](crate::problems), with
//! the text that the page about the interface shows.
//!
//! A system has one error type, which [`problems!`](crate::problems) declares: its services and its
//! routes return it. It holds problems of the kit and errors of the store, too.

mod declare;
mod store;

#[doc(hidden)]
pub use store::of_store;

use crate::problems;
use crate::validate::{FieldError, FieldLocation};
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What [`problems!`](crate::problems) needs of other crates.
#[doc(hidden)]
pub mod for_macros {
    pub use {axum, singlet};
}

/// The media type of RFC 9457.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// A reason for refusal: declared once, by [`problems!`](crate::problems).
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemType {
    /// What programs compare. It never changes.
    pub name: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// The same for every occurrence.
    pub title: &'static str,
    /// What it means and what to do about it, for the page about the interface.
    pub description: &'static str,
}

problems! {
    /// What every system may answer.
    pub SHARED;
    /// The body is not JSON, or the request is not well-formed HTTP.
    MALFORMED = 400, "malformed", "Malformed request";
    /// The resource was changed since the client read it. Read it again, and decide anew.
    CHANGED_MEANWHILE = 412, "changed-meanwhile", "Changed meanwhile";
    /// Changes of this resource need the header `If-Match` with the version (`ETag`) that the client
    /// has read.
    IF_MATCH_REQUIRED = 428, "if-match-required", "If-Match required";
    /// Fields break a rule. `errors` names each of them, and what it must be.
    INVALID = 422, "invalid", "Invalid request";
    /// The request has no credentials, or they are wrong or have expired.
    UNAUTHENTICATED = 401, "unauthenticated", "Unauthorized";
    /// The credentials are valid, but do not allow this.
    FORBIDDEN = 403, "forbidden", "Forbidden";
    /// A page of another site asked for this. Only pages from the same address may.
    CROSS_SITE = 403, "cross-site", "Cross-site request refused";
    /// The Host header is missing, or names another server.
    MISDIRECTED = 421, "misdirected", "Unknown host name";
    /// There is nothing at this address.
    NOT_FOUND = 404, "not-found", "Not found";
    /// The address exists, and does not take this method. `Allow` names those it takes.
    METHOD_NOT_ALLOWED = 405, "method-not-allowed", "Method not allowed";
    /// The Idempotency-Key was sent with another request before. Every request has its own.
    KEY_REUSED = 409, "key-reused", "Idempotency-Key already used";
    /// The Idempotency-Key can be guessed: it repeats itself, counts, or has few different
    /// characters. Make a random UUID for each request.
    WEAK_KEY = 400, "weak-key", "Idempotency-Key too weak";
    /// The request with this Idempotency-Key is still being carried out. Ask again in a moment.
    IN_PROGRESS = 409, "in-progress", "Request in progress";
    /// The request with this Idempotency-Key was carried out before, and its answer was too large to
    /// be kept. Read what it has changed.
    ANSWER_NOT_KEPT = 409, "answer-not-kept", "Already carried out";
    /// The client took too long to send its request, or the server to answer it.
    TIMEOUT = 408, "timeout", "Request timed out";
    /// The request has more bytes than this address takes.
    TOO_LARGE = 413, "too-large", "Request too large";
    /// The body has another media type than this address takes: `application/json`, unless the
    /// documentation of the operation says otherwise.
    UNSUPPORTED_TYPE = 415, "unsupported-type", "Unsupported media type";
    /// This address is for WebSockets.
    UPGRADE_REQUIRED = 426, "upgrade-required", "WebSocket upgrade required";
    /// There were too many requests in a short time. `Retry-After` says when to come back.
    RATE_LIMITED = 429, "rate-limited", "Too many requests";
    /// Something broke that is not the caller's fault. The request's id is in our log.
    INTERNAL = 500, "internal", "Internal error";
    /// Too many requests changed the same data at the same moment. Send the request again.
    BUSY = 503, "busy", "Too many changes at once";
    /// The server is stopping, or as busy as it lets itself be. The same request may succeed later.
    UNAVAILABLE = 503, "unavailable", "Service unavailable";
}

/// One refusal: a reason, and what there is to say about this occurrence.
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
    /// Members of this type's own, beside those of all problems.
    members: Vec<(&'static str, serde_json::Value)>,
    retry_after: Option<Duration>,
    safe_to_retry: bool,
}

impl Problem {
    /// A refusal for this reason.
    #[must_use]
    pub fn new(problem_type: &'static ProblemType) -> Self {
        Self(Box::new(Inner {
            problem_type,
            detail: None,
            field_errors: Vec::new(),
            members: Vec::new(),
            retry_after: None,
            // What we refuse is not done, unless it was done before. Where the failure is ours, or
            // there was no time left, nobody knows how far it came.
            safe_to_retry: problem_type.status < 500
                && problem_type.status != TIMEOUT.status
                && problem_type != &ANSWER_NOT_KEPT,
        }))
    }

    /// The fields that break a rule.
    #[must_use]
    pub fn invalid(field_errors: Vec<FieldError>) -> Self {
        let mut problem = Self::new(&INVALID);
        problem.0.field_errors = field_errors;
        problem
    }

    /// One field that breaks a rule.
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

    /// Adds a member to the problem's JSON, such as the resource as it is now. Names that all
    /// problems have (`type`, `title`, `status`, `code`, `detail`, `errors`) are left as they are.
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
            _ => tracing::error!(name, "this is no member of a problem"),
        }
        self
    }

    /// Says more about this occurrence. The text is shown to the caller: it names what the caller
    /// sent or may know, and nothing else.
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

    /// Says that nothing was done, although the status speaks of a failure: the same request may be
    /// sent again at once.
    #[must_use]
    pub fn safe_to_retry(mut self) -> Self {
        self.0.safe_to_retry = true;
        self
    }

    /// Whether it is known that nothing was done.
    #[must_use]
    pub fn is_safe_to_retry(&self) -> bool {
        self.0.safe_to_retry
    }

    /// The reason.
    #[must_use]
    pub fn problem_type(&self) -> &'static ProblemType {
        self.0.problem_type
    }

    /// What there is to say about this occurrence.
    #[must_use]
    pub fn detail_text(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// The fields that break a rule.
    #[must_use]
    pub fn field_errors(&self) -> &[FieldError] {
        &self.0.field_errors
    }

    /// The problem in JSON, as it goes over HTTP.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        // Nothing in it has keys that are not text, which is all that could fail.
        serde_json::to_value(self.written()).unwrap_or_default()
    }

    fn written(&self) -> Written<'_> {
        let Inner { problem_type, detail, field_errors, members, .. } = &*self.0;
        Written {
            kind: format!("/problems#{}", problem_type.name),
            title: problem_type.title,
            status: problem_type.status,
            code: problem_type.name,
            detail: detail.as_deref(),
            errors: field_errors,
            members: members.iter().map(|(name, value)| (*name, value)).collect(),
        }
    }
}

/// The members of RFC 9457, and two of our own: `code` and `errors`.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'a str,
    status: u16,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
    #[serde(flatten)]
    members: BTreeMap<&'static str, &'a serde_json::Value>,
}

/// The names of the members above, which [`Problem::with`] leaves alone.
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
        let body = serde_json::to_vec(&self.written()).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(self.0.problem_type.status)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if let Some(wait) = self.0.retry_after {
            // The header counts whole seconds, and coming back too early is no use.
            headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs_f64().ceil() as u64));
        }
        if self.0.problem_type.status == 401 {
            headers
                .insert(axum::http::header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // Layers further out look at the reason, not at the text.
        response.extensions_mut().insert(self);
        response
    }
}

/// The error type of a system, declared by [`problems!`](crate::problems).
///
/// Functions of routes return `Result<_, E>` with such an `E`. [`Problem`] is one, too: that of the
/// kit itself.
pub trait ApiError:
    std::error::Error + Into<Problem> + IntoResponse + Send + Sync + 'static
{
    /// All problem types that the system declares.
    const TYPES: &'static [&'static ProblemType];

    /// The problem type that a client gets.
    fn problem_type(&self) -> &'static ProblemType;
}

impl ApiError for Problem {
    const TYPES: &'static [&'static ProblemType] = SHARED;

    fn problem_type(&self) -> &'static ProblemType {
        self.problem_type()
    }
}

/// The problem of a change that was decided on an older version than the stored one.
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
