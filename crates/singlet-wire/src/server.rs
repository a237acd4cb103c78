//! The endpoint: a listening socket in front of an engine.

use crate::admission::Admission;
use crate::answer::RequestIds;
use crate::connection::Protocol;
use crate::exchange::Shared;
use crate::lane::LargeLane;
use crate::metrics::Metrics;
use crate::options::Options;
use singlet_engine::Engine;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use tokio::net::TcpListener;

/// DynamoDB's HTTP endpoint for an engine.
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
    is_on_loopback: bool,
}

/// Why an endpoint cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum BindError {
    /// Other machines could reach the address, but no credentials are configured.
    Unprotected(SocketAddr),
    /// The address cannot be bound.
    Unavailable(SocketAddr, io::Error),
}

impl Server {
    /// Binds the address. Clients can connect from now on; they are answered once [`Server::serve`]
    /// runs.
    ///
    /// # Errors
    ///
    /// [`BindError::Unprotected`] for an address that other machines can reach, without
    /// credentials; [`BindError::Unavailable`] if the address cannot be bound.
    pub async fn bind(options: Options) -> Result<Self, BindError> {
        let is_on_loopback = options.address.ip().to_canonical().is_loopback();
        if !is_on_loopback && options.credentials.is_none() {
            return Err(BindError::Unprotected(options.address));
        }
        let unavailable = |error| BindError::Unavailable(options.address, error);
        let listener = singlet_edge::listen(options.address).map_err(unavailable)?;
        let address = listener.local_addr().map_err(unavailable)?;
        Ok(Self { listener, address, options, is_on_loopback })
    }

    /// The address the endpoint listens on.
    #[must_use]
    pub fn local_address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests from the engine until the future completes. Then it accepts no more
    /// requests and returns when those in flight are answered.
    ///
    /// Runs on the current runtime, of either kind. Small reads run on the thread of their
    /// connection; a write waiting for the disk occupies no thread.
    pub async fn serve(self, engine: Engine, until: impl Future<Output = ()> + Send) {
        self.serve_until(engine, pin!(until)).await;
    }

    /// Not generic and boxed, so that the server is compiled with this crate. A future is compiled
    /// where it is first polled: that would be the calling program, at its optimisation level.
    fn serve_until<'f>(self, engine: Engine, until: Until<'f>) -> Serving<'f> {
        Box::pin(self.answer_clients(engine, until))
    }

    async fn answer_clients(self, engine: Engine, until: Until<'_>) {
        let Self { listener, options, is_on_loopback, .. } = self;
        let shared = Arc::new(Shared {
            engine,
            credentials: options.credentials,
            clock: options.clock,
            ids: RequestIds::new(),
            admission: Admission::new(&options.limits),
            metrics: Metrics::new(),
            lane: LargeLane::new(),
            limits: options.limits,
            is_on_loopback,
        });
        let protocol = Protocol::new(&shared.limits);
        let limits = &shared.limits.connections;
        let rooms = shared.admission.rooms.all();
        let connections = &shared.metrics.connections;
        let handle = |accepted| protocol.clone().serve(accepted, Arc::clone(&shared));
        singlet_edge::serve(listener, limits, &rooms, connections, until, handle).await;
    }
}

type Until<'f> = Pin<&'f mut (dyn Future<Output = ()> + Send + 'f)>;

type Serving<'f> = Pin<Box<dyn Future<Output = ()> + Send + 'f>>;

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
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
