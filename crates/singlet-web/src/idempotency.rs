//! Idempotent requests with the header `Idempotency-Key`.
//!
//! A client that got no response can resend its request with the same key: it is executed once, and
//! repetitions get the first response. Routes opt in with
//! [`Route::idempotent`](crate::api::Route::idempotent).
//!
//! A record of each request is kept for a day: a hash to look it up, a hash of its content, and the
//! response. The response is encrypted with the client's key, which is not stored, because it may
//! contain a secret.
//!
//! Once it has claimed its key, a request runs to completion in a separate task, even if the client
//! disconnects. Connection limits bound these tasks: the connection stays counted, and cannot be
//! replaced, until its task has ended. A task has 45 seconds.
//!
//! A response is replayed only to the same caller. Records are looked up by key and credentials, or
//! by key and address for visitors, so a visitor whose address changes executes the request twice.
//! Behind a proxy all visitors share an address, so guessable keys are refused.
//!
//! A replay verifies the token again, but not the system's grants or the groups in the token,
//! unless the route has a check: [`Route::replay_if`](crate::api::Route::replay_if). Without one, a
//! caller who lost a role can get the response for a day.
//!
//! Records are charged to a [`Budget`](crate::budget::Budget), of which an address gets a part and
//! a caller a smaller one. Signed-in callers and visitors have separate budgets. When a budget is
//! spent, stored responses are still replayed, but new requests with a key are refused.
//!
//! Only successful requests are recorded. A refusal frees its key at once, and a repetition is
//! executed ([`Problem::is_safe_to_retry`]). Of a response that is too large, only the success is
//! recorded, and a repetition gets [`ANSWER_NOT_KEPT`]. If the outcome is unknown (a panic, a
//! timeout, a failed store), the key stays locked until a minute after the request began; then a
//! repetition is executed. To rule out a second execution, the work and its record would have to be
//! one write.

mod attempt;
mod quota;
mod seal;
mod strength;

pub(crate) use attempt::Attempt;

use crate::Web;
use crate::api::{Credential, Scheme, read_body, reserve_early};
use crate::identity::Caller;
use crate::limit::{ClientLimits, SubjectHash};
use crate::problem::{
    ANSWER_NOT_KEPT, IN_PROGRESS, INTERNAL, KEY_REUSED, Problem, TIMEOUT, UNAVAILABLE, WEAK_KEY,
};
use crate::server::ConnectionGuard;
use crate::validate::{FieldError, FieldLocation};
use attempt::RequestName;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, OptionalFromRequestParts, Request};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::IntoResponse;
use quota::{Charge, Quota};
use seal::{Kept, Seal};
use singlet::Bytes;
use singlet::backend::BoxFuture;
use singlet::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use strength::is_guessable;

/// The request header with the key.
pub const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// Marks a replayed response.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Shorter keys can be guessed, and with them other callers' responses.
pub(crate) const KEY_LEN_MIN: usize = 16;
/// The longest key accepted.
pub(crate) const KEY_LEN_MAX: usize = 128;
/// How long a response is kept.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// How long a key is locked for a running request.
const LEASE: Duration = Duration::from_secs(60);
/// Time limit of a request: it must end before its key is free again.
const WORK_TIME_MAX: Duration = Duration::from_secs(45);
/// Larger responses are not stored: an item has at most 400 KB.
const ANSWER_BYTES_MAX: usize = 256 << 10;
/// Size limit of any response of an idempotent route.
const ANSWER_READ_MAX: usize = 16 << 20;
/// Size of a record without the response.
const RECORD_BYTES: u64 = 512;
/// Bytes stored per hour for all visitors: some 6,000 responses of 40 KB. An address's part fits
/// two races of three hundred players.
const BYTES_PER_HOUR_MAX: u64 = 256 << 20;
/// The same for signed-in callers, who keep score for hours: a caller's part fits a thousand
/// responses of 16 KB.
const SIGNED_IN_BYTES_PER_HOUR_MAX: u64 = 512 << 20;

/// Stores the responses of idempotent requests. An extension of every request of a
/// [`Server`](crate::Server). Clones share their state.
#[derive(Clone)]
pub struct Idempotency {
    db: Db<Web>,
    /// Separate quotas, so that neither group can spend the other's.
    visitors: Quota,
    signed_in: Quota,
    /// Time limit of a request.
    work_time_max: Duration,
}

