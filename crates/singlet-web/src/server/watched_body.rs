//! How much of a request has arrived, and when it is complete.

use super::ConnectionGuard;
use hyper::Request;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use singlet_edge::{Activity, TakenOver, Transfer};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

/// How far the body of a request has arrived.
#[derive(Default)]
pub(super) struct BodyProgress {
    received: AtomicU64,
    /// Keeps the connection from being replaced by a new one, from when its request is complete.
    executing: OnceLock<TakenOver>,
}

impl BodyProgress {
    /// How many bytes have arrived.
    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}

/// A request's body, which notes how much of it has arrived. Before it is complete the request is
/// only something that a slow client holds.
pub(super) struct WatchedBody {
    incoming: Incoming,
    activity: Arc<Activity>,
    progress: Arc<BodyProgress>,
    /// A body that is long, until it is complete: the edge cuts slow ones off while memory is short.
    transfer: Option<Transfer>,
}

impl WatchedBody {
    /// Watches the body of a request. One of more bytes than this is long, and so is one that does
    /// not say how many it has.
    pub(super) fn watch(
        request: Request<Incoming>,
        lifetime: &ConnectionGuard,
        short_bytes_max: usize,
    ) -> (Request<Self>, Arc<BodyProgress>) {
        let progress = Arc::<BodyProgress>::default();
        let request = request.map(|incoming| {
            let activity = Arc::clone(lifetime.activity());
            let bytes_max = incoming.size_hint().upper();
            let is_long = bytes_max.is_none_or(|bytes| bytes > short_bytes_max as u64);
            let transfer = is_long.then(|| activity.begin_body());
            let mut body = Self { incoming, activity, progress: Arc::clone(&progress), transfer };
            if body.incoming.is_end_stream() {
                body.note_end();
            }
            body
        });
        (request, progress)
    }

    fn note_end(&mut self) {
        self.transfer = None;
        self.progress.executing.get_or_init(|| self.activity.take_over());
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
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(bytes) = frame.data_ref()
        {
            self.progress.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            if let Some(transfer) = &self.transfer {
                transfer.note_received(bytes.len());
            }
        }
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
