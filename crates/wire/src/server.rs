//! The endpoint: a socket that listens, and an engine behind it.

use crate::admission::Admission;
use crate::answer::RequestIds;
use crate::connection::{Connection, Protocol};
use crate::exchange::Shared;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::patience::{CoarseClock, Pulse};
use singlet_engine::Engine;
use std::collections::HashMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How long to wait when the machine has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How many connections beyond the most are told that they are too many. Others are closed at once.
const REFUSED_CONNECTIONS_MAX: usize = 64;
/// How long a connection that is too many may take to be told so.
const REFUSED_TIME_MAX: Duration = Duration::from_secs(2);
/// How often all connections are looked at, at most and at least.
const SWEEP_INTERVALS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// DynamoDB's HTTP endpoint with an engine behind it.
///
/// ```
/// use singlet_engine::Engine;
/// use singlet_wire::{Options, Server};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
/// let server = Server::bind(options).await?;
/// println!("listening on {}", server.local_address());
/// // Until Ctrl-C, say. Here it stops at once.
/// server.serve(Engine::memory()?, std::future::ready(())).await;
/// # Ok(())
/// # }
/// ```
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
    is_local: bool,
}

/// Why an endpoint cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum BindError {
    /// The address can be reached from other machines, and nobody would have to prove who they are.
    Unprotected(SocketAddr),
    /// The system does not give the address.
    Unavailable(SocketAddr, io::Error),
}

impl Server {
    /// Takes an address. Clients can connect from now on, and are answered once the endpoint serves.
    ///
    /// # Errors
    ///
    /// [`BindError::Unprotected`] when other machines could reach the endpoint and there are no
    /// credentials, and what the system says when the address cannot be had.
    pub async fn bind(options: Options) -> Result<Self, BindError> {
        let is_local = options.address.ip().to_canonical().is_loopback();
        if !is_local && options.credentials.is_none() {
            return Err(BindError::Unprotected(options.address));
        }
        let unavailable = |error| BindError::Unavailable(options.address, error);
        let listener = TcpListener::bind(options.address).await.map_err(unavailable)?;
        let address = listener.local_addr().map_err(unavailable)?;
        Ok(Self { listener, address, options, is_local })
    }

    /// Where the endpoint listens.
    #[must_use]
    pub fn local_address(&self) -> SocketAddr {
        self.address
    }

    /// Answers clients with what the engine says, until the future is ready; then takes no more
    /// requests, and returns when those in flight are answered.
    ///
    /// Everything runs on the runtime that this is called in, of whichever kind. A read runs on the
    /// thread of its connection; a write that waits for the disk holds no thread.
    pub async fn serve(self, engine: Engine, until: impl Future<Output = ()>) {
        let Self { listener, options, is_local, .. } = self;
        let mut sweeps = interval(sweep_interval(&options.limits));
        let mut connections = Connections::new(Arc::new(Shared {
            engine,
            credentials: options.credentials,
            clock: options.clock,
            ids: RequestIds::new(),
            admission: Admission::new(&options.limits),
            metrics: Metrics::new(),
            limits: options.limits,
            is_local,
        }));
        sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut until = pin!(until);
        loop {
            let accepted = poll_fn(|context| {
                if until.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
                connections.forget_ended(context);
                while sweeps.poll_tick(context).is_ready() {
                    connections.sweep();
                }
                listener.poll_accept(context).map(Some)
            });
            match accepted.await {
                None => break,
                Some(Ok((stream, peer))) => connections.add(stream, peer),
                Some(Err(error)) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        connections.stop().await;
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

fn sweep_interval(limits: &Limits) -> Duration {
    let times = [limits.head_time_max, limits.idle_time_max, limits.stall_time_max];
    let shortest = times.into_iter().min().unwrap_or_default();
    (shortest / 4).clamp(SWEEP_INTERVALS.0, SWEEP_INTERVALS.1)
}

/// All connections that are open.
struct Connections {
    shared: Arc<Shared>,
    protocol: Protocol,
    clock: CoarseClock,
    tasks: JoinSet<()>,
    pulses: HashMap<Id, (Arc<Pulse>, AbortHandle)>,
    stop: watch::Sender<bool>,
}

impl Connections {
    fn new(shared: Arc<Shared>) -> Self {
        Self {
            protocol: Protocol::new(&shared.limits),
            shared,
            clock: CoarseClock::new(),
            tasks: JoinSet::new(),
            pulses: HashMap::new(),
            stop: watch::Sender::new(false),
        }
    }

    fn add(&mut self, stream: TcpStream, peer: SocketAddr) {
        let figures = &self.shared.metrics.connections;
        figures.accepted.fetch_add(1, Ordering::Relaxed);
        let connections_max = self.shared.limits.connections_max;
        let is_refused = self.pulses.len() >= connections_max;
        if is_refused {
            figures.refused.fetch_add(1, Ordering::Relaxed);
            if self.pulses.len() >= connections_max + REFUSED_CONNECTIONS_MAX {
                return;
            }
        }
        figures.open.fetch_add(1, Ordering::Relaxed);
        // Answers are written whole, so that waiting for more to send would only delay them.
        let _ = stream.set_nodelay(true);
        let pulse = Arc::new(Pulse::new(&self.clock));
        let connection = Connection {
            shared: Arc::clone(&self.shared),
            pulse: Arc::clone(&pulse),
            is_peer_local: peer.ip().to_canonical().is_loopback(),
            is_refused,
        };
        let (protocol, stopped) = (self.protocol.clone(), self.stop.subscribe());
        let task = self.tasks.spawn(async move {
            let serving = protocol.serve(stream, connection, stopped);
            if is_refused {
                let _ = timeout(REFUSED_TIME_MAX, serving).await;
            } else {
                serving.await;
            }
        });
        self.pulses.insert(task.id(), (pulse, task));
    }

    fn forget_ended(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(ended)) = self.tasks.poll_join_next_with_id(context) {
            let id = match ended {
                Ok((id, ())) => id,
                Err(error) => {
                    if error.is_panic() {
                        tracing::error!("a connection met a mistake of ours");
                    }
                    error.id()
                }
            };
            self.pulses.remove(&id);
            self.shared.metrics.connections.open.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Ends the connections whose clients have taken too long.
    fn sweep(&mut self) {
        self.clock.advance();
        for (pulse, task) in self.pulses.values() {
            if pulse.is_spent(&self.shared.limits) {
                self.shared.metrics.connections.timed_out.fetch_add(1, Ordering::Relaxed);
                task.abort();
            }
        }
    }

    /// Lets requests in flight finish, for as long as they may take.
    async fn stop(mut self) {
        self.stop.send_replace(true);
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(self.shared.limits.stop_time_max, all).await.is_err() {
            tracing::warn!(connections = self.tasks.len(), "requests were cut off");
        }
        self.tasks.shutdown().await;
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unprotected(address) => write!(
                f,
                "{address} can be reached from other machines, and without credentials anyone \
                 there could read and change everything"
            ),
            Self::Unavailable(address, error) => write!(f, "cannot listen on {address}: {error}"),
        }
    }
}

impl std::error::Error for BindError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unavailable(_, error) => Some(error),
            Self::Unprotected(_) => None,
        }
    }
}