/// Added to the key, so that keys of different callers and routes never collide.
pub(crate) struct Scope {
    pub(crate) system: &'static str,
    pub(crate) route: &'static str,
    /// How callers of this route authenticate.
    pub(crate) schemes: Vec<&'static Scheme>,
    /// Whether sign-in is optional.
    pub(crate) may_sign_in: bool,
    /// Decides whether a caller may get a stored response.
    pub(crate) replay_check: Option<ReplayCheck>,
}

/// Rechecks access to a response. If it does not succeed, its response is the refusal.
pub(crate) type ReplayCheck =
    Box<dyn Fn(Request) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

impl Idempotency {
    /// Stores responses in this database, which must have its table.
    #[must_use]
    pub fn new(db: Db<Web>) -> Self {
        Self::with_budgets(db, BYTES_PER_HOUR_MAX, SIGNED_IN_BYTES_PER_HOUR_MAX)
    }

    fn with_budgets(db: Db<Web>, of_visitors: u64, of_signed_in: u64) -> Self {
        let visitors = Quota::new(db.clone(), "idempotency-bytes", of_visitors);
        let signed_in = Quota::new(db.clone(), "idempotency-bytes-signed-in", of_signed_in);
        Self { db, visitors, signed_in, work_time_max: WORK_TIME_MAX }
    }

    /// Claims the key for a request, or finds its response.
    async fn begin(
        &self,
        name: &RequestName,
        fingerprint: &Bytes,
        charge: &Charge,
    ) -> Result<Begun, Problem> {
        let charged = charge.begin().await;
        let attempt = Attempt {
            name: name.clone(),
            fingerprint: fingerprint.clone(),
            answer: None,
            expires: Some(Expiry::at(self.db.now().after(LEASE))),
        };
        if charged.is_ok() {
            match self.db.run(create(&attempt)).await {
                Ok(()) => return Ok(Begun::Mine),
                Err(singlet::Error::ConditionFailed { .. }) => {
                    charge.refund().await;
                }
                Err(error) => return Err(failed(&error)),
            }
        }
        let found = self.db.get(Attempt::key(name).consistent()).await;
        match found.map_err(|error| failed(&error))? {
            Some(other) if other.fingerprint != *fingerprint => Err(Problem::new(&KEY_REUSED)),
            Some(Attempt { answer: Some(answer), .. }) => Ok(Begun::Done(answer)),
            // In progress, or refused just now; or the quota is spent.
            found => {
                let in_progress = Problem::new(&IN_PROGRESS).retry_after(Duration::from_secs(1));
                Err(charged.err().filter(|_| found.is_none()).unwrap_or(in_progress))
            }
        }
    }

    /// Stores the response of a successful request; frees the key of a refused one.
    async fn end(&self, name: &RequestName, outcome: Outcome<Bytes>) {
        let written = match outcome {
            Outcome::Done(answer) => {
                let expires = Expiry::at(self.db.now().after(LIFETIME));
                let kept = update(Attempt::key(name))
                    .set(Attempt::ANSWER, Some(answer))
                    .set(Attempt::EXPIRES, Some(expires));
                self.db.run(kept).await
            }
            Outcome::Refused => self.db.run(delete(Attempt::key(name))).await,
            // The key stays locked until the lease ends.
            Outcome::Unknown => return,
        };
        if let Err(error) = written {
            tracing::error!(%error, "failed to store an idempotent response; its key stays locked for 60 s");
        }
    }
}

enum Begun {
    /// This request holds the key.
    Mine,
    /// Executed before; the encrypted response.
    Done(Bytes),
}

/// Outcome of a request; `A` is its response in some form.
enum Outcome<A> {
    /// It succeeded, with the response to replay.
    Done(A),
    /// Nothing was done. It may be repeated at once.
    Refused,
    /// It may have been done. A repetition could do it twice.
    Unknown,
}

fn failed(error: &singlet::Error) -> Problem {
    tracing::error!(%error, "failed to look up an idempotency key");
    Problem::new(if matches!(error, singlet::Error::Throttled { .. }) {
        &UNAVAILABLE
    } else {
        &INTERNAL
    })
}

/// Executes a request.
pub(crate) type Run = Box<dyn FnOnce(Request) -> BoxFuture<'static, Response<Body>> + Send>;

