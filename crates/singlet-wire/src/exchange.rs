//! The life of one request, from its head to its response.

use crate::admission::{Admission, ReturnedItem, SMALL_BYTES_MAX};
use crate::answer::{self, RequestIds, Style, Written};
use crate::body::{self, Body, Received, Refused};
use crate::connection::Client;
use crate::lane::LargeLane;
use crate::limits::Limits;
use crate::metrics::{Metrics, Outcome};
use crate::rejection::Rejection;
use crate::signature::{self, Credentials, SignedParts};
use crate::target::Operation;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, Version};
use singlet_dynamo::json::{Reader, Writer};
use singlet_dynamo::operation::{self, Answer, ReturnValues};
use singlet_dynamo::{Error, ErrorKind};
use singlet_edge::{Reservation, Transfer, host};
use singlet_engine::{Clock, Engine, Error as EngineError, RequestContext};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Duration, Instant};

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
/// Initial buffer for responses, enough for a typical GetItem.
const ANSWER_BYTES_USUAL: usize = 1024;
/// Items up to this size are encoded on the thread that serves the socket, which takes about half a
/// millisecond.
const INLINE_BYTES_MAX: usize = 256 << 10;
/// JSON is at most this many times larger than the stored item, for nearly all items. A list of
/// NULLs grows by a factor of 14.
const JSON_GROWTH_USUAL: usize = 2;
/// Pause between attempts to find room.
const ROOM_RETRY_PAUSE: Duration = Duration::from_millis(50);
/// How far responses to writes may exceed a room after they have waited for it.
const BEYOND_ROOM_BYTES_MAX: usize = 32 << 20;
/// Responses to writes up to this size do not wait: the request limit bounds them.
const UNDELAYED_BYTES_MAX: usize = 4 << 10;

