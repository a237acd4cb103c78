//! HTTP/2 with prior knowledge, with a third-party client.

use crate::server::Endpoint;
use crate::signing::{NOW, NOW_MILLIS, authorization};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::client::conn::http2::{self, SendRequest};
use hyper::http::request::Builder;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use singlet_engine::Clock;
use singlet_wire::Credentials;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::{JoinSet, spawn_blocking};

/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A body of one chunk.
struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

async fn connect(endpoint: &Endpoint) -> SendRequest<Whole> {
    let stream = TcpStream::connect(("127.0.0.1", endpoint.address.port())).await.unwrap();
    let (sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

fn request(host: &str) -> Builder {
    Request::post(format!("http://{host}/"))
        .header("x-amz-target", "DynamoDB_20120810.ListTables")
        .header("content-type", "application/x-amz-json-1.0")
}

async fn send(
    mut sender: SendRequest<Whole>,
    request: Builder,
    body: &'static str,
) -> (StatusCode, String) {
    let request = request.body(Whole(Some(body.into()))).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.headers()["x-amzn-requestid"].len(), 52);
    (response.status(), collect(response.into_body()).await)
}

async fn collect(mut body: Incoming) -> String {
    let mut whole = Vec::new();
    while let Some(frame) = poll_fn(|context| pin!(&mut body).poll_frame(context)).await {
        whole.extend_from_slice(&frame.unwrap().into_data().unwrap_or_default());
    }
    String::from_utf8(whole).unwrap()
}

#[tokio::test]
async fn many_requests_share_a_connection() {
    let endpoint = spawn_blocking(Endpoint::start).await.unwrap();
    let sender = connect(&endpoint).await;
    let host = endpoint.address.to_string();
    let requests: Vec<_> =
        (0..20).map(|_| tokio::spawn(send(sender.clone(), request(&host), "{}"))).collect();
    for request in requests {
        let expected = (StatusCode::OK, r#"{"TableNames":[]}"#.to_owned());
        assert_eq!(request.await.unwrap(), expected);
    }
    drop(sender);
    spawn_blocking(move || drop(endpoint)).await.unwrap();
}

/// A body that never comes.
struct Never;

impl Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

/// 17 connections with 125 open heads each used to lock everyone else out.
#[tokio::test]
async fn unfinished_heads_do_not_take_places() {
    let start = || Endpoint::start_with(|options| options.limits.requests_max = 16);
    let endpoint = spawn_blocking(start).await.unwrap();
    let host = endpoint.address.to_string();
    let mut open = Vec::new();
    for _ in 0..4 {
        let stream = TcpStream::connect(endpoint.address).await.unwrap();
        let (mut sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        for _ in 0..125 {
            let request = request(&host).body(Never).unwrap();
            open.push(tokio::spawn(sender.send_request(request)));
        }
    }
    let sender = connect(&endpoint).await;
    for _ in 0..50 {
        let (status, text) = send(sender.clone(), request(&host), "{}").await;
        assert_eq!(status, StatusCode::OK, "{text}");
    }
    assert!(open.iter().all(|request| !request.is_finished()));
    drop((open, sender));
    spawn_blocking(move || drop(endpoint)).await.unwrap();
}

/// The memory of heads was not counted: 128 heads of 64 KB on each connection.
#[tokio::test]
async fn open_heads_are_counted() {
    let start = || {
        Endpoint::start_with(|options| {
            options.limits.small_bytes_max = 1 << 20;
            // Keeps the connection from being cut off when room is short.
            options.limits.connections.pressed_time_max = Duration::from_secs(60);
        })
    };
    let endpoint = spawn_blocking(start).await.unwrap();
    let host = endpoint.address.to_string();
    let stream = TcpStream::connect(endpoint.address).await.unwrap();
    let (mut sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let fat = "x".repeat(40_000);
    let mut answers = JoinSet::new();
    for _ in 0..40 {
        let request = request(&host).header("fat", fat.clone()).body(Never).unwrap();
        answers.spawn(sender.send_request(request));
    }
    // Half of 1 MB has room for eleven, which get no response.
    let mut refused = 0;
    loop {
        let time = if refused < 20 { PATIENCE } else { Duration::from_millis(500) };
        let Ok(answer) = tokio::time::timeout(time, answers.join_next()).await else { break };
        let status = answer.unwrap().unwrap().unwrap().status();
        assert_eq!(status, StatusCode::BAD_REQUEST);
        refused += 1;
    }
    assert!((20..=35).contains(&refused), "{refused}");
    let (status, text) = send(connect(&endpoint).await, request(&host), "{}").await;
    assert_eq!(status, StatusCode::OK, "{text}");
    drop(sender);
    spawn_blocking(move || drop(endpoint)).await.unwrap();
}

/// Requests a response on a connection that barely reads, and small ones meanwhile. The connection
/// must be closed and its memory released.
async fn check_stalled(endpoint: Endpoint, stalled: Request<Whole>) {
    let host = endpoint.address.to_string();
    let stream = TcpStream::connect(endpoint.address).await.unwrap();
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(1000)
        .handshake(TokioIo::new(stream))
        .await
        .unwrap();
    let connection = tokio::spawn(connection);
    let _unread = sender.send_request(stalled).await.unwrap();
    let asking = async {
        loop {
            let request = request(&host).body(Whole(Some("{}".into()))).unwrap();
            if sender.send_request(request).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.expect("it was never cut off");
    assert!(connection.is_finished());
    let endpoint = spawn_blocking(move || {
        crate::server::eventually("it is given up", || endpoint.metric("singlet_held_bytes") == 0);
        endpoint
    });
    spawn_blocking(|| ()).await.unwrap();
    drop(endpoint.await.unwrap());
}

fn start_impatient() -> Endpoint {
    Endpoint::start_with(|options| {
        options.limits.connections.stall_time_max = Duration::from_millis(500);
    })
}

/// A connection that sent a request now and then could keep unread responses in memory forever.
#[tokio::test]
async fn a_stalled_stream_is_cut_off_while_other_streams_continue() {
    let start = || {
        let endpoint = start_impatient();
        endpoint.make_table("games");
        let filler = "x".repeat(390_000);
        let put = format!(
            r#"{{"TableName":"games","Item":{{"pk":{{"S":"1"}},"v":{{"S":"{filler}"}}}}}}"#
        );
        assert_eq!(endpoint.request("PutItem", &put).status, 200);
        endpoint
    };
    let endpoint = spawn_blocking(start).await.unwrap();
    let get = Request::post(format!("http://{}/", endpoint.address))
        .header("x-amz-target", "DynamoDB_20120810.GetItem")
        .header("content-type", "application/x-amz-json-1.0")
        .body(Whole(Some(r#"{"TableName":"games","Key":{"pk":{"S":"1"}}}"#.into())))
        .unwrap();
    check_stalled(endpoint, get).await;
}

/// The metrics page, about 40 KB, was neither counted nor monitored.
#[tokio::test]
async fn unread_metrics_are_released() {
    let endpoint = spawn_blocking(start_impatient).await.unwrap();
    let get = Request::get(format!("http://{}/metrics", endpoint.address));
    check_stalled(endpoint, get.body(Whole(None)).unwrap()).await;
}

/// Over HTTP/2 only the bytes of headers were limited, and checking a signature takes time
/// quadratic in their number.
#[tokio::test]
async fn a_request_has_a_hundred_headers_at_most() {
    let endpoint = spawn_blocking(Endpoint::start).await.unwrap();
    let sender = connect(&endpoint).await;
    let host = endpoint.address.to_string();
    let with = |count: usize| {
        let names = (0..count).map(|number| format!("h{number}"));
        names.fold(request(&host), |request, name| request.header(name, "x"))
    };
    assert_eq!(send(sender.clone(), with(90), "{}").await.0, StatusCode::OK);
    let (status, text) = send(sender.clone(), with(101), "{}").await;
    assert_eq!(status, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    assert_eq!(text, "The request has more than 100 headers.\n");
    assert_eq!(send(sender.clone(), request(&host), "{}").await.0, StatusCode::OK);
    drop(sender);
    spawn_blocking(move || drop(endpoint)).await.unwrap();
}

#[tokio::test]
async fn the_authority_must_be_this_machine() {
    let endpoint = spawn_blocking(Endpoint::start).await.unwrap();
    let sender = connect(&endpoint).await;
    let (status, text) = send(sender, request("attacker.example"), "{}").await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{text}");
    spawn_blocking(move || drop(endpoint)).await.unwrap();
}

/// HTTP/2 has no `Host`; `:authority` is signed in its place.
#[tokio::test]
async fn the_authority_is_signed() {
    let start = || {
        Endpoint::start_with(|options| {
            let text = "[a]\naws_access_key_id = local\naws_secret_access_key = secret\n";
            options.address = ([0, 0, 0, 0], 0).into();
            options.credentials = Some(Credentials::parse(text).unwrap());
            options.clock = Clock::fixed(NOW_MILLIS);
        })
    };
    let endpoint = spawn_blocking(start).await.unwrap();
    let sender = connect(&endpoint).await;
    let signed = authorization("local", "secret", "db.example.com", "ListTables", b"{}");
    let signed = |host: &str| {
        request(host).header("x-amz-date", NOW).header("authorization", signed.clone())
    };
    let (status, text) = send(sender.clone(), signed("db.example.com"), "{}").await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let (status, text) = send(sender, signed("other.example.com"), "{}").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.contains("InvalidSignatureException"), "{text}");
    spawn_blocking(move || drop(endpoint)).await.unwrap();
}
