//! Server-Sent Events.

use super::push::end_event;
use super::{CloseReason, Subscription};
use crate::api::{Operation, Reply};
use crate::problem::{NOT_FOUND, Problem, UNAVAILABLE};
use crate::server::{OpenStream, StreamSlot};
use axum::body::Body;
use axum::http::Response;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use axum::response::IntoResponse;
use bytes::{Bytes, BytesMut};
use futures_util::stream::unfold;
use singlet::backend::BoxFuture;
use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

/// Reconnect delay for browsers.
const RETRY: &[u8] = b"retry: 2000\n\n";
/// Keep-alive comment.
const COMMENT: &[u8] = b":\n\n";
/// Keep-alive interval. A page that misses two comments knows within 10 s that the connection is
/// lost; many proxies close connections that are silent for a minute.
const COMMENT_INTERVAL: Duration = Duration::from_secs(4);
/// How often access is rechecked.
const RECHECK_INTERVAL: Duration = Duration::from_secs(60);
/// Recheck intervals of two streams differ by up to this, so that clients that connected together
/// do not recheck together.
const RECHECK_SPREAD: Duration = Duration::from_secs(6);
/// Time limit for a recheck.
const RECHECK_TIME_MAX: Duration = Duration::from_secs(10);
/// Queued events are written in chunks of about this size.
const WRITE_BYTES_MAX: usize = 16 << 10;

type Check = dyn Fn() -> BoxFuture<'static, Result<(), Problem>> + Send;

/// Serves a [`Subscription`] as Server-Sent Events: `id`, `event` and `data`, `retry: 2000`, and a
/// comment after 4 s without an event.
///
/// If the server ends the stream, the last event is `end`, with the code and text of a
/// [`CloseReason`]. Pages read the stream with `fetch`, because `EventSource` cannot send
/// `Authorization`.
pub struct EventStream {
    subscription: Subscription,
    check: Option<Box<Check>>,
    recheck_interval: Duration,
}

impl EventStream {
    /// Streams the events of a subscription.
    #[must_use]
    pub fn new(subscription: Subscription) -> Self {
        Self { subscription, check: None, recheck_interval: RECHECK_INTERVAL }
    }

    /// Rechecks access every 60 s and ends the stream when it is refused.
    #[must_use]
    pub fn recheck<F>(mut self, check: impl Fn() -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), Problem>> + Send + 'static,
    {
        self.check = Some(Box::new(move || Box::pin(check())));
        self
    }

    /// Rechecks at this interval instead: for tests.
    #[must_use]
    pub fn recheck_every(mut self, interval: Duration) -> Self {
        self.recheck_interval = interval;
        self
    }
}

impl From<Subscription> for EventStream {
    fn from(subscription: Subscription) -> Self {
        Self::new(subscription)
    }
}

impl Reply for EventStream {
    fn describe(operation: &mut Operation<'_>) {
        operation.replies_as(200, "text/event-stream", "Events, as they come.");
        operation.add_problem(&NOT_FOUND);
        operation.add_problem(&UNAVAILABLE);
    }
}

impl IntoResponse for EventStream {
    fn into_response(self) -> Response<Body> {
        let slot = StreamSlot::default();
        let streaming = Streaming::new(self, slot.clone());
        let body = unfold(streaming, |mut streaming| async move {
            let bytes = streaming.next().await?;
            Some((Ok::<_, Infallible>(bytes), streaming))
        });
        let mut response = Response::new(Body::from_stream(body));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // Keeps a buffering proxy from holding events back.
        headers
            .insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        // The server fills the slot with the connection's permit before the body is read.
        response.extensions_mut().insert(slot);
        response
    }
}

/// A stream being written.
struct Streaming {
    subscription: Subscription,
    slot: StreamSlot,
    /// The connection, from the first byte on. `None` without a server.
    stream: Option<OpenStream>,
    has_begun: bool,
    is_over: bool,
    /// When anything was last sent.
    sent: Instant,
    comment_timer: Pin<Box<Sleep>>,
    /// Resolves when the caller's token expires.
    token_end: BoxFuture<'static, ()>,
    recheck: Option<Recheck>,
}

struct Recheck {
    check: Box<Check>,
    interval: Duration,
    timer: Pin<Box<Sleep>>,
    /// A check in progress.
    running: Option<BoxFuture<'static, Option<CloseReason>>>,
}