/// Answers a request, executing it at most once per key.
pub(crate) async fn answer(scope: Arc<Scope>, request: Request, run: Run) -> Response<Body> {
    answer_once(scope, request, run).await.unwrap_or_else(Problem::into_response)
}

async fn answer_once(
    scope: Arc<Scope>,
    request: Request,
    run: Run,
) -> Result<Response<Body>, Problem> {
    let Some(key) = key_of(request.headers())? else { return Ok(run(request).await) };
    let store = request.extensions().get::<Idempotency>().cloned().ok_or_else(|| {
        tracing::error!("a route accepts Idempotency-Key, but the server has no store for it");
        Problem::new(&INTERNAL)
    })?;
    let (mut parts, body) = request.into_parts();
    // Authenticate before reading the body.
    let callers = callers(&scope, &mut parts).await?;
    reserve_early(&mut parts)?;
    let mut reading = Request::new(body);
    // They include the size limit.
    *reading.extensions_mut() = parts.extensions.clone();
    let body = read_body(reading).await?;
    let seal = Seal::of(&key);
    let owner = [scope.system, scope.route].map(str::as_bytes).into_iter();
    let owner: Vec<&[u8]> = owner.chain(callers.names.iter().map(Vec::as_slice)).collect();
    let name = seal.name(&owner).ok_or_else(|| Problem::new(&INTERNAL))?;
    let target = parts.uri.path_and_query().map_or("", |target| target.as_str());
    let fingerprint =
        seal.fingerprint(&[parts.method.as_str().as_bytes(), target.as_bytes(), &body]);
    let client = parts.extensions.get::<ClientLimits>();
    let address = client.and_then(ClientLimits::limited_network);
    let quota = if callers.subject.is_some() { &store.signed_in } else { &store.visitors };
    let charge = Charge { quota: quota.clone(), address, subject: callers.subject };
    let connection = parts.extensions.get().map(ConnectionGuard::occupy);
    let request = Request::from_parts(parts, Body::from(body));
    let keyed = KeyedRequest { scope, store, seal, name, fingerprint, charge, request };
    // This future is dropped if the client disconnects. The task is not: it must release the key.
    let work = tokio::spawn(async move {
        let answered = keyed.answer(run).await;
        drop(connection);
        answered
    });
    // After a panic the outcome is unknown, so the key stays locked.
    work.await.map_err(|_| Problem::new(&INTERNAL))?
}

/// A request with a key, completely received.
struct KeyedRequest {
    scope: Arc<Scope>,
    store: Idempotency,
    seal: Seal,
    name: RequestName,
    fingerprint: Bytes,
    charge: Charge,
    request: Request,
}

impl KeyedRequest {
    /// Claims the key and executes the request, or replays its response. Must not be cancelled.
    async fn answer(self, run: Run) -> Result<Response<Body>, Problem> {
        let Self { scope, store, seal, name, fingerprint, charge, request } = self;
        if let Begun::Done(sealed) = store.begin(&name, &fingerprint, &charge).await? {
            if let Some(check) = &scope.replay_check {
                let checked = check(request).await;
                if !checked.status().is_success() {
                    return Ok(checked);
                }
            }
            let kept = seal.open(&sealed).ok_or_else(|| Problem::new(&INTERNAL))?;
            return Ok(replay(kept));
        }
        let worked = tokio::time::timeout(store.work_time_max, run(request)).await;
        let (answer, outcome) = match worked {
            Ok(response) => judge(response).await,
            Err(_) => (Problem::new(&TIMEOUT).into_response(), Outcome::Unknown),
        };
        let outcome = match outcome {
            Outcome::Done(kept) => seal.close(&kept).map_or(Outcome::Unknown, Outcome::Done),
            Outcome::Refused => Outcome::Refused,
            Outcome::Unknown => Outcome::Unknown,
        };
        match &outcome {
            Outcome::Done(sealed) => charge.end(sealed.0.len() as u64).await,
            Outcome::Refused => charge.refund().await,
            // The record stays until its lease ends.
            Outcome::Unknown => {}
        }
        store.end(&name, outcome).await;
        Ok(answer)
    }
}

/// Identity of the sender.
struct Callers {
    /// One per scheme of the route.
    names: Vec<Vec<u8>>,
    /// Set for a signed-in caller.
    subject: Option<SubjectHash>,
}

