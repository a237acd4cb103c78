//! The HTTP server: accepts connections and dispatches requests to systems.

mod exchange;
mod home;
mod lifetime;
mod not_found;
mod site;
mod status;
mod watched_answer;
mod watched_body;

pub(crate) use lifetime::{ConnectionGuard, OpenStream, StreamPermit, StreamSlot};
pub use site::{ConsoleOptions, IdentitySource, Site, SiteOptions};

use crate::api::room;
use crate::demo::DemoPolicy;
use crate::heavy::turns_of_runtime;
use crate::identity::{Identity, LocalIssuer};
use crate::limit::{
    AddressLimits, CHANGES_AT_ONCE_MAX, CHANGES_PER_SECOND_MAX, ClientLimits, Limiter, Rate,
};
use crate::security::AllowedHosts;
use crate::store::Store;
use crate::system::{OpenError, System};
use axum::extract::DefaultBodyLimit;
use exchange::Shared;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use singlet_edge::{Accepted, Holders, Share, Shares};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Under memory pressure a long body must arrive at this average rate, after a grace period of
/// [`PRESSED_TIME_MAX`].
const PRESSED_BYTES_PER_SECOND_MIN: usize = 64 << 10;
/// Grace period of a body under memory pressure.
const PRESSED_TIME_MAX: Duration = Duration::from_secs(5);

/// Options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The listen address. Port 0 picks a free port.
    pub address: SocketAddr,
    /// Rate limit per address, for requests and socket messages; `None` is unlimited. Loopback
    /// clients are exempt.
    pub rate: Option<Rate>,
    /// Bytes an address may store without signing in; `None` is unlimited. Loopback clients are
    /// exempt.
    pub stored_rate: Option<Rate>,
    /// Rate limit per signed-in caller for writes: all methods but GET, HEAD, OPTIONS and TRACE.
    /// `None` is unlimited. Applies to loopback clients as well.
    pub change_rate: Option<Rate>,
    /// Resource limits.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: (Ipv4Addr::LOCALHOST, 8080).into(),
            // Three hundred people behind one address, each with a request per second.
            rate: Some(Rate { per_second: 300.0, burst: 600.0 }),
            // A burst of 96 MB (six hundred people with 160 KB each), then 65 MB per hour.
            stored_rate: Some(Rate { per_second: 18_000.0, burst: 96e6 }),
            change_rate: Some(Rate {
                per_second: CHANGES_PER_SECOND_MAX.into(),
                burst: CHANGES_AT_ONCE_MAX.into(),
            }),
            limits: Limits::default(),
        }
    }
}

/// Resource limits of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of connections. A new one replaces the one idle for longest.
    pub connections_max: usize,
    /// How many of them may be streams (WebSockets and Server-Sent Events). The rest stay available
    /// for requests, so there is always an idle one to replace.
    pub streams_max: usize,
    /// Connections per address (per /64 network for IPv6); one more is closed at once. Sized for
    /// three hundred people behind one address, each with a socket and a page connection. Loopback
    /// clients are exempt.
    pub connections_per_address_max: usize,
    /// Maximum size of a request head: a token of 8 KB, and some room.
    pub head_bytes_max: usize,
    /// Maximum size of a body, unless the route sets its own.
    pub body_bytes_max: usize,
    /// Time limit for the request head.
    pub head_time_max: Duration,
    /// Idle timeout of a connection.
    pub idle_time_max: Duration,
    /// Write stall timeout.
    pub stall_time_max: Duration,
    /// Minimum average rate at which a client must read a response of more than 64 KB, after
    /// [`Limits::stall_time_max`].
    pub answer_bytes_per_second_min: usize,
    /// Time limit of a request, not counting its body.
    pub request_time_max: Duration,
    /// Minimum average rate at which a body must arrive, beyond [`Limits::request_time_max`]: a
    /// phone on a poor network takes minutes to upload a picture.
    pub body_bytes_per_second_min: usize,
    /// Time limit for requests in flight when the server stops.
    pub stop_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            streams_max: 3_072,
            connections_per_address_max: 600,
            head_bytes_max: 32 << 10,
            body_bytes_max: 64 << 10,
            head_time_max: Duration::from_secs(20),
            idle_time_max: Duration::from_secs(60),
            stall_time_max: Duration::from_secs(30),
            answer_bytes_per_second_min: 16 << 10,
            request_time_max: Duration::from_secs(30),
            body_bytes_per_second_min: 16 << 10,
            stop_time_max: Duration::from_secs(10),
        }
    }
}

