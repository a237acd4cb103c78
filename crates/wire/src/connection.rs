//! One connection: HTTP/1.1, or HTTP/2 if the client begins with its preface.

use crate::body::Body;
use crate::exchange::{self, Shared};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
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

impl Protocol {
    pub(crate) fn new(shared: &Shared) -> Self {
        let limits = &shared.limits;
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .max_buf_size(limits.head_bytes_max)
            .max_headers(limits.headers_max)
            .header_read_timeout(None);
        builder
            .http2()
            .max_header_list_size(u32::try_from(limits.head_bytes_max).unwrap_or(u32::MAX));
        Self(builder)
    }

    /// Serves a connection until it ends, or until its requests in flight are answered after
    /// `stop` has changed.
    pub(crate) async fn serve(
        &self,
        stream: TcpStream,
        shared: &Arc<Shared>,
        mut stop: watch::Receiver<bool>,
    ) {
        let service = service_fn(|request: Request<Incoming>| {
            let shared = Arc::clone(shared);
            async move { Ok::<Response<Body>, Infallible>(exchange::answer(&shared, request).await) }
        });
        let mut connection = pin!(self.0.serve_connection(TokioIo::new(stream), service));
        let mut stopped = pin!(stop.wait_for(|stop| *stop));
        let mut is_stopping = false;
        // What ends a connection early is the client's business: it is gone, or did not speak HTTP.
        let _ = poll_fn(|context| {
            if let Poll::Ready(ended) = connection.as_mut().poll(context) {
                return Poll::Ready(ended);
            }
            if is_stopping || stopped.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            is_stopping = true;
            connection.as_mut().graceful_shutdown();
            connection.as_mut().poll(context)
        })
        .await;
    }
}