/// Identifies the caller by the schemes of the route, or else by address and token.
async fn callers(scope: &Scope, parts: &mut Parts) -> Result<Callers, Problem> {
    let mut names = Vec::new();
    let mut subject = None;
    for scheme in &scope.schemes {
        names.push(match scheme.kind {
            // Tokens are renewed: use the subject.
            Credential::Bearer => {
                let caller =
                    <Caller as FromRequestParts<()>>::from_request_parts(parts, &()).await?;
                subject = Some(SubjectHash::of(&caller.subject));
                caller.subject.into_bytes()
            }
            Credential::Header(name) => {
                parts.headers.get(name).map(|value| value.as_bytes().to_vec()).unwrap_or_default()
            }
        });
    }
    if scope.may_sign_in
        && let Some(caller) =
            <Caller as OptionalFromRequestParts<()>>::from_request_parts(parts, &()).await?
    {
        subject = Some(SubjectHash::of(&caller.subject));
        names.push(caller.subject.into_bytes());
    } else if scope.schemes.is_empty() {
        let network = parts.extensions.get::<ClientLimits>().map(|account| account.network());
        let network = network.map(|network| network.to_string()).unwrap_or_default();
        let token = parts.headers.get(AUTHORIZATION).map(|token| token.as_bytes().to_vec());
        names.extend([network.into_bytes(), token.unwrap_or_default()]);
    }
    Ok(Callers { names, subject })
}

/// The key of a request, with or without the quotes of the draft standard.
fn key_of(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    let key = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    let is_key = (KEY_LEN_MIN..=KEY_LEN_MAX).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_key || headers.get_all(HEADER).iter().count() != 1 {
        let what = "must be one random key of 16 to 128 letters, digits and symbols";
        return Err(Problem::invalid(vec![FieldError::new(
            FieldLocation::Header,
            HEADER.as_str(),
            what,
        )]));
    }
    if is_guessable(key) {
        let detail = "The key is easy to guess. Use a random UUID for each request.";
        return Err(Problem::new(&WEAK_KEY).detail(detail));
    }
    Ok(Some(key.to_owned()))
}

/// Determines the outcome from the response.
async fn judge(response: Response<Body>) -> (Response<Body>, Outcome<Kept>) {
    let status = response.status();
    if !status.is_success() {
        let refused = match response.extensions().get::<Problem>() {
            Some(problem) => problem.is_safe_to_retry(),
            // Not a `Problem`: decide by status. After a timeout the outcome is unknown.
            None => status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT,
        };
        return (response, if refused { Outcome::Refused } else { Outcome::Unknown });
    }
    let (parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, ANSWER_READ_MAX).await else {
        tracing::error!("failed to read a response body: too large, or it ended with an error");
        return (Problem::new(&INTERNAL).into_response(), Outcome::Unknown);
    };
    let header =
        |name| parts.headers.get(name).and_then(|one| one.to_str().ok()).map(str::to_owned);
    let is_too_large = body.len() > ANSWER_BYTES_MAX;
    let kept = Kept {
        status: status.as_u16(),
        location: header(LOCATION),
        etag: header(ETAG),
        body: if is_too_large { String::new() } else { String::from_utf8_lossy(&body).into() },
        is_too_large,
    };
    (Response::from_parts(parts, Body::from(body)), Outcome::Done(kept))
}