/// State shared by all requests.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) clock: Clock,
    pub(crate) ids: RequestIds,
    pub(crate) admission: Admission,
    pub(crate) metrics: Metrics,
    pub(crate) lane: LargeLane,
    /// Whether the endpoint listens on a loopback address, and so must check `Host`.
    pub(crate) is_on_loopback: bool,
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
    /// Responds to any request, even if its handler panics.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: &Arc<Client>,
        arriving: Option<Transfer>,
    ) -> Response<Body> {
        let start = Instant::now();
        let (head, body) = request.into_parts();
        let kind = json_kind(&head.headers);
        let is_json = kind.is_some();
        let style = Style {
            id: self.ids.next(),
            json: kind.unwrap_or(answer::JSON),
            is_http2: head.version == Version::HTTP_2,
        };
        if head.method == Method::GET && is_allowed_host(self, &head) {
            return self.answer_get(&head, client, style).await;
        }
        let target = head.headers.get(TARGET).map_or(&b""[..], HeaderValue::as_bytes);
        let operation = Operation::of_target(target);
        let carried_out = {
            let parts = (body, arriving);
            let work = pin!(self.carry_out(&head, is_json, parts, operation, client, &style));
            unless_panicked(work).await
        };
        let carried_out = carried_out.unwrap_or_else(|| {
            self.metrics.panics.fetch_add(1, Ordering::Relaxed);
            let operation = operation.map(Operation::name);
            tracing::error!(operation, id = ?style.id, "a request handler panicked");
            Err(Error::new(ErrorKind::InternalServerError).into())
        });
        let (response, outcome) = match carried_out {
            Ok(written) => (style.json(written, client), Outcome::Answered),
            Err(Refusal::ByDynamo(error)) => {
                let (response, kind) = self.refuse(error, client, style).await;
                (response, Outcome::Refused(kind))
            }
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

    /// Responds to GET: `/health` for all clients, `/metrics` for local clients or signed requests.
    async fn answer_get(&self, head: &Parts, client: &Client, style: Style) -> Response<Body> {
        match head.uri.path() {
            "/health" => match self.engine.check_writable() {
                Ok(()) => style.text("ok\n"),
                Err(_) => style.rejection(Rejection::Unhealthy),
            },
            "/metrics" => {
                let allowed = if client.is_local { Ok(()) } else { self.authenticate(head, &[]) };
                match allowed {
                    Ok(()) => self.answer_metrics(client, style).await,
                    Err(error) => style.error(&error, client),
                }
            }
            // The service's response to GET. Scripts that wait for an endpoint look for it.
            _ => style
                .text(format!("healthy: dynamodb.{}.amazonaws.com ", self.engine.home().region)),
        }
    }

    /// The metrics page. It takes room over HTTP/2, where one connection can request many, but not
    /// over HTTP/1.1, where it would show up in its own figures.
    async fn answer_metrics(&self, client: &Client, style: Style) -> Response<Body> {
        let page = self.metrics.render(&self.engine, &self.admission);
        if !style.is_http2 {
            return style.text(page);
        }
        match self.find_room(client, page.len(), Effect::Read).await {
            Ok(hold) => style.held_text(page.into_bytes(), hold, client),
            Err(_) => style.error(&Error::new(ErrorKind::Throttling), client),
        }
    }

    /// Executes a request and returns the body of its response.
    async fn carry_out(
        self: &Arc<Self>,
        head: &Parts,
        is_json: bool,
        (body, arriving): (Incoming, Option<Transfer>),
        operation: Option<Operation>,
        client: &Arc<Client>,
        style: &Style,
    ) -> Result<Written, Refusal> {
        if !is_allowed_host(self, head) {
            return Err(Rejection::ForeignHost.into());
        }
        let is_sending = !head.headers.contains_key(EXPECT);
        let rooms = &self.admission.rooms;
        let mut body = body::read(body, arriving, is_sending, &self.limits, rooms, client).await?;
        let _received = client.activity.receive();
        if head.method != Method::POST || !(is_json || body.bytes().is_empty()) {
            return Err(Rejection::NoOperation.into());
        }
        let is_gzip = head
            .headers
            .get(CONTENT_ENCODING)
            .is_some_and(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"gzip"));
        let (request, _hold) = if body.is_large() || is_gzip {
            // The request queues for a large-request thread.
            body.count(rooms, client)?;
            let unverified = UnverifiedBody { body, is_gzip };
            let (shared, owner, head) = (Arc::clone(self), Arc::clone(client), head.clone());
            let verify = move || unverified.verify(&shared, &owner, &head, operation);
            self.lane.run(client.shares.client(), verify).await?
        } else {
            UnverifiedBody { body, is_gzip }.verify(self, client, head, operation)?
        };
        let Some(_taken_on) = self.admission.admit(&client.shares) else {
            return Err(Error::new(ErrorKind::Throttling).into());
        };
        let effect = Effect::of(&request);
        // The item a write returns must have room before the commit, while the write can still be
        // refused. It keeps that room until the response has its own.
        let returned = returns_item(&request).then(|| rooms.hold_returned_item(&client.shares));
        let context = RequestContext {
            client: Some(client.shares.account.clone()),
            room: returned.as_ref().map(ReturnedItem::as_room),
        };
        let _executing = client.activity.execute();
        let operation = request.operation();
        let answer = self.engine.start_for(&context, *request).await.map_err(|error| {
            let is_expected = matches!(error, EngineError::Overloaded | EngineError::Closed);
            if error.refusal().is_none() && !is_expected {
                tracing::error!(operation, %error, "the engine failed");
            }
            error.to_dynamo()
        })?;
        self.write(answer, effect, client, style).await
    }

    /// Encodes a response once there is room for it.
    ///
    /// A read can be refused and repeated later. A committed write cannot be refused.
    async fn write(
        &self,
        answer: Answer,
        effect: Effect,
        client: &Client,
        style: &Style,
    ) -> Result<Written, Refusal> {
        let expected = answer.item_bytes();
        if expected <= SMALL_BYTES_MAX {
            let written = written(&answer);
            if !style.needs_room(written.len()) {
                return Ok(written);
            }
            let hold = self.find_room(client, written.len(), effect).await?;
            return Ok(written.in_room(hold));
        }
        let answer = Box::new(answer);
        let usual = expected * JSON_GROWTH_USUAL;
        let hold = self.find_room(client, usual, effect).await?;
        let owner = client.shares.client();
        let begun = match expected {
            0..=INLINE_BYTES_MAX => write_within(answer, expected, hold),
            _ => self.lane.run(owner, move || write_within(answer, expected, hold)).await,
        };
        let (answer, hold) = match begun {
            Ok(written) => return Ok(written),
            // The JSON is longer than usual.
            Err(unwritten) => unwritten,
        };
        let count = move || {
            let mut writer = Writer::counting();
            answer.write_json(&mut writer);
            (answer, writer.written_len())
        };
        let (answer, bytes) = self.lane.run(owner, count).await;
        let hold = self.find_more_room(hold, bytes.saturating_sub(usual), effect).await?;
        let written = self.lane.run(owner, move || write_within(answer, bytes, hold)).await;
        written.map_err(|_| Error::new(ErrorKind::InternalServerError).into())
    }

    /// Responds with an error. An error with large items needs room like a large response; without
    /// room it becomes ThrottlingException.
    async fn refuse(
        &self,
        error: Error,
        client: &Client,
        style: Style,
    ) -> (Response<Body>, ErrorKind) {
        let kind = error.kind();
        let written = match error.item_bytes() {
            0..=SMALL_BYTES_MAX => {
                let written = answer::error_body(&error);
                match style.needs_room(written.len()) {
                    false => Ok(written),
                    true => self
                        .find_room(client, written.len(), Effect::Read)
                        .await
                        .map(|hold| written.in_room(hold)),
                }
            }
            expected => self.write_large_error(error, expected, client).await,
        };
        match written {
            Ok(written) => (style.written_error(kind, written, client), kind),
            Err(_) => {
                let throttled = Error::new(ErrorKind::Throttling);
                (style.error(&throttled, client), ErrorKind::Throttling)
            }
        }
    }

    /// Encodes an error with many bytes of items, if there is room.
    async fn write_large_error(
        &self,
        error: Error,
        expected: usize,
        client: &Client,
    ) -> Result<Written, Refusal> {
        let owner = client.shares.client();
        let hold = self.find_room(client, expected, Effect::Read).await?;
        let count = move || {
            let mut writer = Writer::counting();
            error.write_json(&mut writer);
            (error, writer.written_len())
        };
        let (error, bytes) = self.lane.run(owner, count).await;
        let more = bytes.saturating_sub(expected);
        let mut hold = self.find_more_room(hold, more, Effect::Read).await?;
        let write = move || {
            let written = answer::error_body(&error);
            hold.shrink_to(written.len());
            written.in_room(hold)
        };
        Ok(self.lane.run(owner, write).await)
    }

    /// Finds room for a response: at once, or, for a response that cannot be refused, within a time
    /// limit.
    async fn find_room(
        &self,
        client: &Client,
        bytes: usize,
        effect: Effect,
    ) -> Result<Reservation, Refusal> {
        let hold = self.admission.rooms.hold_answer(&client.shares, bytes);
        self.find_more_room(hold, bytes, effect).await
    }

    /// Like [`Shared::find_room`], for a response that already holds some.
    async fn find_more_room(
        &self,
        mut hold: Reservation,
        bytes: usize,
        effect: Effect,
    ) -> Result<Reservation, Refusal> {
        if hold.add(bytes) {
            return Ok(hold);
        }
        if effect == Effect::Read {
            return Err(Error::new(ErrorKind::Throttling).into());
        }
        let until = Instant::now() + self.limits.room_time_max;
        loop {
            let is_over = Instant::now() >= until;
            let waits = !is_over && bytes > UNDELAYED_BYTES_MAX;
            if !waits && hold.add_beyond(bytes, BEYOND_ROOM_BYTES_MAX) {
                return Ok(hold);
            }
            if is_over {
                return Err(no_room_for_done(bytes));
            }
            tokio::time::sleep(ROOM_RETRY_PAUSE).await;
            if hold.add(bytes) {
                return Ok(hold);
            }
        }
    }

    fn authenticate(&self, head: &Parts, body: &[u8]) -> Result<(), Error> {
        let Some(credentials) = &self.credentials else { return Ok(()) };
        let parts = SignedParts {
            method: head.method.as_str(),
            path: head.uri.path(),
            query: head.uri.query().unwrap_or_default(),
            host: host::of(head).unwrap_or_default(),
            headers: &head.headers,
            body,
        };
        signature::verify(parts, credentials, self.clock.now())
    }
}

