//! The lifetime of a connection.

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

/// Held by everything that belongs to one connection: its requests, and the WebSocket or event
/// stream it may become.
#[derive(Clone)]
pub(crate) struct ConnectionGuard {
    stop: watch::Receiver<bool>,
    activity: Arc<Activity>,
    /// Memory for bodies reserved by the connection and its address.
    shares: Shares,
    /// Stream permits of the server.
    sockets: Arc<Semaphore>,
    /// Turns for heavy requests of the server.
    turns: Turns,
    /// Closed-channel signal: the connection has ended when all clones are dropped.
    _alive: mpsc::Sender<Infallible>,
}

/// A permit for one stream. While it is held, the connection is not idle.
pub(crate) struct StreamPermit {
    _permit: OwnedSemaphorePermit,
    _taken_over: TakenOver,
}

/// Held by a request that runs to completion even if its client disconnects. The connection stays
/// counted and cannot be replaced.
pub(crate) struct Occupied {
    _guard: ConnectionGuard,
    _taken_over: TakenOver,
}

/// An extension of streaming responses. The server fills in the connection before the body is read.
#[derive(Clone, Default)]
pub(crate) struct StreamSlot(Arc<Mutex<Option<OpenStream>>>);

/// The connection of a streaming body.
pub(crate) struct OpenStream {
    guard: ConnectionGuard,
    _permit: StreamPermit,
    token_end: Option<Instant>,
}

impl StreamSlot {
    /// Takes the connection.
    pub(crate) fn take(&self) -> Option<OpenStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl OpenStream {
    /// Resolves when the server stops.
    pub(crate) async fn stopping(&mut self) {
        self.guard.ended().await;
    }

    /// When the reader's token expires.
    pub(crate) fn token_end(&self) -> Option<Instant> {
        self.token_end
    }
}

/// Admits a streaming response, if a stream permit is free.
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

/// Resolves when the last [`ConnectionGuard`] clone is dropped.
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
    /// Resolves when the server stops.
    pub(crate) async fn ended(&mut self) {
        // An error means the server has ended.
        let _ = self.stop.wait_for(|stop| *stop).await;
    }

    /// Activity of the connection.
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// Memory for bodies reserved by the connection and its address.
    pub(crate) fn shares(&self) -> &Shares {
        &self.shares
    }

    /// The turns for heavy requests of this connection.
    pub(crate) fn client_turns(&self) -> ClientTurns {
        ClientTurns::new(self.turns.clone(), self.shares.client().clone())
    }

    /// Keeps the connection counted while a request runs.
    pub(crate) fn occupy(&self) -> Occupied {
        Occupied { _guard: self.clone(), _taken_over: self.activity.take_over() }
    }

    /// Makes the connection a stream, if a permit is free.
    pub(crate) fn acquire_stream(&self) -> Option<StreamPermit> {
        let permit = Arc::clone(&self.sockets).try_acquire_owned().ok()?;
        Some(StreamPermit { _permit: permit, _taken_over: self.activity.take_over() })
    }
}

impl End {
    /// Waits until the connection has ended.
    pub(super) async fn wait(mut self) {
        let _ = self.0.recv().await;
    }
}
