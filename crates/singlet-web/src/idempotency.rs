//! Requests that are safe to repeat: the header `Idempotency-Key`.
//!
//! A client that has heard no answer does not know whether its request was carried out. If it had
//! sent a key of its own along, it may send the same again: the request is carried out once, and
//! the answer is the one that got lost. Routes offer this with
//! [`Route::idempotent`](crate::api::Route::idempotent).
//!
//! What is kept, for a day and in a table of its own, is a hash by which the request is found, a
//! hash of what it asked for, and its answer. An answer may hold a secret that is stored nowhere
//! else, so it is kept sealed by the client's key, which is not kept at all.
//!
//! An answer is repeated only to whoever got it first. The request is found by the key together with
//! the caller's credentials; for visitors, with the address that it came from. So the request of a
//! visitor whose address changes between two attempts is carried out twice. Behind a proxy all
//! addresses are one, so a key that can be guessed is refused as well.
//!
//! A repetition has the caller's token verified again. What the system's grants say, or the groups in
//! the token, is not asked again unless the route has a check for it:
//! [`Route::replay_if`](crate::api::Route::replay_if). Without one, who lost a role is told the answer
//! for a day.
//!
//! What is kept comes out of a [`Budget`](crate::budget::Budget), of which one address has a part, and
//! one caller a smaller one. People who have signed in have another budget than those who have not.
//! When it is spent, known answers are repeated, and new requests with a key are refused.
//!
//! Only what was done is kept: a refusal has changed nothing, its key is free at once, and a
//! repetition finds out anew. The problem says whether it is one
//! ([`Problem::is_safe_to_retry`]). An answer that is too large is not kept, only that the request was
//! carried out: a repetition is refused as [`ANSWER_NOT_KEPT`]. Where nobody knows whether something
//! was done, because the server failed in the middle of it, ran out of time or the store failed, the
//! key stays held until a minute after the request began. After that a repetition is carried out; to
//! rule out that it is the second time, what is done and what is kept would have to be one write.

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
use crate::validate::{FieldError, FieldLocation};
use attempt::RequestName;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, OptionalFromRequestParts, Request};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use quota::{Charge, Quota};
use seal::{Kept, Seal};
use singlet::Bytes;
use singlet::backend::BoxFuture;
use singlet::prelude::*;
use std::time::Duration;
use strength::is_guessable;

/// The header in which a client names its request.
pub const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// The header that says that an answer is a repeated one.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Short keys can be guessed, and with them the answers of others.
pub(crate) const KEY_LEN_MIN: usize = 16;
/// No client needs more to tell its requests apart.
pub(crate) const KEY_LEN_MAX: usize = 128;
/// How long an answer is kept.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// How long a key is held for a request that is being carried out.
const LEASE: Duration = Duration::from_secs(60);
/// How long a request may be carried out: it must be over before its key is free again.
const WORK_TIME_MAX: Duration = Duration::from_secs(45);
/// How many bytes an answer may have to be kept: an item has at most 400 KB.
const ANSWER_BYTES_MAX: usize = 256 << 10;
/// How many bytes an answer may have at all.
const ANSWER_READ_MAX: usize = 16 << 20;
/// How many bytes a request takes up in the store besides its answer.
const RECORD_BYTES: u64 = 512;
/// How many bytes are kept in an hour of people who have not signed in, in all: some 6,000
/// answers of 40 KB. The part of one address has room for two races of three hundred players.
const BYTES_PER_HOUR_MAX: u64 = 256 << 20;
/// The same of people who have signed in. More, because they keep the score of games for hours with
/// such requests: the part of one of them has room for a thousand answers of 16 KB.
const SIGNED_IN_BYTES_PER_HOUR_MAX: u64 = 512 << 20;

/// Keeps the answers to requests that may be repeated. Part of every request that a
/// [`Server`](crate::Server) with one answers; clones are one.
#[derive(Clone)]
pub struct Idempotency {
    db: Db<Web>,
    /// For people who have not signed in. Neither kind can spend what the other has.
    strangers: Quota,
    signed_in: Quota,
    /// How long a request may be carried out.
    work_time_max: Duration,
}

/// What a route adds to the key, so that keys of different callers and routes never meet.
pub(crate) struct Scope {
    pub(crate) system: &'static str,
    pub(crate) route: &'static str,
    /// How callers of this route say who they are.
    pub(crate) schemes: Vec<&'static Scheme>,
    /// Whether visitors may call the route, and people who have signed in as themselves.
    pub(crate) may_sign_in: bool,
    /// Who it refuses is not told a kept answer.
    pub(crate) replay_check: Option<ReplayCheck>,
}

/// Asks again whether a caller may have an answer. A response that is no success is the refusal.
pub(crate) type ReplayCheck =
    Box<dyn Fn(Request) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

