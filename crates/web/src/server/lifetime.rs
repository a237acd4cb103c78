//! How long a connection lives, for those who have to know.

use singlet_edge::{Activity, TakenOver};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

/// Held by everything that belongs to one connection: its requests, and the socket that it may
/// become.
#[derive(Clone)]
pub(crate) struct ConnectionGuard {
    stop: watch::Receiver<bool>,
    activity: Arc<Activity>,
    /// The places of all sockets of the server.
    sockets: Arc<Semaphore>,
    /// Nothing is ever sent. That all clones are gone is the message.
    _alive: mpsc::Sender<Infallible>,
}

/// The place of a socket among all of the server's, until this is dropped.
pub(crate) struct StreamPermit {
    _permit: OwnedSemaphorePermit,
    _taken_over: TakenOver,
}

/// The other side: knows when nothing of the connection is left.
pub(super) struct End(mpsc::Receiver<Infallible>);

pub(super) fn begin(
    stop: watch::Receiver<bool>,
    activity: Arc<Activity>,
    sockets: Arc<Semaphore>,
) -> (ConnectionGuard, End) {
    let (alive, gone) = mpsc::channel(1);
    (ConnectionGuard { stop, activity, sockets, _alive: alive }, End(gone))
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

    /// Makes the connection a socket, if there is a place for one more.
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
