//! When a request is complete.

use super::ConnectionGuard;
use hyper::Request;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use singlet_edge::{Activity, TakenOver};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

/// Keeps the connection from being replaced by a new one, from when its request is complete.
pub(super) type Executing = Arc<OnceLock<TakenOver>>;

/// A request's body, which notes when all of it has arrived. Before that the request is only
/// something that a slow client holds.
pub(super) struct WatchedBody {
    incoming: Incoming,
    activity: Arc<Activity>,
    executing: Executing,
}

impl WatchedBody {
    pub(super) fn watch(
        request: Request<Incoming>,
        lifetime: &ConnectionGuard,
    ) -> (Request<Self>, Executing) {
        let executing = Executing::default();
        let request = request.map(|incoming| {
            let body = Self {
                incoming,
                activity: Arc::clone(lifetime.activity()),
                executing: Arc::clone(&executing),
            };
            if body.incoming.is_end_stream() {
                body.note_end();
            }
            body
        });
        (request, executing)
    }

    fn note_end(&self) {
        self.executing.get_or_init(|| self.activity.take_over());
    }
}

impl Body for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.incoming).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.incoming.is_end_stream() {
            self.note_end();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
