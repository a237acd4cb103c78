//! Handles one request, from head to response.

use super::ConnectionGuard;
use super::lifetime::admit_stream;
use super::watched_answer;
use super::watched_body::{BodyProgress, WatchedBody};
use crate::api::{OperationId, StrictProblems};
use crate::idempotency::Idempotency;
use crate::identity::{Identity, TokenEnd};
use crate::limit::{ClientLimits, Limiter, SubjectHash};
use crate::metrics::Metrics;
use crate::problem::{INTERNAL, METHOD_NOT_ALLOWED, Problem, TIMEOUT, UNAVAILABLE};
use crate::request_id::{self, RequestId};
use crate::security::{self, AllowedHosts};
use crate::system::AnsweredBy;
use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse;
use futures_util::FutureExt;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::service::TowerToHyperService;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// State shared by all requests.
pub(super) struct Shared {
    pub(super) router: Router,
    pub(super) stored_limiter: Option<Arc<Limiter<IpAddr>>>,
    pub(super) change_limiter: Option<Arc<Limiter<SubjectHash>>>,
    pub(super) identity: Option<Identity>,
    pub(super) idempotency: Option<Idempotency>,
    pub(super) limiter: Option<Arc<Limiter<IpAddr>>>,
    pub(super) names: AllowedHosts,
    pub(super) request_time_max: Duration,
    pub(super) body_bytes_per_second_min: usize,
    /// Longer bodies are watched while they arrive.
    pub(super) body_bytes_max: usize,
    pub(super) strict_problems: Option<StrictProblems>,
    pub(super) metrics: Metrics,
}

/// Answers a request. A panic in the handler becomes `internal`.
pub(super) async fn answer(
    shared: &Shared,
    account: ClientLimits,
    lifetime: ConnectionGuard,
    request: Request<Incoming>,
) -> Response<Body> {
    let connection = lifetime.clone();
    let _in_flight = connection.activity().request();
    let (request, progress) = WatchedBody::watch(request, &connection, shared.body_bytes_max);
    let id = RequestId::of(request.headers());
    let method = request.method().clone();
    let begun = Instant::now();
    let token_end = TokenEnd::default();
    let work = dispatch(shared, account, lifetime, token_end.clone(), request);
    let work = AssertUnwindSafe(work);
    // A panic must not close the connection. Unwind safe: shared state is changed in single steps.
    let mut response = match in_time(shared, &progress, work.catch_unwind()).await {
        Some(Ok(response)) => admit_stream(response, &connection, &token_end),
        Some(Err(_)) => Problem::new(&INTERNAL).into_response(),
        None => Problem::new(&TIMEOUT).into_response(),
    };
    let status = response.status().as_u16();
    let problem = response.extensions().get::<Problem>().map(Problem::problem_type);
    let code = problem.map(|problem| problem.name);
    let took = begun.elapsed();
    let system = response.extensions().get::<AnsweredBy>().map(|system| system.0);
    let operation = response.extensions().get::<OperationId>().map(|operation| operation.0);
    shared.metrics.record_request(system, operation, problem, took);
    let (id_text, took_ms) = (id.as_str(), took.as_secs_f64() * 1e3);
    // Never log the path: it may hold a secret, such as an invitation code.
    if status >= 500 {
        tracing::error!(
            id = id_text, %method, system, operation, status, code, took_ms, "request"
        );
    } else {
        tracing::debug!(
            id = id_text, %method, system, operation, status, code, took_ms, "request"
        );
    }
    security::add_security_headers(response.headers_mut());
    response.headers_mut().insert(request_id::HEADER, id.header());
    watched_answer::watch(response, &connection)
}

/// Applies the request timeout, extended by the received bytes of the body at the minimum rate.
async fn in_time<T>(
    shared: &Shared,
    progress: &BodyProgress,
    work: impl Future<Output = T>,
) -> Option<T> {
    let (begun, mut work) = (tokio::time::Instant::now(), pin!(work));
    let rate = shared.body_bytes_per_second_min.max(1) as f64;
    let end = || {
        let for_body = Duration::from_secs_f64(progress.received() as f64 / rate);
        begun + shared.request_time_max + for_body
    };
    loop {
        match tokio::time::timeout_at(end(), &mut work).await {
            Ok(done) => return Some(done),
            Err(_) if tokio::time::Instant::now() < end() => {}
            Err(_) => return None,
        }
    }
}

/// The response on a connection over the limit.
pub(super) fn refuse(request: &Request<Incoming>) -> Response<Body> {
    let mut response = Problem::new(&UNAVAILABLE).into_response();
    security::add_security_headers(response.headers_mut());
    let id = RequestId::of(request.headers()).header();
    response.headers_mut().insert(request_id::HEADER, id);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

async fn dispatch(
    shared: &Shared,
    account: ClientLimits,
    lifetime: ConnectionGuard,
    token_end: TokenEnd,
    request: Request<WatchedBody>,
) -> Response<Body> {
    if let Err(problem) = admit(shared, &account, &request) {
        return problem.into_response();
    }
    let mut request = request.map(Body::new);
    let extensions = request.extensions_mut();
    extensions.insert(lifetime);
    extensions.insert(account);
    extensions.insert(token_end);
    if let Some(identity) = &shared.identity {
        extensions.insert(identity.clone());
    }
    if let Some(strict) = &shared.strict_problems {
        extensions.insert(strict.clone());
    }
    if let Some(idempotency) = &shared.idempotency {
        extensions.insert(idempotency.clone());
    }
    match TowerToHyperService::new(shared.router.clone()).call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Checks the rate limit, the host and the origin.
fn admit(
    shared: &Shared,
    account: &ClientLimits,
    request: &Request<WatchedBody>,
) -> Result<(), Problem> {
    account.charge()?;
    security::check(request.method(), request.uri(), request.headers(), &shared.names)
}

/// The response to an unsupported method.
pub(super) async fn method_not_allowed() -> Problem {
    Problem::new(&METHOD_NOT_ALLOWED)
}
