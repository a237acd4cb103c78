//! The server side of a WebSocket.

use super::subscription::Subscription;
use super::{CloseReason, Text};
use crate::api::DeclaredProblems;
use crate::limit::{Bucket, ClientLimits, Rate};
use crate::problem::{INTERNAL, MALFORMED, Problem};
use crate::server::ConnectionGuard;
use crate::validate::{self, FieldLocation, Validator};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use singlet::backend::BoxFuture;
use std::any::TypeId;
use std::collections::HashMap;
use std::future::{Future, pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Bytes, Message};

/// Maximum size of a message from a client. Games send about 100 bytes.
const MESSAGE_BYTES_MAX: usize = 16 << 10;
/// Message rate per client: faster than anyone can click.
const MESSAGE_RATE: Rate = Rate { per_second: 20.0, burst: 40.0 };
/// Pings per client that are not counted as messages. Pages send one every 5 s.
const PING_RATE: Rate = Rate { per_second: 2.0, burst: 10.0 };
/// Bytes buffered for writing to the network.
const WRITE_BYTES_MAX: usize = 1 << 20;
/// How often the server pings the client.
const PING_INTERVAL: Duration = Duration::from_secs(5);
/// A client silent for this long is disconnected.
const SILENCE_MAX: Duration = Duration::from_secs(15);
/// Write stall timeout.
const WRITE_TIME_MAX: Duration = Duration::from_secs(5);
/// How long to wait for the client's side to close. Its input is drained meanwhile; otherwise the
/// kernel resets the connection and the client never sees the close reason.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(1);
/// Bytes drained after a close.
const CLOSE_BYTES_MAX: usize = 1 << 20;

/// An application-level ping, and the reply.
const PING: &str = r#"{"type":"ping"}"#;
const PONG: Text = Text::from_static(r#"{"type":"pong"}"#);

/// Buffer and message limits of all sockets.
pub(super) fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX))
        // Messages are small; the default is 128 KB.
        .read_buffer_size(4 << 10)
        .write_buffer_size(4 << 10)
        .max_write_buffer_size(WRITE_BYTES_MAX)
}

/// One client's WebSocket.
///
/// Closes when the client leaves, is silent for 15 seconds, stops reading, exceeds its message
/// rate, or when the server stops. The socket answers `{"type":"ping"}` with `{"type":"pong"}`
/// itself; within the ping rate this is not counted as a message.
pub struct Socket {
    stream: WebSocketStream<TokioIo<Upgraded>>,
    subscription: Option<Subscription>,
    guard: ConnectionGuard,
    /// When the client last sent anything.
    heard: Instant,
    /// When to ping next.
    ping_at: Instant,
    heartbeat: Option<Heartbeat>,
    allowance: Bucket,
    ping_allowance: Bucket,
    /// Limits of the client's address. Messages count like requests.
    limits: Option<ClientLimits>,
    declared: DeclaredProblems,
    is_over: bool,
}

/// A periodic callback while the client is connected.
struct Heartbeat {
    every: Duration,
    due: Instant,
    renew: Box<dyn FnMut() -> BoxFuture<'static, ()> + Send>,
    running: Option<BoxFuture<'static, ()>>,
}

/// Events a socket waits for.
enum Occurrence {
    Push(Option<super::Event>),
    Message(Option<Result<Message, tungstenite::Error>>),
    Tick,
    Renewed,
    Stop,
}

impl Socket {
    pub(super) fn new(
        stream: WebSocketStream<TokioIo<Upgraded>>,
        guard: ConnectionGuard,
        limits: Option<ClientLimits>,
        declared: DeclaredProblems,
    ) -> Self {
        let now = Instant::now();
        Self {
            stream,
            subscription: None,
            guard,
            heard: now,
            ping_at: now + PING_INTERVAL,
            heartbeat: None,
            allowance: Bucket::full(MESSAGE_RATE),
            ping_allowance: Bucket::full(PING_RATE),
            limits,
            declared,
            is_over: false,
        }
    }

    /// Forwards the subscription to the client while [`Socket::next`] waits.
    pub fn follow(&mut self, subscription: Subscription) {
        self.subscription = Some(subscription);
    }

    /// Calls `renew` at this interval while the client is connected and [`Socket::next`] waits, for
    /// example to renew a presence record. A slow renewal delays the next one.
    pub fn on_heartbeat<F>(
        &mut self,
        every: Duration,
        mut renew: impl FnMut() -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        self.heartbeat = Some(Heartbeat {
            every,
            due: Instant::now() + every,
            renew: Box::new(move || Box::pin(renew())),
            running: None,
        });
    }