/// The result of a future, or `None` if it panicked.
///
/// A panic in one request must not end its connection or the process. Shared state is safe to use
/// afterwards, because it is only changed in single steps.
async fn unless_panicked<T>(mut work: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(progress) => progress.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

fn is_allowed_host(shared: &Shared, head: &Parts) -> bool {
    !shared.is_on_loopback || host::of(head).is_some_and(host::is_local)
}

/// The write is committed, but its response cannot be held. As after a lost connection, the client
/// does not learn the outcome.
fn no_room_for_done(bytes: usize) -> Refusal {
    tracing::warn!(bytes, "no room for the response to a committed write");
    Error::new(ErrorKind::InternalServerError).into()
}

/// Whether a request can still be refused after execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Changes nothing, so it can be refused at any time.
    Read,
    /// Cannot be refused once it is committed.
    Write,
}

impl Effect {
    fn of(request: &operation::Request) -> Self {
        use operation::Request as R;
        match request {
            R::GetItem(_)
            | R::Query(_)
            | R::Scan(_)
            | R::BatchGetItem(_)
            | R::TransactGetItems(_)
            | R::DescribeEndpoints(_)
            | R::DescribeLimits(_)
            | R::DescribeStream(_)
            | R::DescribeTable(_)
            | R::DescribeTimeToLive(_)
            | R::GetRecords(_)
            | R::GetShardIterator(_)
            | R::ListStreams(_)
            | R::ListTables(_)
            | R::ListTagsOfResource(_) => Self::Read,
            R::PutItem(_)
            | R::DeleteItem(_)
            | R::UpdateItem(_)
            | R::BatchWriteItem(_)
            | R::CreateTable(_)
            | R::DeleteTable(_)
            | R::TagResource(_)
            | R::TransactWriteItems(_)
            | R::UntagResource(_)
            | R::UpdateTable(_)
            | R::UpdateTimeToLive(_) => Self::Write,
        }
    }
}

