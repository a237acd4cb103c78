//! Outbound requests: limits, retries, and secrets.

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use singlet_testing::Log;
use singlet_web::outbound::{
    Breaker, BreakerOptions, BreakerState, Client, ClientOptions, OutboundErrorKind, Retry,
};
use std::convert::Infallible;
use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// A service on this machine.
struct Service {
    url: String,
    connections: Arc<AtomicU32>,
    /// The requests received: address and headers.
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Answers the nth request with `answer(n)`.
    async fn start(
        answer: impl Fn(u32) -> Response<Full<Bytes>> + Clone + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (connections, requests) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(vec![])));
        let service = Self { url, connections: connections.clone(), requests: requests.clone() };
        let served = Arc::new(AtomicU32::new(0));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let (answer, served) = (answer.clone(), served.clone());
                let requests = requests.clone();
                let handler = service_fn(move |request: Request<hyper::body::Incoming>| {
                    let number = served.fetch_add(1, Ordering::SeqCst) + 1;
                    let line = format!("{} {:?}", request.uri(), request.headers());
                    requests.lock().unwrap().push(line);
                    let response = answer(number);
                    async move { Ok::<_, Infallible>(response) }
                });
                tokio::spawn(async move {
                    let builder = auto::Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(stream), handler).await;
                });
            }
        });
        service
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn reply(status: u16, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status.try_into().unwrap();
    response
}

fn with(
    mut response: Response<Full<Bytes>>,
    name: &'static str,
    value: &'static str,
) -> Response<Full<Bytes>> {
    response.headers_mut().insert(name, value.try_into().unwrap());
    response
}

fn client() -> Client {
    Client::new(ClientOptions::default()).unwrap()
}

fn quickly(attempts: u32) -> Retry {
    Retry { wait_first: Duration::from_millis(10), ..Retry::times(attempts) }
}

#[tokio::test]
async fn any_status_is_an_answer() {
    let service = Service::start(|_| reply(404, r#"{"why":"gone"}"#)).await;
    let answer = client().get(&service.url).query("a b", "c&d").send().await.unwrap();
    assert_eq!((answer.status(), answer.is_success()), (404, false));
    assert_eq!(answer.json::<serde_json::Value>().unwrap()["why"], "gone");
    assert!(answer.json::<Vec<String>>().is_err());
    let requests = service.requests.lock().unwrap();
    assert!(requests[0].contains("/?a%20b=c%26d "), "{}", requests[0]);
}

/// A redirect could leak secrets to another host.
#[tokio::test]
async fn redirects_are_not_followed() {
    let service = Service::start(|_| with(reply(302, ""), "location", "http://127.0.0.1:1/")).await;
    assert_eq!(client().get(&service.url).send().await.unwrap().status(), 302);
    assert_eq!(service.count(), 1);
}

#[tokio::test]
async fn retry_after_is_honoured() {
    let service = Service::start(|number| match number {
        1 => with(reply(503, ""), "retry-after", "1"),
        2 => reply(502, ""),
        _ => reply(200, "ok"),
    })
    .await;
    let start = Instant::now();
    let answer = client().get(&service.url).retry(quickly(3)).send().await.unwrap();
    assert_eq!((answer.status(), service.count()), (200, 3));
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_long_retry_after_is_the_callers_to_wait() {
    let service = Service::start(|_| with(reply(429, ""), "retry-after", "3600")).await;
    let answer = client().get(&service.url).retry(quickly(3)).send().await.unwrap();
    assert_eq!((answer.status(), service.count()), (429, 1));
    assert_eq!(answer.retry_after(), Some(Duration::from_secs(3600)));
}

#[tokio::test]
async fn only_what_may_be_repeated_is() {
    let service = Service::start(|_| reply(503, "")).await;
    let post = || client().post(&service.url).json(&1).retry(quickly(3));
    assert_eq!(post().send().await.unwrap().status(), 503);
    assert_eq!(service.count(), 1);
    assert_eq!(post().idempotent().send().await.unwrap().status(), 503);
    assert_eq!(service.count(), 4);
    // A status that a retry does not change.
    let service = Service::start(|_| reply(400, "")).await;
    let _ = client().get(&service.url).retry(quickly(3)).send().await.unwrap();
    assert_eq!(service.count(), 1);
}

#[tokio::test]
async fn a_breaker_stops_requests() {
    let service = Service::start(|_| reply(500, "")).await;
    let breaker = Breaker::new("test", BreakerOptions::default());
    for _ in 0..5 {
        let answer = client().get(&service.url).breaker(&breaker).send().await;
        assert_eq!(answer.unwrap().status(), 500);
    }
    let error = client().get(&service.url).breaker(&breaker).send().await.unwrap_err();
    assert!(matches!(error.kind, OutboundErrorKind::BreakerOpen { .. }), "{error}");
    assert!(matches!(breaker.state(), BreakerState::Open { .. }));
    assert_eq!(service.count(), 5);
}

#[tokio::test]
async fn http2_many_requests_one_connection() {
    let service = Service::start(|_| reply(200, "ok")).await;
    let options = ClientOptions { http2_only: true, ..ClientOptions::default() };
    let client = Client::new(options).unwrap();
    client.get(&service.url).send().await.unwrap();
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let request = client.get(&service.url);
            tokio::spawn(async move { request.send().await.unwrap().status() })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), 200);
    }
    assert_eq!((service.count(), service.connections.load(Ordering::SeqCst)), (101, 1));
}