    /// The next message; `None` once the connection is closed. Messages count against the limits of
    /// the client's address. Over the limit this returns a problem for [`Socket::refuse`] instead
    /// of the message, and the socket stays open.
    pub async fn next(&mut self) -> Option<Result<Text, Problem>> {
        let mut timer = pin!(sleep_until(self.next_tick()));
        while !self.is_over {
            let occurrence = tokio::select! {
                push = next_event(&mut self.subscription) => Occurrence::Push(push),
                message = self.stream.next() => Occurrence::Message(message),
                () = &mut timer => Occurrence::Tick,
                () = renewed(&mut self.heartbeat) => Occurrence::Renewed,
                () = self.guard.ended() => Occurrence::Stop,
            };
            match occurrence {
                Occurrence::Push(Some(event)) => self.push(event.data().clone()).await,
                Occurrence::Push(None) => {
                    let why = self.subscription.as_ref().map(Subscription::end_reason);
                    self.close(why.unwrap_or(CloseReason::Done)).await;
                }
                Occurrence::Message(Some(Ok(message))) => {
                    if let Some(text) = self.receive(message).await {
                        let charged = self.limits.as_ref().map_or(Ok(()), ClientLimits::charge);
                        return Some(charged.map(|()| text));
                    }
                }
                Occurrence::Message(Some(Err(error))) => match error {
                    tungstenite::Error::Capacity(_) => {
                        self.close(CloseReason::MessageTooLarge).await;
                    }
                    tungstenite::Error::Utf8(_) => self.close(CloseReason::NotText).await,
                    _ => self.is_over = true,
                },
                Occurrence::Message(None) => self.is_over = true,
                Occurrence::Tick => {
                    self.tick().await;
                    timer.as_mut().reset(self.next_tick());
                }
                Occurrence::Renewed => timer.as_mut().reset(self.next_tick()),
                Occurrence::Stop => self.close(CloseReason::Stopping).await,
            }
        }
        None
    }

    /// The next message, validated against the JSON schema of its type; `None` once the connection
    /// is closed. Pass a problem to [`Socket::refuse`].
    pub async fn next_message<M>(&mut self) -> Option<Result<M, Problem>>
    where
        M: DeserializeOwned + JsonSchema + 'static,
    {
        let text = match self.next().await? {
            Ok(text) => text,
            Err(problem) => return Some(Err(problem)),
        };
        let place = FieldLocation::Message;
        let parsed = validate::parse(text.as_bytes(), place).map_err(|error| {
            Problem::new(&MALFORMED).detail(format!("the message is not JSON: {error}"))
        });
        Some(parsed.and_then(|(json, mut errors)| {
            errors.extend(validator_of::<M>().field_errors(&json, place));
            validate::read_checked(&json, errors, place).map_err(Problem::invalid)
        }))
    }

    /// Limits of the client's address.
    #[must_use]
    pub fn account(&self) -> Option<&ClientLimits> {
        self.limits.as_ref()
    }

    /// Sends a text to this client. If that fails, [`Socket::next`] returns `None`.
    pub async fn send(&mut self, text: impl Into<Text>) {
        self.write(Message::Text(text.into())).await;
    }

    /// Sends a message as JSON to this client. If that fails, the socket is closed.
    pub async fn send_message(&mut self, message: &impl Serialize) {
        match serde_json::to_string(message) {
            Ok(text) => self.send(text).await,
            Err(error) => {
                tracing::error!(%error, "a message cannot be written as JSON");
                self.refuse(&Problem::new(&INTERNAL)).await;
            }
        }
    }

