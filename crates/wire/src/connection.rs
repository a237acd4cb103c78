//! One connection: HTTP/1.1, or HTTP/2 if the client begins with its preface.

use crate::answer::{self, Style};
use crate::body::Body;
use crate::exchange::Shared;
use crate::limits::Limits;
use crate::patience::{Pulse, WatchedStream};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use singlet_dynamo::{Error, ErrorKind};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// How connections are spoken to; made once.
#[derive(Clone)]
pub(crate) struct Protocol(auto::Builder<TokioExecutor>);

/// A connection that was accepted.
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) pulse: Arc<Pulse>,
    /// Whether the client is on this machine.
    pub(crate) is_peer_local: bool,
    /// Whether it is one too many, and is only to be told so.
    pub(crate) is_refused: bool,
}

impl Protocol {
    pub(crate) fn new(limits: &Limits) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .max_buf_size(limits.head_bytes_max)
            // A client may say that it will send no more, and still wait for its answer.
            .half_close(true)
            // Whoever takes too long is found by looking at all connections.
            .header_read_timeout(None);
        builder
            .http2()
            .max_header_list_size(u32::try_from(limits.head_bytes_max).unwrap_or(u32::MAX))
            .max_concurrent_streams(limits.streams_max);
        Self(builder)
    }

    /// Serves a connection until it ends, or until its requests in flight are answered after
    /// `stop` has changed.
    pub(crate) async fn serve(
        &self,
        stream: TcpStream,
        connection: Connection,
        mut stop: watch::Receiver<bool>,
    ) {
        let stream = TokioIo::new(WatchedStream::new(stream, Arc::clone(&connection.pulse)));
        let connection = Arc::new(connection);
        let service = service_fn(|request: Request<Incoming>| {
            let connection = Arc::clone(&connection);
            async move { Ok::<_, Infallible>(connection.answer(request).await) }
        });
        let mut serving = pin!(self.0.serve_connection(stream, service));
        let mut stopped = pin!(stop.wait_for(|stop| *stop));
        let mut is_stopping = false;
        // What ends a connection early is the client's business: it is gone, or did not speak HTTP.
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

impl Connection {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let _in_flight = self.pulse.request();
        match self.is_refused {
            true => self.refuse(&request),
            false => self.shared.answer(request, self.is_peer_local).await,
        }
    }

    fn refuse(&self, request: &Request<Incoming>) -> Response<Body> {
        let error = Error::new(ErrorKind::ServiceUnavailable);
        let style = Style {
            id: self.shared.ids.next(),
            json: answer::JSON_1_0,
            is_http2: request.version() == Version::HTTP_2,
            admission: &self.shared.admission,
        };
        let has_header = !style.is_http2;
        let mut response = style.error(&error);
        // HTTP/2 has no such header; there the connection ends when its time is up.
        if has_header {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
