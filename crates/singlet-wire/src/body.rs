//! Request bodies, read completely, and response bodies.

use crate::admission::{Rooms, SMALL_BYTES_MAX};
use crate::connection::Client;
use crate::limits::Limits;
use crate::rejection::Rejection;
use flate2::read::MultiGzDecoder;
use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use singlet_edge::{Reservation, Transfer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::io::Read;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::timeout;

/// Size of the first buffer, regardless of Content-Length.
const FIRST_BUFFER_BYTES: usize = 64 << 10;
/// Growth factor of the buffer of a body without Content-Length. The allocator keeps the outgrown
/// buffers for a while: with a factor of 4 they add up to a third of the body.
const BUFFER_GROWTH: usize = 4;
/// Bytes inflated between two reservations.
const INFLATED_AT_A_TIME: usize = 64 << 10;
/// Chunk size of responses. The pace of the chunks shows how fast the client reads.
const ANSWER_PART_BYTES: usize = 64 << 10;

/// A request body, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Received {
    bytes: Bytes,
    /// `None` if the body arrived together with its head.
    hold: Option<Reservation>,
}

/// Why a body cannot be read.
#[derive(Debug)]
pub(crate) enum Refused {
    /// An HTTP error.
    Rejected(Rejection),
    /// No room at the moment.
    NoRoom,
}

impl From<Rejection> for Refused {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

/// Reads a body to its end. `arriving` is the edge's guard for a request whose head is counted
/// already.
///
/// A small body usually arrives together with its head, as a single frame, and is used without
/// copying. A longer one is collected in one buffer that grows, and is counted, as bytes arrive:
/// Content-Length alone reserves next to nothing. `is_sending` means that the client sent no
/// `Expect` header, so it sends without waiting.
pub(crate) async fn read(
    mut incoming: Incoming,
    arriving: Option<Transfer>,
    is_sending: bool,
    limits: &Limits,
    rooms: &Rooms,
    client: &Client,
) -> Result<Received, Refused> {
    let reading = async {
        let gathered = gather(&mut incoming, arriving, limits.body_bytes_max, rooms, client).await;
        if gathered.is_err() && is_sending {
            // A client that is still sending does not read the response, and would lose it if the
            // connection closed now. So read and discard the rest.
            discard(&mut incoming, limits.body_bytes_max).await;
        }
        gathered
    };
    timeout(limits.body_time_max, reading).await.unwrap_or(Err(Rejection::BodyTooSlow.into()))
}

async fn gather(
    incoming: &mut Incoming,
    arriving: Option<Transfer>,
    bytes_max: usize,
    rooms: &Rooms,
    client: &Client,
) -> Result<Received, Refused> {
    let sizes = incoming.size_hint();
    let announced = usize::try_from(sizes.lower()).unwrap_or(usize::MAX);
    if announced > bytes_max {
        return Err(Rejection::BodyTooLarge.into());
    }
    let Some(first) = next(incoming).await? else {
        return Ok(Received { bytes: Bytes::new(), hold: None });
    };
    if incoming.is_end_stream() && first.len() <= bytes_max {
        return Ok(Received { bytes: first, hold: None });
    }
    let mut hold = rooms.hold_body(&client.shares, sizes.exact().map(|_| announced));
    let transfer = arriving.unwrap_or_else(|| client.activity.begin_body());
    let mut whole = Vec::with_capacity(announced.min(FIRST_BUFFER_BYTES).max(first.len()));
    let mut part = first;
    loop {
        if whole.len() + part.len() > bytes_max {
            return Err(Rejection::BodyTooLarge.into());
        }
        if !hold.add(part.len()) {
            return Err(Refused::NoRoom);
        }
        transfer.note_received(part.len());
        if whole.capacity() - whole.len() < part.len() {
            // Unwritten memory is free, so grow once to the announced length.
            let grown = (whole.capacity() * BUFFER_GROWTH).min(bytes_max);
            let room = if announced == 0 { grown } else { announced };
            let more = room.saturating_sub(whole.len()).max(part.len());
            whole.try_reserve_exact(more).map_err(|_| Refused::NoRoom)?;
        }
        whole.extend_from_slice(&part);
        match next(incoming).await? {
            Some(next) => part = next,
            None => return Ok(Received { bytes: whole.into(), hold: Some(hold) }),
        }
    }
}

/// The next bytes of a body, skipping trailers.
async fn next(incoming: &mut Incoming) -> Result<Option<Bytes>, Rejection> {
    loop {
        match poll_fn(|context| Pin::new(&mut *incoming).poll_frame(context)).await {
            None => return Ok(None),
            Some(Err(_)) => return Err(Rejection::BodyCutShort),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

async fn discard(incoming: &mut Incoming, mut bytes_max: usize) {
    while let Ok(Some(part)) = next(incoming).await {
        match bytes_max.checked_sub(part.len()) {
            Some(rest) => bytes_max = rest,
            None => return,
        }
    }
}

impl Received {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether parsing it takes too long for a thread that serves sockets.
    pub(crate) fn is_large(&self) -> bool {
        self.bytes.len() > SMALL_BYTES_MAX
    }

    /// Counts a body that arrived with its head and so was not counted yet.
    pub(crate) fn count(&mut self, rooms: &Rooms, client: &Client) -> Result<(), Refused> {
        if self.hold.is_none() {
            let mut hold = rooms.hold_body(&client.shares, Some(self.bytes.len()));
            if !hold.add(self.bytes.len()) {
                return Err(Refused::NoRoom);
            }
            self.hold = Some(hold);
        }
        Ok(())
    }

    /// Drops the bytes but keeps their reservation, for the parsed request, which takes about as
    /// much memory.
    pub(crate) fn into_hold(self) -> Option<Reservation> {
        self.hold
    }

    /// Decompresses the body. Stops as soon as the output exceeds the limit.
    pub(crate) fn inflate(
        self,
        bytes_max: usize,
        rooms: &Rooms,
        client: &Client,
    ) -> Result<Self, Refused> {
        let mut decoder = MultiGzDecoder::new(&*self.bytes);
        let mut whole = Vec::new();
        let mut hold = rooms.hold_body(&client.shares, None);
        loop {
            let before = whole.len();
            let some = decoder.by_ref().take(INFLATED_AT_A_TIME as u64).read_to_end(&mut whole);
            if some.is_err() {
                return Err(Rejection::BodyNotGzip.into());
            }
            let inflated = whole.len() - before;
            if inflated == 0 {
                break;
            }
            if whole.len() > bytes_max {
                return Err(Rejection::BodyTooLarge.into());
            }
            if !hold.add(inflated) {
                return Err(Refused::NoRoom);
            }
        }
        Ok(Self { bytes: whole.into(), hold: Some(hold) })
    }
}

/// A response body, already encoded.
#[derive(Debug, Default)]
pub(crate) struct Body {
    bytes: Bytes,
    transfer: Option<Transfer>,
}

impl Body {
    /// A body whose transfer is monitored.
    pub(crate) fn watched(bytes: Bytes, transfer: Transfer) -> Self {
        Self { bytes, transfer: Some(transfer) }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, transfer: None }
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let length = match &self.transfer {
            Some(transfer) => {
                transfer.note_moved();
                self.bytes.len().min(ANSWER_PART_BYTES)
            }
            None => self.bytes.len(),
        };
        Poll::Ready(Some(Ok(Frame::data(self.bytes.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
