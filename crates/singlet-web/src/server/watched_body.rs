//! Tracks the arrival of request bodies.

use super::ConnectionGuard;
use hyper::Request;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use singlet_edge::{Activity, TakenOver, Transfer};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

/// Progress of a request body.
#[derive(Default)]
pub(super) struct BodyProgress {
    received: AtomicU64,
    /// Set once the request is complete: the connection must not be replaced while it executes.
    executing: OnceLock<TakenOver>,
}

impl BodyProgress {
    /// Bytes received so far.
    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}

/// A request body that tracks its progress. Until it is complete, the connection may be replaced.
pub(super) struct WatchedBody {
    incoming: Incoming,
    activity: Arc<Activity>,
    progress: Arc<BodyProgress>,
    /// Set for a long body until it is complete: the edge cuts off slow ones under memory pressure.
    transfer: Option<Transfer>,
}

impl WatchedBody {
    /// Tracks a request body. It is long if it exceeds `short_bytes_max` or its length is unknown.
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