/// Whether a write may return an item, on success or failure. The engine counts the items of a
/// cancelled transaction.
fn returns_item(request: &operation::Request) -> bool {
    use operation::Request as R;
    match request {
        R::PutItem(request) => request.return_old || request.return_old_on_failure,
        R::DeleteItem(request) => request.return_old || request.return_old_on_failure,
        R::UpdateItem(request) => {
            request.return_values != ReturnValues::None || request.return_old_on_failure
        }
        _ => false,
    }
}

fn written(answer: &Answer) -> Written {
    let mut writer = Writer::with_buffer(Vec::with_capacity(ANSWER_BYTES_USUAL));
    answer.write_json(&mut writer);
    Written::new(writer.into_bytes())
}

/// Encodes a response into its reserved room and releases the rest; returns the response if it does
/// not fit. The JSON of a text is slightly longer than the stored item, so the buffer is too.
/// Otherwise the last bytes would double it, beyond what is counted.
fn write_within(
    answer: Box<Answer>,
    expected: usize,
    mut hold: Reservation,
) -> Result<Written, (Box<Answer>, Reservation)> {
    let buffer =
        Vec::with_capacity((expected + expected / 8 + ANSWER_BYTES_USUAL).min(hold.bytes()));
    let mut writer = Writer::with_limit(buffer, hold.bytes());
    answer.write_json(&mut writer);
    if writer.is_over() {
        return Err((answer, hold));
    }
    let written = Written::new(writer.into_bytes());
    hold.shrink_to(written.len());
    Ok(written.in_room(hold))
}

/// A received body that is not verified yet.
struct UnverifiedBody {
    body: Received,
    is_gzip: bool,
}

impl UnverifiedBody {
    /// Verifies the signature and parses the request, which takes over the body's reservation.
    fn verify(
        self,
        shared: &Shared,
        client: &Client,
        head: &Parts,
        operation: Option<Operation>,
    ) -> Result<(Box<operation::Request>, Option<Reservation>), Refusal> {
        let Self { mut body, is_gzip } = self;
        let Some(operation) = operation else {
            return Err(no_operation(head, body.bytes()).into());
        };
        shared.authenticate(head, body.bytes())?;
        if is_gzip {
            body = body.inflate(shared.limits.body_bytes_max, &shared.admission.rooms, client)?;
        }
        let request = operation::Request::from_json(operation.name(), body.bytes())?;
        // Boxed, because it has up to 1 KB and is moved several times.
        Ok((Box::new(request), body.into_hold()))
    }
}

/// The request's JSON content type, if the service accepts it.
fn json_kind(headers: &HeaderMap) -> Option<HeaderValue> {
    let kind = headers.get(CONTENT_TYPE)?.as_bytes();
    // All SDKs send this.
    if kind == answer::JSON_1_0_NAME.as_bytes() {
        return Some(answer::JSON_1_0);
    }
    let kind = kind.split(|byte| *byte == b';').next()?.trim_ascii();
    [answer::JSON_1_0, answer::JSON].into_iter().find(|known| known.as_bytes() == kind)
}

/// The service reads the body before it checks the target.
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
        // Our own text: the service has no operations that it does not offer.
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
        assert_eq!(unless_panicked(pin!(async { 7 })).await, Some(7));
        let planted = async {
            tokio::task::yield_now().await;
            panic!("a planted mistake");
        };
        assert_eq!(unless_panicked::<()>(pin!(planted)).await, None);
        assert_eq!(unless_panicked(pin!(async { 8 })).await, Some(8));
    }
}