#[tokio::test]
async fn a_gzip_bomb_is_cut() {
    let packed = |bytes: usize| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![b' '; bytes]).unwrap();
        Bytes::from(encoder.finish().unwrap())
    };
    // 64 MiB in 64 KiB.
    let (bomb, fine) = (packed(64 << 20), packed(4 << 20));
    assert!(bomb.len() < 1 << 20);
    let service = Service::start(move |number| match number {
        1 => with(reply(200, bomb.clone()), "content-encoding", "gzip"),
        2 => with(reply(200, fine.clone()), "content-encoding", "gzip"),
        3 => with(reply(200, "no gzip"), "content-encoding", "gzip"),
        4 => with(reply(200, "x"), "content-encoding", "br"),
        _ => reply(200, vec![0; (4 << 20) + 1]),
    })
    .await;
    let kind = async || client().get(&service.url).send().await.map_err(|error| error.kind);
    assert_eq!(kind().await.unwrap_err(), OutboundErrorKind::TooLarge);
    assert_eq!(kind().await.unwrap().bytes().len(), 4 << 20);
    assert_eq!(kind().await.unwrap_err(), OutboundErrorKind::Unreadable);
    assert_eq!(kind().await.unwrap_err(), OutboundErrorKind::Unreadable);
    assert_eq!(kind().await.unwrap_err(), OutboundErrorKind::TooLarge);
}

#[tokio::test]
async fn every_request_ends_in_time() {
    // Accepts connections and never responds.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/slow", listener.local_addr().unwrap());
    let options =
        ClientOptions { request_time_max: Duration::from_millis(100), ..ClientOptions::default() };
    let error = Client::new(options).unwrap().get(&url).send().await.unwrap_err();
    assert_eq!(error.kind, OutboundErrorKind::Timeout);
    drop(listener);
    let error = client().get(&url).send().await.unwrap_err();
    assert_eq!(error.kind, OutboundErrorKind::Connect);
}

#[tokio::test]
async fn addresses_are_https() {
    for url in [
        "",
        "/path",
        "http://example.com/",
        "ftp://localhost/",
        "https://user:password@example.com/",
        "http://localhost.example.com/",
    ] {
        let error = client().get(url).send().await.unwrap_err();
        assert_eq!(error.kind, OutboundErrorKind::Address, "{url}");
    }
    let broken = client().get("http://localhost/").header("x-a", "line\nbreak").send().await;
    assert_eq!(broken.unwrap_err().kind, OutboundErrorKind::Request);
}

#[tokio::test]
async fn a_secret_is_in_no_log_and_no_error() {
    let log = Log::all();
    let _guard = tracing::subscriber::set_default(log.clone());
    let service = Service::start(|_| reply(200, r#"{"token":"hidden-4"}"#)).await;
    let breaker = Breaker::new("test", BreakerOptions::default());
    let request = |url: &str| {
        client()
            .get(&format!("{url}/path?key=hidden-1"))
            .secret_header("authorization", "Bearer hidden-2")
            .secret_query("apikey", "hidden-3")
            .secret_segment("hidden-6")
            .breaker(&breaker)
    };
    let answer = request(&service.url).send().await.unwrap();
    let asked = service.requests.lock().unwrap().join("\n");
    assert!(asked.contains("key=hidden%2D1") || asked.contains("key=hidden-1"), "{asked}");
    assert!(asked.contains("hidden-3") && asked.contains("/path/hidden"), "{asked}");
    let unreadable = answer.json::<u32>().unwrap_err();
    let refused = request("http://127.0.0.1:1").send().await.unwrap_err();
    let invalid = request("http://example.com").send().await.unwrap_err();
    let bad_header = client().get(&service.url).secret_header("x-a", "hidden-5\n").send().await;
    breaker.trip("tripped");
    let open = request(&service.url).send().await.unwrap_err();
    let shown = [
        log.text(),
        format!("{:?} {answer:?}", request(&service.url)),
        format!("{unreadable} {unreadable:?} {refused} {refused:?} {invalid} {invalid:?}"),
        format!("{open} {open:?} {bad_header:?}"),
    ]
    .join("\n");
    assert!(!shown.contains("hidden"), "{shown}");
    // The error still identifies the service.
    assert!(shown.contains("127.0.0.1:1/path: no connection"), "{shown}");
    assert!(shown.contains("asked another service"), "{shown}");
}