impl Idempotency {
    /// Keeps answers in this database, which must have its table.
    #[must_use]
    pub fn new(db: Db<Web>) -> Self {
        Self::with_budgets(db, BYTES_PER_HOUR_MAX, SIGNED_IN_BYTES_PER_HOUR_MAX)
    }

    fn with_budgets(db: Db<Web>, of_strangers: u64, of_signed_in: u64) -> Self {
        let strangers = Quota::new(db.clone(), "idempotency-bytes", of_strangers);
        let signed_in = Quota::new(db.clone(), "idempotency-bytes-signed-in", of_signed_in);
        Self { db, strangers, signed_in, work_time_max: WORK_TIME_MAX }
    }

    /// Takes the key for a request, or finds what became of it.
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
                    // Nothing is kept twice.
                    charge.refund().await;
                }
                Err(error) => return Err(failed(&error)),
            }
        }
        let found = self.db.get(Attempt::key(name).consistent()).await;
        match found.map_err(|error| failed(&error))? {
            Some(other) if other.fingerprint != *fingerprint => Err(Problem::new(&KEY_REUSED)),
            Some(Attempt { answer: Some(answer), .. }) => Ok(Begun::Done(answer)),
            // It is still being carried out, or has just been refused, unless there was no room for
            // it.
            found => {
                let in_progress = Problem::new(&IN_PROGRESS).retry_after(Duration::from_secs(1));
                Err(charged.err().filter(|_| found.is_none()).unwrap_or(in_progress))
            }
        }
    }

    /// Keeps what was answered, if something was done, and frees the key if nothing was.
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
            // The lease that the request began with runs on.
            Outcome::Unknown => return,
        };
        if let Err(error) = written {
            tracing::error!(%error, "what became of a request is not kept: its key is held for a minute");
        }
    }
}

enum Begun {
    /// Nobody else carries it out.
    Mine,
    /// It was carried out, and this is the sealed answer.
    Done(Bytes),
}

/// What became of a request that was carried out; `A` is its answer in some form.
enum Outcome<A> {
    /// It was done, and this is to be answered whenever it is repeated.
    Done(A),
    /// Nothing was done. It may be tried again at once.
    Refused,
    /// It may have been done, and there is no answer to repeat. To do it again at once could be to
    /// do it twice.
    Unknown,
}

fn failed(error: &singlet::Error) -> Problem {
    tracing::error!(%error, "keys of requests cannot be looked up");
    Problem::new(if matches!(error, singlet::Error::Throttled { .. }) {
        &UNAVAILABLE
    } else {
        &INTERNAL
    })
}

/// Answers a request; one with a key only once.
pub(crate) async fn answer(scope: &Scope, request: Request, next: Next) -> Response<Body> {
    answer_once(scope, request, next).await.unwrap_or_else(Problem::into_response)
}

async fn answer_once(
    scope: &Scope,
    request: Request,
    next: Next,
) -> Result<Response<Body>, Problem> {
    let Some(key) = key_of(request.headers())? else { return Ok(next.run(request).await) };
    let store = request.extensions().get::<Idempotency>().cloned().ok_or_else(|| {
        tracing::error!("a route offers Idempotency-Key, and the server keeps no answers");
        Problem::new(&INTERNAL)
    })?;
    let (mut parts, body) = request.into_parts();
    // Nothing is read for somebody who may not send it.
    let callers = callers(scope, &mut parts).await?;
    reserve_early(&mut parts)?;
    let mut reading = Request::new(body);
    // The limit of what is read is among them.
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
    let quota = if callers.subject.is_some() { &store.signed_in } else { &store.strangers };
    let charge = Charge { quota: quota.clone(), address, subject: callers.subject };
    if let Begun::Done(sealed) = store.begin(&name, &fingerprint, &charge).await? {
        if let Some(check) = &scope.replay_check {
            let checked = check(Request::from_parts(parts, Body::from(body))).await;
            if !checked.status().is_success() {
                return Ok(checked);
            }
        }
        let kept = seal.open(&sealed).ok_or_else(|| Problem::new(&INTERNAL))?;
        return Ok(replay(kept));
    }
    let request = Request::from_parts(parts, Body::from(body));
    // On its own, because it goes on to the end even if the client does not wait for it.
    let work = tokio::spawn(async move {
        let worked = tokio::time::timeout(store.work_time_max, next.run(request)).await;
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
            // The record stays until its lease is over.
            Outcome::Unknown => {}
        }
        store.end(&name, outcome).await;
        answer
    });
    // What panicked leaves its key held as well, because nobody knows how far it came.
    work.await.map_err(|_| Problem::new(&INTERNAL))
}

/// Who asks.
struct Callers {
    /// In every way in which the route wants to know.
    names: Vec<Vec<u8>>,
    /// Of one who has signed in.
    subject: Option<SubjectHash>,
}