type Until<'f> = Pin<&'f mut (dyn Future<Output = ()> + Send + 'f)>;

type Serving<'f> = Pin<Box<dyn Future<Output = ()> + Send + 'f>>;

/// An HTTP server for systems, and the page that lists them.
///
/// ```no_run
/// # async fn run(systems: Vec<singlet_web::System>) -> Result<(), Box<dyn std::error::Error>> {
/// use singlet_web::{Options, Server, Site, SiteOptions, Store};
///
/// let site = Site::open(systems, Store::memory().await?, SiteOptions::default()).await?;
/// let server = Server::bind(Options::default()).await?;
/// println!("http://{}", server.local_address()?);
/// server.serve(site, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub struct Server {
    listener: TcpListener,
    options: Options,
}

/// Binds, opens and serves until `until` resolves: for examples and small programs. On loopback
/// with an [embedded](Store::embedded) store it enables the local issuer and loads demo data into
/// empty tables. Otherwise sign-in is disabled and no demo data is loaded.
///
/// # Errors
///
/// If binding the address or opening a system fails.
pub async fn serve(
    systems: Vec<System>,
    store: Store,
    address: impl Into<SocketAddr>,
    until: impl Future<Output = ()> + Send,
) -> Result<(), OpenError> {
    let address = address.into();
    let server = Server::bind(Options { address, ..Options::default() }).await;
    let server = server.map_err(OpenError::Bind)?;
    let options = options_for(&store, address)?;
    let site = Site::open(systems, store, options).await?;
    server.check(&site)?;
    server.serve(site, until).await;
    Ok(())
}

/// Demo data and local sign-in require loopback and a private store.
fn options_for(store: &Store, address: SocketAddr) -> Result<SiteOptions, OpenError> {
    let mut options = SiteOptions::default();
    if store.is_embedded() && is_loopback(address) {
        options.demo = DemoPolicy::IfEmpty;
        let local = LocalIssuer::new().map_err(|_| OpenError::Random)?;
        options.identity = IdentitySource::Local(local);
    }
    Ok(options)
}

/// Whether an address is loopback, including IPv4-mapped IPv6.
fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

impl Server {
    /// Binds the address. Clients can connect, and are answered once the server serves.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound.
    pub async fn bind(options: Options) -> io::Result<Self> {
        let listener = singlet_edge::listen(options.address)?;
        Ok(Self { listener, options })
    }

    /// The address the server listens on.
    ///
    /// # Errors
    ///
    /// If the operating system fails to report it.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Checks that this server may serve a site.
    ///
    /// # Errors
    ///
    /// [`OpenError::LocalIssuerInPublic`] if the site has the local issuer and the address is not
    /// loopback.
    pub fn check(&self, site: &Site) -> Result<(), OpenError> {
        let address = self.options.address;
        match site.identity.as_ref().is_some_and(Identity::is_local) && !is_loopback(address) {
            true => Err(OpenError::LocalIssuerInPublic(address)),
            false => Ok(()),
        }
    }

    /// Answers requests, pushes changes and runs jobs until the future resolves. Then it stops
    /// accepting requests and gives those in flight, sockets and jobs ten seconds to end.
    ///
    /// Returns at once and logs an error if the site fails the [check](Self::check).
    pub async fn serve(self, site: Site, until: impl Future<Output = ()> + Send) {
        self.serve_until(site, pin!(until)).await;
    }

