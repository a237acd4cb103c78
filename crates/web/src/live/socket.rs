//! One browser's connection.

use super::Text;
use super::hub::Subscriber;
use crate::limit::{Bucket, ClientLimits, Rate};
use crate::problem::Problem;
use crate::server::ConnectionGuard;
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Bytes, Message};

/// How many bytes a message from a browser may have. Games send a hundred.
const MESSAGE_BYTES_MAX: usize = 16 << 10;
/// How often a browser may send something: faster than anybody can click.
const MESSAGE_RATE: Rate = Rate { per_second: 20.0, burst: 40.0 };
/// How many bytes may wait in a socket until the network takes them.
const WRITE_BYTES_MAX: usize = 1 << 20;
/// How often we ask whether somebody is there. Many proxies cut what is silent for a minute.
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// After so much silence nobody is there.
const SILENCE_MAX: Duration = Duration::from_secs(50);
/// How long the network may refuse what we write. A browser that does not read for so long is
/// gone, or wants us to keep what it does not want.
const WRITE_TIME_MAX: Duration = Duration::from_secs(5);

/// How the bytes of all sockets are dealt with.
pub(super) fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX))
        // The default of 128 KB is for those who read more than clicks.
        .read_buffer_size(4 << 10)
        .write_buffer_size(4 << 10)
        .max_write_buffer_size(WRITE_BYTES_MAX)
}

/// Why a socket is closed, for the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// There is nothing more to say.
    Done,
    /// The server stops. Come back in a moment.
    Stopping,
    /// The browser did not keep up. Come back, and be told the present state.
    FellBehind,
    /// The browser sent too much, or what is no text.
    Misused,
}

/// One browser's connection.
///
/// Ends when the browser leaves, falls silent, stops reading, sends too much, or the server stops.
pub struct Socket {
    stream: WebSocketStream<TokioIo<Upgraded>>,
    follower: Option<Subscriber>,
    lifetime: ConnectionGuard,
    /// When the browser last said anything.
    heard: Instant,
    allowance: Bucket,
    /// The account of the browser's address, on which messages count as requests do.
    account: Option<ClientLimits>,
    is_over: bool,
}

/// What a socket can wait for.
enum Event {
    Push(Option<Text>),
    Message(Option<Result<Message, tungstenite::Error>>),
    Tick,
    Stop,
}

impl Socket {
    pub(super) fn new(
        stream: WebSocketStream<TokioIo<Upgraded>>,
        lifetime: ConnectionGuard,
        account: Option<ClientLimits>,
    ) -> Self {
        Self {
            stream,
            follower: None,
            lifetime,
            heard: Instant::now(),
            allowance: Bucket::full(MESSAGE_RATE),
            account,
            is_over: false,
        }
    }

    /// From now on, pushes go to the browser while [`Socket::next`] waits.
    pub fn follow(&mut self, follower: Subscriber) {
        self.follower = Some(follower);
    }

    /// What the browser sends next; `None` when the connection is over. A message counts as a
    /// request of the browser's address does: if there were too many, what comes is the problem to
    /// be told instead of the message, and the socket goes on.
    pub async fn next(&mut self) -> Option<Result<Text, Problem>> {
        let mut ticks = interval_at(Instant::now() + PING_INTERVAL, PING_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.is_over {
            let event = tokio::select! {
                push = next_push(&mut self.follower) => Event::Push(push),
                message = self.stream.next() => Event::Message(message),
                _ = ticks.tick() => Event::Tick,
                () = self.lifetime.ended() => Event::Stop,
            };
            match event {
                Event::Push(Some(text)) => self.push(text).await,
                Event::Push(None) => self.close(CloseReason::FellBehind).await,
                Event::Message(Some(Ok(message))) => {
                    if let Some(text) = self.hear(message).await {
                        return Some(
                            self.account
                                .as_ref()
                                .map_or(Ok(()), ClientLimits::charge)
                                .map(|()| text),
                        );
                    }
                }
                Event::Message(Some(Err(
                    tungstenite::Error::Capacity(_) | tungstenite::Error::Utf8(_),
                ))) => self.close(CloseReason::Misused).await,
                Event::Message(_) => self.is_over = true,
                Event::Tick if self.heard.elapsed() > SILENCE_MAX => self.is_over = true,
                Event::Tick => self.write(Message::Ping(Bytes::new())).await,
                Event::Stop => self.close(CloseReason::Stopping).await,
            }
        }
        None
    }

    /// The account of the browser's address.
    #[must_use]
    pub fn account(&self) -> Option<&ClientLimits> {
        self.account.as_ref()
    }

    /// Sends something to this browser alone. If that fails, the socket is over, which
    /// [`Socket::next`] will tell.
    pub async fn send(&mut self, text: impl Into<Text>) {
        self.write(Message::Text(text.into())).await;
    }

    /// Says goodbye. Nothing is sent or received any more.
    pub async fn close(&mut self, why: CloseReason) {
        let (code, reason) = match why {
            CloseReason::Done => (CloseCode::Normal, "done"),
            CloseReason::Stopping => (CloseCode::Away, "the server stops"),
            CloseReason::FellBehind => (CloseCode::Again, "fell behind"),
            CloseReason::Misused => (CloseCode::Policy, "too much, or no text"),
        };
        self.write(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
        self.is_over = true;
    }

    /// What is a message for the session; the rest is between the two ends of the connection.
    async fn hear(&mut self, message: Message) -> Option<Text> {
        self.heard = Instant::now();
        if self.allowance.take(MESSAGE_RATE, self.heard.into_std()).is_err() {
            self.close(CloseReason::Misused).await;
            return None;
        }
        match message {
            Message::Text(text) => Some(text),
            Message::Binary(_) => {
                self.close(CloseReason::Misused).await;
                None
            }
            // The answers to pings and to goodbyes are written with the next flush.
            _ => {
                let flushed = timeout(WRITE_TIME_MAX, self.stream.flush()).await;
                self.is_over |= !matches!(flushed, Ok(Ok(())));
                None
            }
        }
    }

    /// Writes a push, and with it all that wait behind it: one flush for all.
    async fn push(&mut self, first: Text) {
        let Self { stream, follower, .. } = self;
        let written = timeout(WRITE_TIME_MAX, async {
            let mut next = Some(first);
            while let Some(text) = next {
                stream.feed(Message::Text(text)).await?;
                next = follower.as_mut().and_then(Subscriber::try_next);
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

/// The next push; without a follower there is none, ever.
async fn next_push(follower: &mut Option<Subscriber>) -> Option<Text> {
    match follower {
        Some(follower) => follower.next().await,
        None => std::future::pending().await,
    }
}
