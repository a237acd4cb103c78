//! One connection: HTTP/1.1, or HTTP/2 if the client begins with its preface.

use crate::admission::{AddressShares, ClientShares};
use crate::answer::{self, Style};
use crate::body::Body;
use crate::exchange::Shared;
use crate::limits::Limits;
use crate::metrics::Outcome;
use crate::rejection::Rejection;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use singlet_dynamo::{Error, ErrorKind};
use singlet_edge::{Accepted, Activity};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// Approximate memory of an open HTTP/2 stream without its headers: its state and its task.
const STREAM_BYTES: usize = 4 << 10;

/// Header limit: hyper's own for HTTP/1.1. Checking the signed headers takes quadratic time.
const HEADERS_MAX: usize = 100;

/// The HTTP configuration, shared by all connections.
#[derive(Clone)]
pub(crate) struct Protocol(auto::Builder<TokioExecutor>);

/// The client of a connection.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) activity: Arc<Activity>,
    pub(crate) shares: ClientShares,
    /// Whether the client is on this machine.
    pub(crate) is_local: bool,
}

impl Protocol {
    pub(crate) fn new(limits: &Limits) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .max_buf_size(limits.head_bytes_max)
            // The edge's sweep enforces time limits.
            .header_read_timeout(None);
        builder
            .http2()
            .max_header_list_size(u32::try_from(limits.head_bytes_max).unwrap_or(u32::MAX))
            .max_concurrent_streams(limits.streams_max);
        Self(builder)
    }

    /// Serves a connection until it closes, or until its requests in flight are answered after the
    /// server began to stop.
    pub(crate) async fn serve(self, accepted: Accepted<AddressShares>, shared: Arc<Shared>) {
        let Accepted { stream, activity, peer, address, is_refused, mut stop } = accepted;
        let client = Arc::new(Client {
            activity,
            shares: ClientShares::new(address.as_ref()),
            is_local: peer.ip().to_canonical().is_loopback(),
        });
        let service = service_fn(|request: Request<Incoming>| {
            answer(Arc::clone(&shared), Arc::clone(&client), is_refused, request)
        });
        let mut serving = pin!(self.0.serve_connection(TokioIo::new(stream), service));
        let mut stopped = pin!(stop.wait_for(|stop| *stop));
        let mut is_stopping = false;
        // Errors are the client's: it disconnected, or did not speak HTTP.
        let _ = poll_fn(|context| {
            if let Poll::Ready(ended) = serving.as_mut().poll(context) {
                return Poll::Ready(ended);
            }
            if is_stopping || stopped.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            is_stopping = true;
            serving.as_mut().graceful_shutdown();
            serving.as_mut().poll(context)
        })
        .await;
    }
}

async fn answer(
    shared: Arc<Shared>,
    client: Arc<Client>,
    is_refused: bool,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let _in_flight = client.activity.request();
    if is_refused {
        return Ok(refuse(&shared, &client, &request, ErrorKind::ServiceUnavailable));
    }
    // An HTTP/1.1 connection has one head at a time. HTTP/2 heads are counted, because a client
    // could open many streams and never send their bodies.
    let (mut hold, mut arriving) = (None, None);
    if request.version() == Version::HTTP_2 {
        client.activity.note_http2();
        if request.headers().len() > HEADERS_MAX {
            let rejection = Rejection::TooManyHeaders;
            shared.metrics.record(None, Outcome::Rejected(rejection), Duration::ZERO);
            return Ok(style(&shared, &request).rejection(rejection));
        }
        let hold = hold.insert(shared.admission.rooms.hold_small(&client.shares));
        if !hold.add(STREAM_BYTES + head_bytes(&request)) {
            return Ok(refuse(&shared, &client, &request, ErrorKind::Throttling));
        }
        arriving = Some(client.activity.begin_body());
    }
    Ok(shared.answer(request, &client, arriving).await)
}

fn head_bytes(request: &Request<Incoming>) -> usize {
    let headers = request.headers().iter();
    headers.map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// Responds without looking at the request.
fn refuse(
    shared: &Shared,
    client: &Client,
    request: &Request<Incoming>,
    kind: ErrorKind,
) -> Response<Body> {
    let mut response = style(shared, request).error(&Error::new(kind), client);
    // HTTP/2 has no such header; there the connection closes when its time is up.
    if request.version() != Version::HTTP_2 {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn style(shared: &Shared, request: &Request<Incoming>) -> Style {
    let is_http2 = request.version() == Version::HTTP_2;
    Style { id: shared.ids.next(), json: answer::JSON_1_0, is_http2 }
}
