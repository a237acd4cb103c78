//! Endpoints that require signatures.

use crate::client::{Answer, Client};
use crate::server::Endpoint;
use crate::signing::{NOW, NOW_MILLIS, authorization, authorization_of_get};
use singlet_engine::Clock;
use singlet_wire::{BindError, Credentials, Options, Server};
use std::net::{IpAddr, UdpSocket};

const KEY: &str = "local";
const SECRET: &str = "a long secret";
const HOST: &str = "db.example.com";

fn credentials() -> Credentials {
    let text = format!("[a]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n");
    Credentials::parse(&text).unwrap()
}

/// An endpoint that other machines can reach.
fn endpoint() -> Endpoint {
    Endpoint::start_with(|options| {
        options.address = ([0, 0, 0, 0], 0).into();
        options.credentials = Some(credentials());
        options.clock = Clock::fixed(NOW_MILLIS);
    })
}

fn connect(endpoint: &Endpoint) -> Client {
    Client::connect(([127, 0, 0, 1], endpoint.address.port()).into())
}

fn send(client: &mut Client, authorization: &str, operation: &str, body: &str) -> Answer {
    client.send(format!(
        "POST / HTTP/1.1\r\nHost: {HOST}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         X-Amz-Date: {NOW}\r\nContent-Type: application/x-amz-json-1.0\r\n{authorization}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    client.answer()
}

#[test]
fn only_signed_requests_are_executed() {
    let endpoint = endpoint();
    let mut client = connect(&endpoint);
    let signed = |secret: &str, operation: &str, body: &str| {
        let value = authorization(KEY, secret, HOST, operation, body.as_bytes());
        format!("Authorization: {value}\r\n")
    };
    let good = signed(SECRET, "ListTables", "{}");
    assert_eq!(send(&mut client, &good, "ListTables", "{}").text(), r#"{"TableNames":[]}"#);

    let missing = send(&mut client, "", "ListTables", "{}");
    missing.assert_error(400, "MissingAuthenticationTokenException");
    let half = send(&mut client, "Authorization: AWS4-HMAC-SHA256 \r\n", "ListTables", "{}");
    half.assert_error(400, "IncompleteSignatureException");
    let stranger = good.replace("Credential=local", "Credential=stranger");
    let stranger = send(&mut client, &stranger, "ListTables", "{}");
    stranger.assert_error(400, "UnrecognizedClientException");
    let wrong = send(&mut client, &signed("wrong", "ListTables", "{}"), "ListTables", "{}");
    wrong.assert_error(400, "InvalidSignatureException");
    assert!(wrong.text().contains("The Canonical String for this request should have been"));

    // A valid signature of another request.
    let body = send(&mut client, &good, "ListTables", "{ }");
    body.assert_error(400, "InvalidSignatureException");
    let operation = send(&mut client, &good, "DeleteTable", "{}");
    operation.assert_error(400, "InvalidSignatureException");
    assert_eq!(send(&mut client, &good, "ListTables", "{}").status, 200);
}

#[test]
fn the_signature_is_checked_before_the_request() {
    let endpoint = endpoint();
    let answer = send(&mut connect(&endpoint), "", "PutItem", r#"{"TableName":1}"#);
    answer.assert_error(400, "MissingAuthenticationTokenException");
}

/// Metrics must not be public on the network.
#[test]
fn metrics_require_loopback_or_a_signature() {
    let endpoint = endpoint();
    assert_eq!(connect(&endpoint).get("/metrics").status, 200);
    let Some(own) = own_address() else { return };
    let from_afar = || Client::connect((own, endpoint.address.port()).into());
    assert_eq!(from_afar().get("/health").status, 200);
    let refused = from_afar().get("/metrics");
    refused.assert_error(400, "MissingAuthenticationTokenException");
    let mut client = from_afar();
    let authorization = authorization_of_get(KEY, SECRET, HOST, "/metrics");
    client.send(format!(
        "GET /metrics HTTP/1.1\r\nHost: {HOST}\r\nX-Amz-Date: {NOW}\r\n\
         Authorization: {authorization}\r\n\r\n"
    ));
    assert!(client.answer().text().contains("singlet_connections "));
}

/// A non-loopback address of this machine. Connections to it also come from it.
fn own_address() -> Option<IpAddr> {
    // Sends nothing; only asks the system which source address it would use.
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[tokio::test]
async fn a_public_address_requires_credentials() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let options = Options { address: address.parse().unwrap(), ..Options::default() };
        match Server::bind(options).await {
            Err(error @ BindError::Unprotected(_)) => {
                let text = error.to_string();
                assert!(text.contains("without credentials anyone there could read"), "{text}");
            }
            other => panic!("{address}: {other:?}"),
        }
    }
    let local = Options { address: "[::ffff:127.0.0.1]:0".parse().unwrap(), ..Options::default() };
    assert!(!matches!(Server::bind(local).await, Err(BindError::Unprotected(_))));
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
    let first = Server::bind(options.clone()).await.unwrap();
    let again = Options { address: first.local_address(), ..options };
    let error = Server::bind(again).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot listen on {}", first.local_address())), "{error}");
}

/// A header listed 14,000 times was expanded each time: a request of 56 KB took seconds and more
/// than a gigabyte, and got a response of 392 MB. A valid access-key id was enough.
#[test]
fn a_header_that_is_signed_many_times_is_refused() {
    let endpoint = endpoint();
    let mut client = connect(&endpoint);
    let scope = "20150830/eu-central-1/dynamodb/aws4_request";
    let names = "host;x-amz-date;x-amz-target;".to_owned() + &"fat;".repeat(7_000) + "fat";
    let fat = format!("Fat: {}\r\n", "x".repeat(28_000));
    let headers = format!(
        "{fat}Authorization: AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={names}, \
         Signature=00\r\n"
    );
    let answer = send(&mut client, &headers, "ListTables", "{}");
    answer.assert_error(400, "InvalidSignatureException");
    assert!(answer.text().contains("'fat' is named more than once"), "{}", answer.body.len());
}

#[test]
fn a_signed_header_must_be_present() {
    let endpoint = endpoint();
    let mut client = connect(&endpoint);
    let signed = authorization(KEY, SECRET, HOST, "ListTables", b"{}");
    let more = signed.replace("SignedHeaders=host;", "SignedHeaders=host;x-absent;");
    let answer = send(&mut client, &format!("Authorization: {more}\r\n"), "ListTables", "{}");
    answer.assert_error(400, "InvalidSignatureException");
    assert!(answer.text().contains("'x-absent' is a 'SignedHeader'"), "{}", answer.text());
}

/// An error repeats only the beginning of a long header.
#[test]
fn errors_repeat_little_of_long_headers() {
    let endpoint = endpoint();
    let long = "y".repeat(50_000);
    let scope = "20150830/eu-central-1/dynamodb/aws4_request";
    for authorization in [
        format!("AWS4-HMAC-SHA256 {long}"),
        format!(
            "AWS4-{long} Credential={KEY}/{scope}, SignedHeaders=host;x-amz-date;x-amz-target, Signature=0"
        ),
        format!(
            "AWS4-HMAC-SHA256 Credential={long}, SignedHeaders=host;x-amz-date;x-amz-target, Signature=0"
        ),
        format!("AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={long}, Signature=0"),
        format!(
            "AWS4-HMAC-SHA256 Credential={KEY}/1/eu/{long}/{long}, SignedHeaders=host, Signature=0"
        )
        .replacen(&long, "dynamodb", 1),
    ] {
        let mut client = connect(&endpoint);
        let answer =
            send(&mut client, &format!("Authorization: {authorization}\r\n"), "ListTables", "{}");
        assert_eq!(answer.status, 400);
        assert!(answer.body.len() < 20_000, "{} bytes", answer.body.len());
    }
}