    /// Boxed and not generic, so that it is compiled in this crate. Otherwise the future is
    /// compiled in the crate that calls [`Server::serve`], at that crate's optimisation level.
    fn serve_until<'f>(self, site: Site, until: Until<'f>) -> Serving<'f> {
        Box::pin(self.answer_clients(site, until))
    }

    async fn answer_clients(self, site: Site, until: Until<'_>) {
        if let Err(error) = self.check(&site) {
            tracing::error!(%error, "refused to serve");
            return;
        }
        let Self { listener, options } = self;
        let limits = options.limits;
        let is_loopback = is_loopback(options.address);
        let shared = Arc::new(Shared {
            router: site.router.layer(DefaultBodyLimit::max(limits.body_bytes_max)),
            stored_limiter: options.stored_rate.map(|rate| Arc::new(Limiter::new(rate))),
            change_limiter: options.change_rate.map(|rate| Arc::new(Limiter::new(rate))),
            identity: site.identity,
            idempotency: Some(site.idempotency),
            strict_problems: site.strict_problems,
            metrics: site.metrics.clone(),
            limiter: options.rate.map(|rate| Arc::new(Limiter::new(rate))),
            names: if is_loopback { AllowedHosts::Loopback } else { AllowedHosts::Any },
            request_time_max: limits.request_time_max,
            body_bytes_per_second_min: limits.body_bytes_per_second_min,
            body_bytes_max: limits.body_bytes_max,
        });
        let mut protocol = http1::Builder::new();
        // The edge enforces the head timeout.
        protocol.header_read_timeout(None).max_buf_size(limits.head_bytes_max);
        let streams = Arc::new(Semaphore::new(limits.streams_max));
        site.metrics.watch_streams(&streams, limits.streams_max);
        let turns = turns_of_runtime();
        let handle = |accepted: Accepted<Share>| {
            let Accepted { stream, activity, peer, address, is_refused, stop } = accepted;
            let shares = Shares { address, ..Shares::default() };
            let (streams, turns) = (Arc::clone(&streams), turns.clone());
            let (lifetime, end) = lifetime::begin(stop, activity, shares, streams, turns);
            let (protocol, shared) = (protocol.clone(), Arc::clone(&shared));
            async move {
                connect(stream, peer, is_refused, &protocol, shared, lifetime).await;
                // An upgraded connection counts until its socket has ended.
                end.wait().await;
            }
        };
        let of_connections = singlet_edge::Limits {
            connections_max: limits.connections_max,
            connections_per_address_max: limits.connections_per_address_max,
            head_time_max: limits.head_time_max,
            idle_time_max: limits.idle_time_max,
            stall_time_max: limits.stall_time_max,
            stop_time_max: limits.stop_time_max,
            answer_bytes_per_second_min: limits.answer_bytes_per_second_min,
            pressed_bytes_per_second_min: PRESSED_BYTES_PER_SECOND_MIN,
            pressed_time_max: PRESSED_TIME_MAX,
            ..singlet_edge::Limits::default()
        };
        let mut feeds = JoinSet::new();
        for live in site.lives {
            feeds.spawn(async move { live.run().await });
        }
        let stop = watch::Sender::new(false);
        let mut stopped = stop.subscribe();
        let until = async {
            until.await;
            stop.send_replace(true);
        };
        let (counters, rooms) = (site.metrics.connections(), [(room(), Holders::Bodies)]);
        tokio::join!(
            singlet_edge::serve(listener, &of_connections, &rooms, counters, until, handle),
            site.jobs.run(async move {
                let _ = stopped.wait_for(|stop| *stop).await;
            }),
        );
        // Dropping them ends the feeds.
    }
}

