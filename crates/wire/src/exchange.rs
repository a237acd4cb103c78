//! The life of one request, from its head to its answer.

use crate::admission::Admission;
use crate::answer::{self, RequestIds, Style};
use crate::body::{self, Body, Refused};
use crate::host;
use crate::limits::Limits;
use crate::metrics::{Metrics, Outcome};
use crate::rejection::Rejection;
use crate::signature::{self, Credentials, SignedParts};
use crate::target::Operation;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HOST, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, Version};
use singlet_dynamo::json::{Reader, Writer};
use singlet_dynamo::{Error, ErrorKind, operation};
use singlet_engine::{Clock, Engine};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Instant;

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
/// Room for the answer to a GetItem of usual size, so that it is written without growing.
const ANSWER_BYTES_USUAL: usize = 1024;

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) clock: Clock,
    pub(crate) ids: RequestIds,
    pub(crate) admission: Admission,
    pub(crate) metrics: Metrics,
    /// Whether the endpoint listens on a loopback address, and so must be meant by its name.
    pub(crate) is_local: bool,
}

/// Why a request is refused.
enum Refusal {
    ByDynamo(Error),
    ByHttp(Rejection),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::ByDynamo(error)
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::ByHttp(rejection)
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Rejected(rejection) => Self::ByHttp(rejection),
            Refused::NoRoom => Self::ByDynamo(Error::new(ErrorKind::Throttling)),
        }
    }
}

impl Shared {
    /// Answers a request, whatever it is. A mistake of ours is an answer too.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        is_peer_local: bool,
    ) -> Response<Body> {
        let start = Instant::now();
        let (head, body) = request.into_parts();
        let kind = json_kind(&head.headers);
        let is_json = kind.is_some();
        let style = Style {
            id: self.ids.next(),
            json: kind.unwrap_or(answer::JSON),
            is_http2: head.version == Version::HTTP_2,
            admission: &self.admission,
        };
        if head.method == Method::GET && is_allowed_host(self, &head) {
            return self.look(&head, is_peer_local, style);
        }
        let target = head.headers.get(TARGET).map_or(&b""[..], HeaderValue::as_bytes);
        let operation = Operation::of_target(target);
        let work = self.carry_out(&head, is_json, body, operation);
        let carried_out = unless_panicked(work).await.unwrap_or_else(|| {
            self.metrics.panics.fetch_add(1, Ordering::Relaxed);
            let operation = operation.map(Operation::name);
            tracing::error!(operation, id = ?style.id, "a request met a mistake of ours");
            Err(Error::new(ErrorKind::InternalServerError).into())
        });
        let (response, outcome) = match carried_out {
            Ok(json) => (style.json(json), Outcome::Answered),
            Err(Refusal::ByDynamo(error)) => (style.error(&error), Outcome::Refused(error.kind())),
            Err(Refusal::ByHttp(rejection)) => {
                (style.rejection(rejection), Outcome::Rejected(rejection))
            }
        };
        let time = start.elapsed();
        self.metrics.record(operation, outcome, time);
        tracing::debug!(
            operation = operation.map(Operation::name),
            outcome = outcome.label(),
            micros = time.as_micros(),
            id = answer::id(&response),
            "answered"
        );
        response
    }

    /// Answers those who only look. Whether the endpoint is there may be known to all. What it does
    /// may be known to this machine, and to those who could make it do things.
    fn look(&self, head: &Parts, is_peer_local: bool, style: Style<'_>) -> Response<Body> {
        match head.uri.path() {
            "/health" => match self.engine.check_writable() {
                Ok(()) => style.text("ok\n"),
                Err(_) => style.rejection(Rejection::Unhealthy),
            },
            "/metrics" => {
                let allowed = if is_peer_local { Ok(()) } else { self.authenticate(head, &[]) };
                match allowed {
                    Ok(()) => style.text(self.metrics.render(&self.engine, &self.admission)),
                    Err(error) => style.error(&error),
                }
            }
            // What the service says to a GET. Scripts that wait for an endpoint look for it.
            _ => style
                .text(format!("healthy: dynamodb.{}.amazonaws.com ", self.engine.home().region)),
        }
    }

    /// Carries out a request, and gives the body of its answer.
    async fn carry_out(
        &self,
        head: &Parts,
        is_json: bool,
        body: Incoming,
        operation: Option<Operation>,
    ) -> Result<Vec<u8>, Refusal> {
        if !is_allowed_host(self, head) {
            return Err(Rejection::ForeignHost.into());
        }
        let Some(_ticket) = self.admission.admit() else {
            return Err(Error::new(ErrorKind::Throttling).into());
        };
        let body =
            body::read(body, !head.headers.contains_key(EXPECT), &self.limits, &self.admission)
                .await?;
        if head.method != Method::POST || !(is_json || body.bytes().is_empty()) {
            return Err(Rejection::NoOperation.into());
        }
        let Some(operation) = operation else {
            return Err(no_operation(head, body.bytes()).into());
        };
        self.authenticate(head, body.bytes())?;
        let body = match head.headers.get(CONTENT_ENCODING) {
            Some(encoding) if encoding.as_bytes().eq_ignore_ascii_case(b"gzip") => {
                body.inflate(self.limits.body_bytes_max)?
            }
            _ => body,
        };
        let request = operation::Request::from_json(operation.name(), body.bytes())?;
        if !self.admission.has_room() {
            return Err(Error::new(ErrorKind::Throttling).into());
        }
        let answer = self.engine.execute_async(request).await.map_err(|error| {
            if error.refusal().is_none() {
                tracing::error!(operation = operation.name(), %error, "the engine failed");
            }
            error.to_dynamo()
        })?;
        let mut writer = Writer::with_buffer(Vec::with_capacity(ANSWER_BYTES_USUAL));
        answer.write_json(&mut writer);
        Ok(writer.into_bytes())
    }

    fn authenticate(&self, head: &Parts, body: &[u8]) -> Result<(), Error> {
        let Some(credentials) = &self.credentials else { return Ok(()) };
        let parts = SignedParts {
            method: head.method.as_str(),
            path: head.uri.path(),
            query: head.uri.query().unwrap_or_default(),
            host: host(head).unwrap_or_default(),
            headers: &head.headers,
            body,
        };
        signature::verify(parts, credentials, self.clock.now())
    }
}