    /// Sends a problem as JSON with `type` set to `error`. The route must declare the problem. Its
    /// pointers into the body refer to the message.
    pub async fn refuse(&mut self, problem: &Problem) {
        let checked = self.declared.check(problem);
        let mut message = checked.as_ref().err().unwrap_or(problem).to_json();
        if let Some(kind) = message.get_mut("type") {
            *kind = Value::from("error");
        }
        for error in message.get_mut("errors").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(place) = error.get_mut("in").filter(|place| **place == "body") {
                *place = Value::from("message");
            }
        }
        self.send(message.to_string()).await;
    }

    /// Closes the connection.
    pub async fn close(&mut self, reason: CloseReason) {
        self.subscription = None;
        let frame = CloseFrame { code: reason.code().into(), reason: reason.text().into() };
        self.write(Message::Close(Some(frame))).await;
        if !self.is_over {
            self.is_over = true;
            let _ = timeout(CLOSE_TIME_MAX, discard_rest(self.stream.get_mut())).await;
        }
    }

    fn next_tick(&self) -> Instant {
        let idle = self.heartbeat.as_ref().filter(|heartbeat| heartbeat.running.is_none());
        idle.map_or(self.ping_at, |heartbeat| heartbeat.due.min(self.ping_at))
    }

    /// Runs due timers.
    async fn tick(&mut self) {
        let now = Instant::now();
        if self.heard.elapsed() >= SILENCE_MAX {
            return self.close(CloseReason::Silent).await;
        }
        if let Some(heartbeat) = &mut self.heartbeat
            && heartbeat.running.is_none()
            && heartbeat.due <= now
        {
            heartbeat.running = Some((heartbeat.renew)());
            heartbeat.due = now + heartbeat.every;
        }
        if self.ping_at <= now {
            self.ping_at = now + PING_INTERVAL;
            self.write(Message::Ping(Bytes::new())).await;
        }
    }

    /// The text of a message for the session; control frames are handled here.
    async fn receive(&mut self, message: Message) -> Option<Text> {
        self.heard = Instant::now();
        let now = self.heard.into_std();
        let is_ping = match &message {
            Message::Text(text) => is_ping(text),
            Message::Binary(_) => false,
            _ => true,
        };
        let is_free = is_ping && self.ping_allowance.take(PING_RATE, now).is_ok();
        if !is_free && self.allowance.take(MESSAGE_RATE, now).is_err() {
            self.close(CloseReason::TooManyMessages).await;
            return None;
        }
        match message {
            Message::Text(_) if is_free => {
                self.send(PONG).await;
                None
            }
            Message::Text(text) => Some(text),
            Message::Binary(_) => {
                self.close(CloseReason::NotText).await;
                None
            }
            // Pong and close replies go out with the next flush.
            _ => {
                let flushed = timeout(WRITE_TIME_MAX, self.stream.flush()).await;
                self.is_over |= !matches!(flushed, Ok(Ok(())));
                None
            }
        }
    }

    /// Writes a push and all queued ones with a single flush.
    async fn push(&mut self, first: Text) {
        let Self { stream, subscription, .. } = self;
        let written = timeout(WRITE_TIME_MAX, async {
            let mut next = Some(first);
            while let Some(text) = next {
                stream.feed(Message::Text(text)).await?;
                let waiting = subscription.as_mut().and_then(Subscription::try_next);
                next = waiting.map(|event| event.data().clone());
            }
            stream.flush().await
        });
        self.is_over |= !matches!(written.await, Ok(Ok(())));
    }

    async fn write(&mut self, message: Message) {
        if !self.is_over {
            let written = timeout(WRITE_TIME_MAX, self.stream.send(message)).await;
            self.is_over = !matches!(written, Ok(Ok(())));
        }
    }
}

/// The next event; pending without a subscription.
async fn next_event(subscription: &mut Option<Subscription>) -> Option<super::Event> {
    match subscription {
        Some(subscription) => subscription.next().await,
        None => pending().await,
    }
}

/// Resolves when a running renewal is done.
async fn renewed(heartbeat: &mut Option<Heartbeat>) {
    let running = heartbeat.as_mut().and_then(|heartbeat| heartbeat.running.as_mut());
    match running {
        Some(running) => running.await,
        None => return pending().await,
    }
    if let Some(heartbeat) = heartbeat {
        heartbeat.running = None;
    }
}

/// Shuts down our side and drains the client's.
async fn discard_rest(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let _ = poll_fn(|context| Pin::new(&mut *stream).poll_shutdown(context)).await;
    let mut space = [0; 4 << 10];
    let mut discarded = 0;
    while discarded < CLOSE_BYTES_MAX {
        let read = poll_fn(|context| {
            let mut buffer = ReadBuf::new(&mut space);
            match Pin::new(&mut *stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) => Poll::Ready(buffer.filled().len()),
                Poll::Ready(Err(_)) => Poll::Ready(0),
                Poll::Pending => Poll::Pending,
            }
        });
        match read.await {
            0 => return,
            bytes => discarded += bytes,
        }
    }
}

/// Whether a message is a ping, ignoring whitespace.
fn is_ping(text: &str) -> bool {
    text.len() <= 2 * PING.len()
        && text.bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(PING.bytes())
}

/// The validator of a message type, built once and shared.
fn validator_of<M: JsonSchema + 'static>() -> Arc<Validator> {
    static VALIDATORS: LazyLock<Mutex<HashMap<TypeId, Arc<Validator>>>> =
        LazyLock::new(Mutex::default);
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(TypeId::of::<M>());
    Arc::clone(validator.or_insert_with(|| Arc::new(Validator::of::<M>())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ping_is_known_with_blanks() {
        for text in [PING, r#"{ "type": "ping" }"#] {
            assert!(is_ping(text), "{text}");
        }
        for text in [r#"{"type":"pong"}"#, r#"{"type":"ping","id":1}"#, "", "ping"] {
            assert!(!is_ping(text), "{text}");
        }
    }
}
