//! How long a server lives, for those who have to know.

use super::places::Place;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Held by everything that must have ended before the server has: connections and sockets.
#[derive(Clone)]
pub(crate) struct Lifetime {
    stop: watch::Receiver<bool>,
    /// Nothing is ever sent. That all clones are gone is the message.
    _alive: mpsc::Sender<Infallible>,
    /// The place that a connection takes up, also after it has become a socket.
    _place: Option<Arc<Place>>,
}

/// The other side: says that it is time, and waits.
pub(super) struct End {
    stop: watch::Sender<bool>,
    all_gone: mpsc::Receiver<Infallible>,
}

pub(super) fn begin() -> (Lifetime, End) {
    let (stop, stopped) = watch::channel(false);
    let (alive, all_gone) = mpsc::channel(1);
    (Lifetime { stop: stopped, _alive: alive, _place: None }, End { stop, all_gone })
}

impl Lifetime {
    /// The same for one connection, which takes up this place until all of it is over.
    pub(super) fn in_place(&self, place: Place) -> Self {
        Self { _place: Some(Arc::new(place)), ..self.clone() }
    }

    /// Ready once the server stops.
    pub(crate) async fn ended(&mut self) {
        // An error means that the server is gone already.
        let _ = self.stop.wait_for(|stop| *stop).await;
    }
}

impl End {
    /// Tells everybody, and waits until they are done, though not for ever.
    pub(super) async fn after(mut self, patience: Duration) {
        // Nobody may be left to be told.
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(patience, self.all_gone.recv()).await;
    }
}