/// What comes out of work, unless it panics.
///
/// What one request brings down must not bring down its connection or the process. What requests
/// share is changed in single steps, none of which can be left half done.
async fn unless_panicked<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(progress) => progress.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

fn is_allowed_host(shared: &Shared, head: &Parts) -> bool {
    !shared.is_local || host(head).is_some_and(host::is_local)
}

/// Which host the request is meant for. A request that names several is meant for none.
fn host(head: &Parts) -> Option<&str> {
    if let Some(authority) = head.uri.authority() {
        return Some(authority.as_str());
    }
    let mut hosts = head.headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    }
}

/// The kind of JSON that the body is said to be, if it is one that the service takes.
fn json_kind(headers: &HeaderMap) -> Option<HeaderValue> {
    let kind = headers.get(CONTENT_TYPE)?.as_bytes();
    let kind = kind.split(|byte| *byte == b';').next()?.trim_ascii();
    [answer::JSON_1_0, answer::JSON].into_iter().find(|known| known.as_bytes() == kind)
}

/// The service reads the body before it looks at the target.
fn no_operation(head: &Parts, body: &[u8]) -> Error {
    let is_json = || {
        let mut reader = Reader::new(body)?;
        reader.skip()?;
        reader.end()
    };
    if !body.is_empty() && is_json().is_err() {
        return Error::serialization("");
    }
    match head.headers.get(TARGET).and_then(|target| Operation::unoffered_name(target.as_bytes())) {
        // The service has no text for this. But it also has no operations that it does not offer.
        Some(name) => Error::with_message(
            ErrorKind::UnknownOperation,
            format!("Singlet does not offer the operation {name}."),
        ),
        None => Error::new(ErrorKind::UnknownOperation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_ends_the_work_and_nothing_else() {
        assert_eq!(unless_panicked(async { 7 }).await, Some(7));
        let planted = async {
            tokio::task::yield_now().await;
            panic!("a planted mistake");
        };
        assert_eq!(unless_panicked::<()>(planted).await, None);
        assert_eq!(unless_panicked(async { 8 }).await, Some(8));
    }
}
