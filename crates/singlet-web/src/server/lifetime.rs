//! How long a connection lives, for those who have to know.

use crate::heavy::ClientTurns;
use crate::identity::TokenEnd;
use crate::problem::{Problem, UNAVAILABLE};
use axum::body::Body;
use axum::http::Response;
use axum::response::IntoResponse;
use singlet_edge::{Activity, Shares, TakenOver, Turns};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::Instant;

/// Held by everything that belongs to one connection: its requests, and the stream that it may
/// become, which is a socket or Server-Sent Events.
#[derive(Clone)]
pub(crate) struct ConnectionGuard {
    stop: watch::Receiver<bool>,
    activity: Arc<Activity>,
    /// What the connection and its address hold of the memory for bodies.
    shares: Shares,
    /// The permits of all streams of the server.
    sockets: Arc<Semaphore>,
    /// The turns of all heavy requests of the server.
    turns: Turns,
    /// Nothing is ever sent. That all clones are gone is the message.
    _alive: mpsc::Sender<Infallible>,
}

/// One of the streams that the server may have, until this is dropped. Its connection is not idle.
pub(crate) struct StreamPermit {
    _permit: OwnedSemaphorePermit,
    _taken_over: TakenOver,
}

/// A response whose body goes on as long as the client reads has this as an extension. The server
/// puts the connection there before the body is read.
#[derive(Clone, Default)]
pub(crate) struct StreamSlot(Arc<Mutex<Option<OpenStream>>>);

/// The connection of a body that goes on.
pub(crate) struct OpenStream {
    guard: ConnectionGuard,
    _permit: StreamPermit,
    token_end: Option<Instant>,
}

impl StreamSlot {
    /// The connection, once.
    pub(crate) fn take(&self) -> Option<OpenStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl OpenStream {
    /// Ready once the server stops.
    pub(crate) async fn stopping(&mut self) {
        self.guard.ended().await;
    }

    /// When the token of whoever reads it is accepted no more.
    pub(crate) fn token_end(&self) -> Option<Instant> {
        self.token_end
    }
}

/// Lets a response be a stream, if it is to be one and the server may have one more.
pub(super) fn admit_stream(
    response: Response<Body>,
    guard: &ConnectionGuard,
    token_end: &TokenEnd,
) -> Response<Body> {
    let Some(StreamSlot(slot)) = response.extensions().get::<StreamSlot>() else { return response };
    let Some(permit) = guard.acquire_stream() else {
        return Problem::new(&UNAVAILABLE).safe_to_retry().into_response();
    };
    let token_end = token_end.0.get().and_then(|end| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Instant::now().checked_add(Duration::from_secs(*end).saturating_sub(now))
    });
    let stream = OpenStream { guard: guard.clone(), _permit: permit, token_end };
    slot.lock().unwrap_or_else(PoisonError::into_inner).replace(stream);
    response
}

/// The other side: knows when nothing of the connection is left.
pub(super) struct End(mpsc::Receiver<Infallible>);

pub(super) fn begin(
    stop: watch::Receiver<bool>,
    activity: Arc<Activity>,
    shares: Shares,
    sockets: Arc<Semaphore>,
    turns: Turns,
) -> (ConnectionGuard, End) {
    let (alive, gone) = mpsc::channel(1);
    (ConnectionGuard { stop, activity, shares, sockets, turns, _alive: alive }, End(gone))
}

impl ConnectionGuard {
    /// Ready once the server stops.
    pub(crate) async fn ended(&mut self) {
        // An error means that the server is gone already.
        let _ = self.stop.wait_for(|stop| *stop).await;
    }

    /// How the connection is getting on.
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// What the connection and its address hold of the memory for bodies.
    pub(crate) fn shares(&self) -> &Shares {
        &self.shares
    }

    /// What a heavy request of the connection takes turns with.
    pub(crate) fn client_turns(&self) -> ClientTurns {
        ClientTurns::new(self.turns.clone(), self.shares.client().clone())
    }

    /// Makes the connection a stream, if the server may have one more.
    pub(crate) fn acquire_stream(&self) -> Option<StreamPermit> {
        let permit = Arc::clone(&self.sockets).try_acquire_owned().ok()?;
        Some(StreamPermit { _permit: permit, _taken_over: self.activity.take_over() })
    }
}

impl End {
    /// Waits until nothing of the connection is left.
    pub(super) async fn wait(mut self) {
        let _ = self.0.recv().await;
    }
}