/// Who asks. Where the route does not want to know, or lets in visitors, that is the address of the
/// client, and the token of one that has sent one.
async fn callers(scope: &Scope, parts: &mut Parts) -> Result<Callers, Problem> {
    let mut names = Vec::new();
    let mut subject = None;
    for scheme in &scope.schemes {
        names.push(match scheme.kind {
            // The same person has another token an hour later.
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

/// The key of a request, with or without the quotes that the draft of the standard puts around it.
fn key_of(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    let key = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    let is_key = (KEY_LEN_MIN..=KEY_LEN_MAX).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_key || headers.get_all(HEADER).iter().count() != 1 {
        let what = "must be one key of 16 to 128 letters, digits and signs that nobody can guess";
        return Err(Problem::invalid(vec![FieldError::new(
            FieldLocation::Header,
            HEADER.as_str(),
            what,
        )]));
    }
    if is_guessable(key) {
        let detail = "Others may send the same key. Make a random UUID for each request.";
        return Err(Problem::new(&WEAK_KEY).detail(detail));
    }
    Ok(Some(key.to_owned()))
}

/// An answer, and what it says about what was done.
async fn judge(response: Response<Body>) -> (Response<Body>, Outcome<Kept>) {
    let status = response.status();
    if !status.is_success() {
        let refused = match response.extensions().get::<Problem>() {
            Some(problem) => problem.is_safe_to_retry(),
            // What is no problem of ours is judged by its status alone. One who ran out of time
            // says nothing about how far it came.
            None => status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT,
        };
        return (response, if refused { Outcome::Refused } else { Outcome::Unknown });
    }
    let (parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, ANSWER_READ_MAX).await else {
        tracing::error!("an answer is too large, or was not finished");
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

/// The answer as it was, or that it was too large to be kept.
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
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::{SystemTime, UNIX_EPOCH};

    async fn never_end(State(count): State<Arc<AtomicU32>>) -> Result<NoContent, Problem> {
        count.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }

    /// How far a request came that ran out of time, nobody knows.
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

    /// Keeps so many requests in an hour, of strangers and of others.
    fn small(db: Db<Web>, records: u64) -> Idempotency {
        Idempotency::with_budgets(db, records * RECORD_BYTES, records * RECORD_BYTES)
    }

    /// Routes that greet and that refuse, and a small budget for what is kept of them.
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
            // A clock that stands, so that the hour does not end in between.
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

        /// Sends a request with a key of this number, from this address.
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

        /// The statuses of so many requests of somebody who has signed in, on this machine.
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

        /// How many requests are answered before one is refused, and the refusal.
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

    /// Answers were kept for a day without an end to how many.
    #[tokio::test]
    async fn what_is_kept_of_strangers_has_a_budget() {
        let fixture = Fixture::new(|db| small(db, 4)).await;
        let (kept, refused) = fixture.ask_until_refused(HERE).await;
        assert!((3..=4).contains(&kept), "{kept}");
        assert_eq!(refused.status(), 503);
        assert!(refused.headers().contains_key("retry-after"));
        assert_eq!(fixture.count.load(Ordering::SeqCst), kept);
        // What is known is repeated all the same.
        assert!(fixture.ask(HERE, "/", 0).await.headers().contains_key(REPLAYED));
        assert_eq!(fixture.count.load(Ordering::SeqCst), kept);
    }

    /// Requests that were refused, and repetitions, were charged although nothing was kept of them:
    /// one client could spend what there was for everybody.
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

    /// One address could spend three quarters of the budget of all at once.
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

    /// Only people who had not signed in were charged: one caller had 438 MB kept with 2,500
    /// requests.
    #[tokio::test]
    async fn what_is_kept_of_callers_has_a_budget() {
        let fixture = Fixture::new(|db| small(db, 128)).await;
        let statuses = fixture.ask_as("ann", 20).await;
        let kept = statuses.iter().filter(|status| **status == 204).count();
        // One caller has a thirty-second part.
        assert!((2..=4).contains(&kept), "{statuses:?}");
        assert!(statuses[kept..].iter().all(|status| *status == 429), "{statuses:?}");
        // Others do not notice, until all of it is spent.
        assert_eq!(fixture.ask_as("bob", 1).await, [204]);
        let mut last = Vec::new();
        for number in 0..100 {
            last = fixture.ask_as(&format!("caller-{number}"), 2).await;
        }
        assert_eq!(last, [503, 503]);
        // Who has not signed in has a budget of their own, and the other way round.
        assert_eq!(fixture.ask(STRANGER, "/", 0).await.status(), 204);
        let fixture = Fixture::new(|db| small(db, 128)).await;
        assert_eq!(fixture.ask_until_refused(HERE).await.1.status(), 503);
        assert_eq!(fixture.ask_as("ann", 1).await, [204]);
    }
}
