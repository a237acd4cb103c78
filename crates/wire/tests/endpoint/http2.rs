//! HTTP/2 without negotiation, with a client that is not ours.

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
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;

/// A body of one piece.
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

#[tokio::test]
async fn the_authority_must_be_this_machine() {
    let endpoint = spawn_blocking(Endpoint::start).await.unwrap();
    let sender = connect(&endpoint).await;
    let (status, text) = send(sender, request("attacker.example"), "{}").await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{text}");
    spawn_blocking(move || drop(endpoint)).await.unwrap();
}

/// HTTP/2 has no `Host`; what is signed in its place is the authority.
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
