//! The endpoint: a socket that listens, and an engine behind it.

use crate::answer::RequestIds;
use crate::connection::Protocol;
use crate::exchange::Shared;
use crate::options::Options;
use singlet_engine::Engine;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long to wait when the machine has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// DynamoDB's HTTP endpoint with an engine behind it.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

impl Server {
    /// Opens an endpoint. Clients can connect from now on, and are answered once it serves.
    ///
    /// # Errors
    ///
    /// What the system says when the address cannot be had.
    pub async fn bind(engine: Engine, options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind(options.address).await?;
        let shared = Shared {
            engine,
            limits: options.limits,
            ids: RequestIds::new(),
            name: "dynamodb.us-east-1.amazonaws.com".to_owned(),
        };
        Ok(Self { listener, shared: Arc::new(shared) })
    }

    /// Where the endpoint listens.
    ///
    /// # Errors
    ///
    /// What the system says if it does not know.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers clients until the future is ready; then takes no more requests, and returns when
    /// those in flight are answered.
    pub async fn serve(self, until: impl Future<Output = ()>) {
        let Self { listener, shared } = self;
        let protocol = Protocol::new(&shared);
        let (stop, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut until = pin!(until);
        loop {
            let accepted = poll_fn(|context| {
                if until.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
                // Connections that have ended are forgotten as we go.
                while let Poll::Ready(Some(_)) = connections.poll_join_next(context) {}
                listener.poll_accept(context).map(Some)
            });
            match accepted.await {
                None => break,
                Some(Ok((stream, _))) => {
                    let (protocol, shared) = (protocol.clone(), Arc::clone(&shared));
                    let stopped = stopped.clone();
                    connections.spawn(async move {
                        prepare(&stream);
                        protocol.serve(stream, &shared, stopped).await;
                    });
                }
                Some(Err(_)) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
        drop(listener);
        // Nobody may be left to be told.
        let _ = stop.send(true);
        let all = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(shared.limits.stop_time_max, all).await;
        connections.shutdown().await;
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("listener", &self.listener).finish_non_exhaustive()
    }
}

/// Answers are written at once, so that waiting for more to send would only delay them.
fn prepare(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
}
