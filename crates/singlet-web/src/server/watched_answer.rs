//! Tracks how fast clients read long responses.

use super::ConnectionGuard;
use axum::body::{Body, Bytes};
use hyper::Response;
use hyper::body::{Body as _, Frame, SizeHint};
use singlet_edge::Transfer;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Shorter responses are not tracked: the stall timeout covers them.
const SHORT_BYTES_MAX: u64 = 64 << 10;
/// Chunk size. The pace of the chunks is the client's reading rate.
const PART_BYTES: usize = 64 << 10;

/// The body of a long response. The edge disconnects clients that read it too slowly.
struct WatchedAnswer {
    body: Body,
    /// The rest of the last frame.
    rest: Bytes,
    transfer: Transfer,
}

/// Tracks a response with a known length over the limit. Streams have no known length.
pub(super) fn watch(response: Response<Body>, connection: &ConnectionGuard) -> Response<Body> {
    let length = response.body().size_hint().exact().filter(|length| *length > SHORT_BYTES_MAX);
    let Some(length) = length else { return response };
    let bytes = usize::try_from(length).unwrap_or(usize::MAX);
    let transfer = connection.activity().begin_answer(bytes);
    response.map(|body| Body::new(WatchedAnswer { body, rest: Bytes::new(), transfer }))
}

/// Bytes being sent. The transfer lasts until the last of them are written.
struct PartInTransfer {
    bytes: Bytes,
    _transfer: Transfer,
}

impl AsRef<[u8]> for PartInTransfer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl hyper::body::Body for WatchedAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.transfer.note_moved();
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => self.rest = bytes,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                end => return Poll::Ready(end),
            }
        }
        let length = self.rest.len().min(PART_BYTES);
        let (bytes, transfer) = (self.rest.split_to(length), self.transfer.clone());
        let part = Bytes::from_owner(PartInTransfer { bytes, _transfer: transfer });
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        match self.body.size_hint().exact() {
            Some(bytes) => SizeHint::with_exact(bytes + rest),
            None => SizeHint::new(),
        }
    }
}