/// Events a stream waits for.
enum Next {
    Event(Option<super::Event>),
    Comment,
    End(CloseReason),
}

impl Streaming {
    fn new(stream: EventStream, slot: StreamSlot) -> Self {
        let EventStream { subscription, check, recheck_interval } = stream;
        let now = Instant::now();
        let spread = RECHECK_SPREAD.min(recheck_interval / 10);
        // Ids are assigned in order of subscription.
        let interval = recheck_interval - spread * (subscription.id() % 16) as u32 / 16;
        let recheck = check.map(|check| Recheck {
            check,
            interval,
            timer: Box::pin(sleep_until(now + interval)),
            running: None,
        });
        let comment_timer = Box::pin(sleep_until(now + COMMENT_INTERVAL));
        Self {
            subscription,
            slot,
            stream: None,
            has_begun: false,
            is_over: false,
            sent: now,
            comment_timer,
            token_end: Box::pin(pending()),
            recheck,
        }
    }

    /// The next bytes to write; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if !self.has_begun {
            self.has_begun = true;
            self.stream = self.slot.take();
            if let Some(end) = self.stream.as_ref().and_then(OpenStream::token_end) {
                self.token_end = Box::pin(sleep_until(end));
            }
            let first = self.subscription.try_next();
            let first = first.map_or_else(Bytes::new, |event| event.to_sse());
            return Some([RETRY, &first].concat().into());
        }
        loop {
            let next = tokio::select! {
                event = self.subscription.next() => Next::Event(event),
                () = &mut self.comment_timer => Next::Comment,
                () = stopping(&mut self.stream) => Next::End(CloseReason::Stopping),
                () = &mut self.token_end => Next::End(CloseReason::TokenExpired),
                why = refused(&mut self.recheck) => Next::End(why),
            };
            match next {
                Next::Event(Some(event)) => {
                    self.sent = Instant::now();
                    return Some(self.with_waiting(event.to_sse()));
                }
                Next::Event(None) => {
                    self.is_over = true;
                    return Some(end_event(self.subscription.end_reason()));
                }
                Next::End(why) => {
                    self.is_over = true;
                    return Some(end_event(why));
                }
                Next::Comment => {
                    let now = Instant::now();
                    // The timer is rearmed only when it fires, not for every event.
                    let is_due = now.duration_since(self.sent) >= COMMENT_INTERVAL;
                    if is_due {
                        self.sent = now;
                    }
                    self.comment_timer.as_mut().reset(self.sent + COMMENT_INTERVAL);
                    if is_due {
                        return Some(Bytes::from_static(COMMENT));
                    }
                }
            }
        }
    }

    /// Appends queued events to this one.
    fn with_waiting(&mut self, first: Bytes) -> Bytes {
        let Some(second) = self.subscription.try_next() else { return first };
        let mut all = BytesMut::from(&*first);
        all.extend_from_slice(&second.to_sse());
        while all.len() < WRITE_BYTES_MAX {
            let Some(event) = self.subscription.try_next() else { break };
            all.extend_from_slice(&event.to_sse());
        }
        all.freeze()
    }
}

/// Resolves when the server stops.
async fn stopping(stream: &mut Option<OpenStream>) {
    match stream {
        Some(stream) => stream.stopping().await,
        None => pending().await,
    }
}

/// Resolves when access is refused.
async fn refused(recheck: &mut Option<Recheck>) -> CloseReason {
    let Some(recheck) = recheck else { return pending().await };
    loop {
        // Kept outside this future, which is dropped on every event.
        if let Some(running) = &mut recheck.running {
            let outcome = running.await;
            recheck.running = None;
            recheck.timer.as_mut().reset(Instant::now() + recheck.interval);
            if let Some(why) = outcome {
                return why;
            }
        }
        recheck.timer.as_mut().await;
        let check = (recheck.check)();
        recheck.running = Some(Box::pin(async move {
            match timeout(RECHECK_TIME_MAX, check).await {
                Ok(Ok(())) => None,
                Ok(Err(problem)) if problem.problem_type().status < 500 => {
                    Some(CloseReason::Forbidden)
                }
                // The client is checked again when it reconnects.
                Ok(Err(_)) | Err(_) => Some(CloseReason::Failed),
            }
        }));
    }
}
