//! HTTP requests to other services.
//!
//! One [`Client`] with a connection pool serves the whole program. It follows no redirects, keeps
//! no cookies and uses no proxy. Times and sizes are bounded.
//!
//! - `request`: builds and sends requests.
//! - `retry`: retry policy.
//! - `breaker`: circuit breaker.

mod breaker;
mod request;
mod retry;

pub use breaker::{Breaker, BreakerOptions, BreakerState, Permit};
pub use request::{OutboundRequest, OutboundResponse};
pub use retry::Retry;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::http::Uri;
use hyper::http::uri::Scheme;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use singlet::Timestamp;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Idle timeout of pooled connections.
const IDLE_TIME_MAX: Duration = Duration::from_secs(60);
/// Idle connections kept per host.
const IDLE_PER_HOST_MAX: usize = 8;

/// Options of a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Connect timeout per address.
    pub connect_time_max: Duration,
    /// Timeout of one attempt, from connecting to the last byte of the response.
    pub request_time_max: Duration,
    /// Maximum size of a response, compressed and decompressed.
    pub body_bytes_max: usize,
    /// Speaks HTTP/2 without negotiation. Needed for HTTP/2 without TLS on this machine; over TLS
    /// the version is negotiated.
    pub http2_only: bool,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_time_max: Duration::from_secs(3),
            request_time_max: Duration::from_secs(8),
            body_bytes_max: 4 << 20,
            http2_only: false,
        }
    }
}

/// An HTTP client for other services. Clones share connections. Redirects are not followed.
///
/// ```no_run
/// use singlet_web::outbound::{Breaker, BreakerOptions, Client, ClientOptions, Retry};
///
/// # async fn fetch() -> Result<(), singlet_web::outbound::OutboundError> {
/// let client = Client::new(ClientOptions::default())?;
/// let breaker = Breaker::new("scores", BreakerOptions::default());
/// let response = client
///     .get("https://api.example.com/v1/matches")
///     .secret_query("apikey", "…")
///     .retry(Retry::times(3))
///     .breaker(&breaker)
///     .send()
///     .await?;
/// let matches: serde_json::Value = response.json()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    options: ClientOptions,
    /// Created with the first request.
    pool: OnceLock<Result<ConnectionPool, OutboundError>>,
}

type ConnectionPool = Pool<HttpsConnector<HttpConnector>, Full<Bytes>>;

impl Client {
    /// A client that trusts the operating system's certificates.
    ///
    /// # Errors
    ///
    /// [`OutboundErrorKind::NoCertificates`] if there are none.
    pub fn new(options: ClientOptions) -> Result<Self, OutboundError> {
        let client = Self::lazy(options);
        client.pool()?;
        Ok(client)
    }

    /// Like [`Client::new`], but initialised with the first request, so that a program without
    /// outbound requests starts on a machine without certificates.
    #[must_use]
    pub fn lazy(options: ClientOptions) -> Self {
        Self(Arc::new(Inner { options, pool: OnceLock::new() }))
    }

    fn pool(&self) -> Result<&ConnectionPool, OutboundError> {
        let pool = self.0.pool.get_or_init(|| connection_pool(&self.0.options));
        pool.as_ref().map_err(Clone::clone)
    }

    /// A GET request.
    pub fn get(&self, url: &str) -> OutboundRequest {
        OutboundRequest::new(self, hyper::Method::GET, url)
    }

    /// A POST request. It is sent once, unless it is [`idempotent`](OutboundRequest::idempotent).
    pub fn post(&self, url: &str) -> OutboundRequest {
        OutboundRequest::new(self, hyper::Method::POST, url)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("options", &self.0.options).finish_non_exhaustive()
    }
}

fn connection_pool(options: &ClientOptions) -> Result<ConnectionPool, OutboundError> {
    let mut http = HttpConnector::new();
    http.set_connect_timeout(Some(options.connect_time_max));
    http.set_nodelay(true);
    http.enforce_http(false);
    let none = OutboundError::new(OutboundErrorKind::NoCertificates, "");
    let connector = HttpsConnectorBuilder::new()
        .with_native_roots()
        .map_err(|error| none.because(&error))?
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(http);
    Ok(Pool::builder(TokioExecutor::new())
        .pool_idle_timeout(IDLE_TIME_MAX)
        .pool_max_idle_per_host(IDLE_PER_HOST_MAX)
        .pool_timer(TokioTimer::new())
        .http2_only(options.http2_only)
        .build(connector))
}

/// Parses an address. It must be `https`, except on loopback, and must not contain a password.
///
/// # Errors
///
/// [`OutboundErrorKind::Address`].
pub(crate) fn check_address(url: &str) -> Result<Uri, OutboundError> {
    // An unparsable address is not shown: it may contain a secret.
    let refused = || OutboundError::new(OutboundErrorKind::Address, "");
    let uri: Uri = url.parse().map_err(|_| refused())?;
    let host = uri.host().unwrap_or_default();
    let is_here = ["localhost", "127.0.0.1", "[::1]"].contains(&host);
    let has_password = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    let is_trusted = match uri.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => !host.is_empty(),
        Some(scheme) if *scheme == Scheme::HTTP => is_here,
        _ => false,
    };
    if is_trusted && !has_password { Ok(uri) } else { Err(refused()) }
}

/// Why a request got no response. Any status is a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboundError {
    /// The kind of failure.
    pub kind: OutboundErrorKind,
    /// Host and path, never the query or a header.
    pub target: String,
    /// The underlying cause.
    reason: String,
}

/// Kinds of outbound failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutboundErrorKind {
    /// The address is invalid or not `https`.
    Address,
    /// The request has an invalid header or body.
    Request,
    /// This machine has no trusted certificates.
    NoCertificates,
    /// The service could not be reached, or the connection broke.
    Connect,
    /// The response did not arrive in time.
    Timeout,
    /// The response is too large.
    TooLarge,
    /// The circuit breaker is open.
    BreakerOpen {
        /// When requests are allowed again.
        until: Timestamp,
    },
    /// The response could not be parsed.
    Unreadable,
}

impl OutboundError {
    pub(crate) fn new(kind: OutboundErrorKind, target: &str) -> Self {
        Self { kind, target: target.to_owned(), reason: String::new() }
    }

    /// Adds the causes, outermost first.
    pub(crate) fn because(mut self, error: &dyn std::error::Error) -> Self {
        self.reason = crate::system::in_full(error);
        self
    }
}

impl fmt::Display for OutboundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.target.is_empty() {
            write!(f, "{}: ", self.target)?;
        }
        match self.kind {
            OutboundErrorKind::Address => f.write_str("the address must begin with https://"),
            OutboundErrorKind::Request => f.write_str("the request cannot be sent"),
            OutboundErrorKind::NoCertificates => f.write_str("no certificates to trust"),
            OutboundErrorKind::Connect => f.write_str("no connection"),
            OutboundErrorKind::Timeout => f.write_str("no answer in time"),
            OutboundErrorKind::TooLarge => f.write_str("the answer is too large"),
            OutboundErrorKind::BreakerOpen { until } => write!(f, "not asked before {until}"),
            OutboundErrorKind::Unreadable => f.write_str("the answer cannot be read"),
        }?;
        if self.reason.is_empty() { Ok(()) } else { write!(f, " ({})", self.reason) }
    }
}

impl std::error::Error for OutboundError {}
