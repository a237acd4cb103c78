//! The bodies of requests, read whole, and those of answers.

use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Why a request's body was not read.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It is longer than the endpoint takes.
    TooLarge,
    /// The connection ended within it.
    CutShort,
}

/// Reads a body to its end.
///
/// A body that came with its head, as small ones do, is one frame, and is passed on as it lies.
/// A longer one is gathered in a buffer whose size is known from the start where the client has
/// said it, but that does not grow faster than bytes arrive.
pub(crate) async fn read(mut incoming: Incoming, bytes_max: usize) -> Result<Bytes, Refused> {
    let hint = incoming.size_hint();
    if hint.lower() > bytes_max as u64 {
        return Err(Refused::TooLarge);
    }
    let Some(first) = next(&mut incoming).await? else { return Ok(Bytes::new()) };
    if incoming.is_end_stream() {
        return if first.len() > bytes_max { Err(Refused::TooLarge) } else { Ok(first) };
    }
    let mut whole = Vec::with_capacity(first.len() * 2);
    whole.extend_from_slice(&first);
    drop(first);
    while let Some(part) = next(&mut incoming).await? {
        if whole.len() + part.len() > bytes_max {
            return Err(Refused::TooLarge);
        }
        whole.extend_from_slice(&part);
    }
    Ok(whole.into())
}

/// The next bytes of a body; trailers are passed over.
async fn next(incoming: &mut Incoming) -> Result<Option<Bytes>, Refused> {
    loop {
        match poll_fn(|context| Pin::new(&mut *incoming).poll_frame(context)).await {
            None => return Ok(None),
            Some(Err(_)) => return Err(Refused::CutShort),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

/// The body of an answer: bytes that are there already.
#[derive(Debug, Default)]
pub(crate) struct Body(Option<Bytes>);

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self((!bytes.is_empty()).then_some(bytes))
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