/// Serves one connection until it ends or is upgraded.
async fn connect(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: SocketAddr,
    is_refused: bool,
    protocol: &http1::Builder,
    shared: Arc<Shared>,
    mut lifetime: ConnectionGuard,
) {
    let of_requests = lifetime.clone();
    let limits = AddressLimits {
        requests: shared.limiter.clone(),
        stored: shared.stored_limiter.clone(),
        changes: shared.change_limiter.clone(),
    };
    let account = ClientLimits::new(peer.ip(), limits);
    let service = service_fn(move |request: Request<Incoming>| {
        let (shared, lifetime) = (Arc::clone(&shared), of_requests.clone());
        let account = account.clone();
        async move {
            let answer = match is_refused {
                true => exchange::refuse(&request),
                false => exchange::answer(&shared, account, lifetime, request).await,
            };
            Ok::<Response<axum::body::Body>, Infallible>(answer)
        }
    });
    let connection = protocol.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut connection = pin!(connection);
    // Connection errors are ignored: the client left or did not speak HTTP.
    tokio::select! {
        _ = &mut connection => {}
        () = lifetime.ended() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use crate::api::{Api, Json};
    use crate::handshake::upgrade;
    use crate::identity::Caller;
    use crate::live::{SwitchingProtocols, WebSocketUpgrade};
    use crate::metrics::Metrics;
    use crate::problem::{INTERNAL, Problem};
    use crate::system::Opened;
    use axum::Router;
    use axum::routing::get;
    use futures_util::{SinkExt, StreamExt};
    use singlet_testing::Log;
    use std::time::{SystemTime, UNIX_EPOCH};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio_tungstenite::WebSocketStream;

    /// Echoes messages, or sends the problem.
    async fn echo(upgrade: WebSocketUpgrade) -> SwitchingProtocols {
        upgrade.serve(async |mut socket| {
            while let Some(heard) = socket.next().await {
                let answer = heard.unwrap_or_else(|problem| problem.problem_type().name.into());
                socket.send(answer).await;
            }
        })
    }

    /// A connection that the server sees as coming from this address.
    async fn connection_from(peer: [u8; 4], shared: &Arc<Shared>) -> TcpStream {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let (_stop, stopped) = watch::channel(false);
            let (sockets, turns) = (Arc::new(Semaphore::new(1)), turns_of_runtime());
            let (lifetime, end) =
                lifetime::begin(stopped, Arc::default(), Shares::default(), sockets, turns);
            let protocol = http1::Builder::new();
            connect(stream, (peer, 1).into(), false, &protocol, shared, lifetime).await;
            end.wait().await;
        });
        client
    }

    /// Status and body of the response to this request.
    async fn ask_from(peer: [u8; 4], shared: &Arc<Shared>, head: &str, body: &str) -> String {
        let mut stream = connection_from(peer, shared).await;
        let length = body.len();
        let request = format!(
            "{head}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    /// The shared state of a server on a public address.
    fn in_public(site: Site) -> Arc<Shared> {
        Arc::new(Shared {
            router: site.router,
            stored_limiter: None,
            change_limiter: None,
            identity: site.identity,
            idempotency: None,
            limiter: None,
            names: AllowedHosts::Any,
            request_time_max: Duration::from_secs(30),
            body_bytes_per_second_min: 16 << 10,
            body_bytes_max: 64 << 10,
            strict_problems: None,
            metrics: site.metrics,
        })
    }

    const HERE: [u8; 4] = [127, 0, 0, 1];
    const ELSEWHERE: [u8; 4] = [192, 0, 2, 1];

    async fn whoami(caller: Caller) -> Json<String> {
        Json(caller.subject)
    }

    /// Such a site cannot be served in public. The test does so anyway, because clients are checked
    /// as well.
    #[tokio::test]
    async fn the_local_issuer_believes_nobody_from_elsewhere() {
        let issuer = LocalIssuer::new().unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let token = issuer.sign("Ann", &[], now).unwrap();
        let system = System::new("test", "Test", "A test.").open(async |_| {
            let me = crate::api::get("/me", whoami).describe("me", "Who calls.");
            Ok(Opened::new(Api::new(()).route(me)))
        });
        let identity = IdentitySource::Local(issuer);
        let options = SiteOptions { identity, ..SiteOptions::default() };
        let store = Store::memory().await.unwrap();
        let shared = in_public(Site::open(vec![system], store, options).await.unwrap());
        let me =
            format!("GET /test/me HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}");
        let tokens = "POST /local/tokens HTTP/1.1\r\nhost: localhost";
        let personas = "GET /local/personas HTTP/1.1\r\nhost: localhost";
        for (head, body, refused) in
            [(tokens, r#"{"name":"Ann"}"#, "403"), (personas, "", "403"), (me.as_str(), "", "401")]
        {
            for (peer, status) in [(HERE, "200"), (ELSEWHERE, refused)] {
                let answer = ask_from(peer, &shared, head, body).await;
                assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{head}: {answer}");
            }
        }
    }

    /// Regression: DNS rebinding let a foreign site read the metrics through a local browser.
    #[tokio::test]
    async fn figures_are_for_a_local_host_only() {
        let store = Store::memory().await.unwrap();
        let site = Site::open(Vec::new(), store, SiteOptions::default()).await.unwrap();
        let shared = in_public(site);
        for path in ["/metrics", "/jobs"] {
            for (peer, host, status) in [
                (HERE, "localhost:8080", "200"),
                (HERE, "127.0.0.1:8080", "200"),
                (HERE, "evil.example:8080", "404"),
                (ELSEWHERE, "localhost:8080", "404"),
            ] {
                let head = format!("GET {path} HTTP/1.1\r\nhost: {host}");
                let answer = ask_from(peer, &shared, &head, "").await;
                assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {answer}");
            }
        }
    }

    #[tokio::test]
    async fn demo_data_and_local_sign_in_are_for_own_data_on_the_own_machine() {
        let engine = singlet::engine::Engine::memory().unwrap();
        let backend = singlet::backend::Embedded::new(engine);
        let elsewhere = Store::new(backend, singlet::Settings::default());
        let own = Store::memory().await.unwrap();
        for (store, address, is_trusting) in
            [(&own, HERE, true), (&own, [0; 4], false), (&elsewhere, HERE, false)]
        {
            let options = options_for(store, (address, 8080).into()).unwrap();
            assert_eq!(options.demo == DemoPolicy::IfEmpty, is_trusting, "{address:?}");
            let is_local = matches!(options.identity, IdentitySource::Local(_));
            assert_eq!(is_local, is_trusting, "{address:?}");
            // Changing the clock keeps the store embedded.
            let clock = singlet::engine::Clock::fixed(0);
            assert_eq!(store.with_clock(clock).is_embedded(), store.is_embedded());
        }
    }

    async fn fail(_: crate::api::Path<String>) -> Result<Json<bool>, Problem> {
        Err(Problem::new(&INTERNAL))
    }

    /// Regression: logged paths leaked invitation codes.
    #[tokio::test]
    async fn a_log_names_operations_and_holds_no_paths() {
        let log = Log::all();
        let _guard = tracing::subscriber::set_default(log.clone());
        let system = System::new("test", "Test", "A test.").open(async |_| {
            let fail = crate::api::get("/invitations/{code}", fail).describe("accept", "Accepts.");
            Ok(Opened::new(Api::new(()).route(fail)))
        });
        let store = Store::memory().await.unwrap();
        let site = Site::open(vec![system], store, SiteOptions::default()).await.unwrap();
        let shared = in_public(site);
        for path in ["/test/invitations/hidden-1", "/hidden-2"] {
            let head = format!("GET {path} HTTP/1.1\r\nhost: localhost");
            ask_from(HERE, &shared, &head, "").await;
        }
        let logged = log.text();
        assert!(!logged.contains("hidden"), "{logged}");
        for part in ["method=GET", "operation=\"accept\"", "status=500", "status=404"] {
            assert!(logged.contains(part), "{part}: {logged}");
        }
    }

    /// Opens a socket.
    async fn socket_from(peer: [u8; 4], shared: &Arc<Shared>) -> WebSocketStream<TcpStream> {
        upgrade(connection_from(peer, shared).await, "/socket").await
    }

    /// Regression: requests were counted, socket messages were not.
    #[tokio::test]
    async fn messages_count_as_requests_do() {
        let shared = Arc::new(Shared {
            router: Router::new().route("/socket", get(echo)),
            stored_limiter: None,
            change_limiter: None,
            identity: None,
            idempotency: None,
            // The bucket does not refill during the test.
            limiter: Some(Arc::new(Limiter::new(Rate { per_second: 0.001, burst: 5.0 }))),
            names: AllowedHosts::Any,
            request_time_max: Duration::from_secs(30),
            body_bytes_per_second_min: 16 << 10,
            body_bytes_max: 64 << 10,
            strict_problems: None,
            metrics: Metrics::default(),
        });
        let mut one = socket_from([192, 0, 2, 1], &shared).await;
        let mut other = socket_from([192, 0, 2, 1], &shared).await;
        let mut echoes = Vec::new();
        for _ in 0..3 {
            for socket in [&mut one, &mut other] {
                socket.send("hello".into()).await.unwrap();
                echoes.push(socket.next().await.unwrap().unwrap().into_text().unwrap());
            }
        }
        // Two requests leave three messages.
        let (echoed, refused) = (["hello"; 3], ["rate-limited"; 3]);
        assert_eq!(echoes, [echoed, refused].concat());
        // Other addresses have their own limit.
        let mut elsewhere = socket_from([192, 0, 2, 2], &shared).await;
        elsewhere.send("hello".into()).await.unwrap();
        assert_eq!(elsewhere.next().await.unwrap().unwrap(), "hello".into());
    }
}