/// The stored response, or a problem if it was too large.
fn replay(kept: Kept) -> Response<Body> {
    let mut response = if kept.is_too_large {
        Problem::new(&ANSWER_NOT_KEPT).into_response()
    } else {
        let is_empty = kept.body.is_empty();
        let mut response = Response::new(Body::from(kept.body));
        *response.status_mut() = StatusCode::from_u16(kept.status).unwrap_or_default();
        if !is_empty {
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(CONTENT_TYPE, json);
        }
        response
    };
    let headers = response.headers_mut();
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for (name, value) in [(LOCATION, kept.location), (ETAG, kept.etag)] {
        if let Some(Ok(value)) = value.map(HeaderValue::try_from) {
            headers.insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a panic here is a failing test"
    )]

    use super::*;
    use crate::api::{Api, NoContent, post};
    use crate::identity::{Identity, LocalIssuer};
    use crate::limit::AddressLimits;
    use crate::problem::FORBIDDEN;
    use axum::extract::State;
    use axum::http::request::Builder;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;
    use singlet::Settings;
    use singlet::backend::Embedded;
    use singlet::engine::{Clock, Engine, Options};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::{SystemTime, UNIX_EPOCH};

    async fn never_end(State(count): State<Arc<AtomicU32>>) -> Result<NoContent, Problem> {
        count.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }

    /// After a timeout the outcome is unknown.
    #[tokio::test]
    async fn what_runs_out_of_time_is_not_done_again_at_once() {
        let db = Db::<Web>::memory().await.unwrap();
        let store =
            Idempotency { work_time_max: Duration::from_millis(20), ..Idempotency::new(db) };
        let count = Arc::new(AtomicU32::new(0));
        let route = post("/", never_end).describe("neverEnd", "Never ends.").idempotent();
        let api = Api::new(Arc::clone(&count)).named("test", "A test.").route(route);
        let service = TowerToHyperService::new(api.into_router());
        let ask = async || {
            let request = Request::post("/")
                .header(HEADER, "5b8e5f0c-3b0e-4f53-9f0e-3f2d8a3f1c11")
                .extension(store.clone())
                .body(Body::empty());
            service.call(request.unwrap()).await.unwrap().status().as_u16()
        };
        assert_eq!((ask().await, ask().await), (408, 409));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    async fn greet(State(count): State<Arc<AtomicU32>>) -> Result<NoContent, Problem> {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(NoContent)
    }

    async fn refuse(_: State<Arc<AtomicU32>>) -> Result<NoContent, Problem> {
        Err(Problem::new(&FORBIDDEN))
    }

    async fn greet_caller(
        count: State<Arc<AtomicU32>>,
        _: Option<Caller>,
    ) -> Result<NoContent, Problem> {
        greet(count).await
    }

    /// A budget of `records` requests per hour, for visitors and for signed-in callers.
    fn small(db: Db<Web>, records: u64) -> Idempotency {
        Idempotency::with_budgets(db, records * RECORD_BYTES, records * RECORD_BYTES)
    }

    /// Routes that greet and that refuse, with a small budget for records.
    struct Fixture {
        service: TowerToHyperService<axum::Router>,
        store: Idempotency,
        count: Arc<AtomicU32>,
        issuer: LocalIssuer,
    }

    const HERE: [u8; 4] = [127, 0, 0, 1];
    const STRANGER: [u8; 4] = [192, 0, 2, 1];
    const OTHER_STRANGER: [u8; 4] = [192, 0, 2, 2];

    impl Fixture {
        async fn new(open: impl FnOnce(Db<Web>) -> Idempotency) -> Self {
            // A fixed clock, so that the hour does not end during the test.
            let clock = Clock::fixed(1_773_576_000_000);
            let options = Options { clock: clock.clone(), background: false, ..Options::default() };
            let engine = Engine::memory_with(options).unwrap();
            let settings = Settings { clock, ..Settings::default() };
            let db = Db::<Web>::on(Embedded::new(engine), settings);
            db.provision().await.unwrap();
            let count = Arc::new(AtomicU32::new(0));
            let api = Api::new(Arc::clone(&count))
                .named("test", "A test.")
                .route(post("/", greet_caller).describe("greet", "Greets.").idempotent())
                .route(
                    post("/refused", refuse)
                        .describe("refuse", "Refuses.")
                        .problems([&FORBIDDEN])
                        .idempotent(),
                );
            let service = TowerToHyperService::new(api.into_router());
            Self { service, store: open(db), count, issuer: LocalIssuer::new().unwrap() }
        }

        /// Sends a request with key `number` from this address.
        async fn ask(&self, peer: [u8; 4], path: &str, number: u32) -> Response<Body> {
            self.send(self.request(peer, path, number)).await
        }

        fn request(&self, peer: [u8; 4], path: &str, number: u32) -> Builder {
            Request::post(path)
                .header(HEADER, format!("5b8e5f0c-3b0e-4f53-9f0e-3f2d8a{number:06x}"))
                .extension(self.store.clone())
                .extension(ClientLimits::new(peer.into(), AddressLimits::default()))
        }

        async fn send(&self, request: Builder) -> Response<Body> {
            self.service.call(request.body(Body::empty()).unwrap()).await.unwrap()
        }

        /// The statuses of `count` requests of a signed-in caller on this machine.
        async fn ask_as(&self, subject: &str, count: u32) -> Vec<u16> {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
            let token = self.issuer.sign(subject, &[], now).unwrap();
            let mut statuses = Vec::new();
            for number in 0..count {
                let request = self
                    .request(HERE, "/", number)
                    .header(AUTHORIZATION, format!("Bearer {token}"))
                    .extension(Identity::local(&self.issuer));
                statuses.push(self.send(request).await.status().as_u16());
            }
            statuses
        }

        /// The number of requests answered before one is refused, and the refusal.
        async fn ask_until_refused(&self, peer: [u8; 4]) -> (u32, Response<Body>) {
            let mut kept = 0;
            loop {
                let response = self.ask(peer, "/", kept).await;
                if response.status() != 204 {
                    return (kept, response);
                }
                kept += 1;
            }
        }
    }

    /// Regression: the number of stored responses was unbounded.
    #[tokio::test]
    async fn what_is_kept_of_visitors_has_a_budget() {
        let fixture = Fixture::new(|db| small(db, 4)).await;
        let (kept, refused) = fixture.ask_until_refused(HERE).await;
        assert!((3..=4).contains(&kept), "{kept}");
        assert_eq!(refused.status(), 503);
        assert!(refused.headers().contains_key("retry-after"));
        assert_eq!(fixture.count.load(Ordering::SeqCst), kept);
        // Stored responses are replayed.
        assert!(fixture.ask(HERE, "/", 0).await.headers().contains_key(REPLAYED));
        assert_eq!(fixture.count.load(Ordering::SeqCst), kept);
    }

    /// Regression: refused requests and replays were charged, so one client could exhaust the
    /// budget.
    #[tokio::test]
    async fn what_is_not_kept_costs_nothing() {
        let fixture = Fixture::new(|db| small(db, 64)).await;
        for number in 0..200 {
            assert_eq!(fixture.ask(STRANGER, "/refused", number).await.status(), 403, "{number}");
        }
        for number in 0..200 {
            assert_eq!(fixture.ask(STRANGER, "/", 0).await.status(), 204, "{number}");
        }
        assert_eq!(fixture.count.load(Ordering::SeqCst), 1);
        assert_eq!(fixture.ask(STRANGER, "/", 1).await.status(), 204);
        assert_eq!(fixture.ask(OTHER_STRANGER, "/", 0).await.status(), 204);
    }

    /// Regression: one address could spend three quarters of the budget at once.
    #[tokio::test]
    async fn one_address_has_a_small_part_of_the_budget() {
        let fixture = Fixture::new(|db| small(db, 160)).await;
        let (kept, refused) = fixture.ask_until_refused(STRANGER).await;
        assert!((5..=10).contains(&kept), "{kept}");
        assert_eq!(refused.status(), 429);
        assert!(refused.headers().contains_key("retry-after"));
        assert_eq!(fixture.ask(OTHER_STRANGER, "/", 0).await.status(), 204);
        assert!(fixture.ask(STRANGER, "/", 0).await.headers().contains_key(REPLAYED));
    }

    /// Regression: only visitors were charged. A signed-in caller stored 438 MB with 2,500
    /// requests.
    #[tokio::test]
    async fn what_is_kept_of_callers_has_a_budget() {
        let fixture = Fixture::new(|db| small(db, 128)).await;
        let statuses = fixture.ask_as("ann", 20).await;
        let kept = statuses.iter().filter(|status| **status == 204).count();
        // A caller gets 1/32 of the budget.
        assert!((2..=4).contains(&kept), "{statuses:?}");
        assert!(statuses[kept..].iter().all(|status| *status == 429), "{statuses:?}");
        // Others are not affected until all of it is spent.
        assert_eq!(fixture.ask_as("bob", 1).await, [204]);
        let mut last = Vec::new();
        for number in 0..100 {
            last = fixture.ask_as(&format!("caller-{number}"), 2).await;
        }
        assert_eq!(last, [503, 503]);
        // Visitors have a separate budget, and vice versa.
        assert_eq!(fixture.ask(STRANGER, "/", 0).await.status(), 204);
        let fixture = Fixture::new(|db| small(db, 128)).await;
        assert_eq!(fixture.ask_until_refused(HERE).await.1.status(), 503);
        assert_eq!(fixture.ask_as("ann", 1).await, [204]);
    }
}
