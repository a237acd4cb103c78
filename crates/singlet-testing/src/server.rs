//! A server with systems, and clients of it.

use crate::store::TestStore;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use singlet_web::api::StrictProblems;
use singlet_web::identity::LocalIssuer;
use singlet_web::{
    DemoPolicy, IdentitySource, Options, Persona, Server, Site, SiteOptions, Store, System,
};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

/// Longer than anything here takes, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server with systems. It ends with the test.
///
/// A route that answers with a problem which it does not declare answers 500 instead, and the test
/// fails when the server is dropped.
pub struct TestServer {
    /// Where it listens.
    pub address: SocketAddr,
    /// What the systems run on.
    pub store: TestStore,
    issuer: LocalIssuer,
    undeclared: StrictProblems,
    serving: JoinHandle<()>,
}

impl TestServer {
    /// Systems on a store in memory, without demo data.
    pub async fn start(systems: Vec<System>) -> Self {
        Self::with(systems, TestStore::memory(), DemoPolicy::Never).await
    }

    /// Systems on a store.
    pub async fn with(systems: Vec<System>, store: TestStore, demo: DemoPolicy) -> Self {
        Self::with_options(systems, store, |options| options.demo = demo).await
    }

    /// Systems on a store, without demo data and without their jobs: only requests write.
    pub async fn without_jobs(systems: Vec<System>, store: TestStore) -> Self {
        Self::with_options(systems, store, |options| {
            (options.demo, options.run_jobs) = (DemoPolicy::Never, false);
        })
        .await
    }

    async fn with_options(
        systems: Vec<System>,
        store: TestStore,
        change: impl FnOnce(&mut SiteOptions),
    ) -> Self {
        let (issuer, undeclared) = (LocalIssuer::new().unwrap(), StrictProblems::default());
        let mut options = SiteOptions::default();
        change(&mut options);
        options.identity = IdentitySource::Local(issuer.clone());
        options.strict_problems = Some(undeclared.clone());
        let backend = Store::new(store.backend(), store.settings.clone());
        let site = Site::open(systems, backend, options).await.unwrap();
        let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
        let server = Server::bind(options).await.unwrap();
        let address = server.local_address().unwrap();
        let serving = tokio::spawn(server.serve(site, std::future::pending()));
        Self { address, store, issuer, undeclared, serving }
    }

    /// A client who has not signed in.
    pub fn visitor(&self) -> TestClient {
        TestClient { address: self.address, headers: Vec::new() }
    }

    /// A client who has signed in as a person of the demo data.
    pub fn as_persona(&self, persona: &Persona) -> TestClient {
        self.with_token(&self.issuer.sign_persona(persona, now()).unwrap())
    }

    /// A client who has signed in as anybody.
    pub fn as_user(&self, subject: &str, groups: &[&str]) -> TestClient {
        let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        self.with_token(&self.issuer.sign(subject, &groups, now()).unwrap())
    }

    fn with_token(&self, token: &str) -> TestClient {
        self.visitor().with_header("authorization", &format!("Bearer {token}"))
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.serving.abort();
        let undeclared = self.undeclared.undeclared();
        if !std::thread::panicking() {
            assert!(undeclared.is_empty(), "problems that are not declared: {undeclared:#?}");
        }
    }
}

/// Seconds since 1970 by the real clock, by which tokens are checked.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A client of a [`TestServer`]. Every request has a connection of its own.
#[derive(Clone)]
pub struct TestClient {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

impl TestClient {
    /// The same client, with one more header in every request.
    #[must_use]
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// Sends GET.
    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(Method::GET, path, None).await
    }

    /// Sends POST with JSON.
    pub async fn post(&self, path: &str, body: Value) -> TestResponse {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Sends PUT with JSON.
    pub async fn put(&self, path: &str, body: Value) -> TestResponse {
        self.send(Method::PUT, path, Some(body)).await
    }

    /// Sends PATCH with JSON.
    pub async fn patch(&self, path: &str, body: Value) -> TestResponse {
        self.send(Method::PATCH, path, Some(body)).await
    }

    /// Sends DELETE.
    pub async fn delete(&self, path: &str) -> TestResponse {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends a request, with JSON if there is a body.
    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> TestResponse {
        match body {
            Some(body) => {
                let json = self.with_header("content-type", "application/json");
                json.send_bytes(method, path, body.to_string().into()).await
            }
            None => self.send_bytes(method, path, Bytes::new()).await,
        }
    }

    /// Sends a request with any body.
    pub async fn send_bytes(&self, method: Method, path: &str, body: Bytes) -> TestResponse {
        let exchange = async {
            let response = self.request(method, path, body).await;
            let (head, body) = response.into_parts();
            let headers = head.headers.iter().map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            });
            let status = head.status.as_u16();
            let headers = headers.collect();
            TestResponse { status, headers, body: body.collect().await.unwrap().to_bytes().into() }
        };
        timeout(PATIENCE, exchange).await.unwrap_or_else(|_| panic!("no answer from {path}"))
    }

    /// Opens a stream of Server-Sent Events.
    pub async fn events(&self, path: &str) -> TestEvents {
        let accepting = self.with_header("accept", "text/event-stream");
        let response = accepting.request(Method::GET, path, Bytes::new()).await;
        assert_eq!(response.status(), 200, "{path}");
        TestEvents { body: response.into_body(), text: String::new() }
    }

    /// Opens a WebSocket.
    pub async fn socket(&self, path: &str) -> TestSocket {
        let upgrading = self
            .with_header("connection", "upgrade")
            .with_header("upgrade", "websocket")
            .with_header("sec-websocket-version", "13")
            .with_header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        let mut response = upgrading.request(Method::GET, path, Bytes::new()).await;
        assert_eq!(response.status(), 101, "{path}");
        let upgraded = hyper::upgrade::on(&mut response).await.unwrap();
        let stream = TokioIo::new(upgraded);
        TestSocket(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
    }

    async fn request(&self, method: Method, path: &str, body: Bytes) -> Response<Incoming> {
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection.with_upgrades());
        sender.send_request(request.body(Full::new(body)).unwrap()).await.unwrap()
    }
}

/// A response, taken apart.
#[derive(Clone, Debug)]
pub struct TestResponse {
    /// The status.
    pub status: u16,
    /// The headers, with names in small letters.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl TestResponse {
    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The code of the problem; empty if it is none.
    pub fn code(&self) -> String {
        match self.headers.get("content-type").map(String::as_str) {
            Some("application/problem+json") => {
                self.json()["code"].as_str().unwrap_or_default().to_owned()
            }
            _ => String::new(),
        }
    }

    /// The body as JSON, after the status was compared.
    pub fn expect(&self, status: u16) -> Value {
        let body = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{body}");
        self.json()
    }

    /// The version in the header `ETag`.
    pub fn version(&self) -> Option<u64> {
        self.headers.get("etag")?.trim_matches('"').parse().ok()
    }
}

/// A stream of Server-Sent Events.
pub struct TestEvents {
    body: Incoming,
    text: String,
}

impl TestEvents {
    /// The next event: its name and its data. Comments are passed over; `None` at the end.
    pub async fn next(&mut self) -> Option<(String, Value)> {
        let reading = async {
            loop {
                if let Some((block, rest)) = self.text.split_once("\n\n") {
                    let (block, rest) = (block.to_owned(), rest.to_owned());
                    self.text = rest;
                    let field = |name: &str| {
                        let mut lines = block.lines();
                        lines
                            .find_map(|line| line.strip_prefix(name))
                            .map(|text| text.trim().to_owned())
                    };
                    if let Some(event) = field("event:") {
                        let data = field("data:").unwrap_or_default();
                        return Some((event, serde_json::from_str(&data).unwrap_or(Value::Null)));
                    }
                    continue;
                }
                let frame = self.body.frame().await?.ok()?;
                if let Ok(data) = frame.into_data() {
                    self.text += &String::from_utf8_lossy(&data);
                }
            }
        };
        timeout(PATIENCE, reading).await.unwrap_or_else(|_| panic!("no event comes"))
    }

    /// The data of the next event, which must have this name.
    pub async fn expect(&mut self, name: &str) -> Value {
        let (event, data) = self.next().await.unwrap_or_default();
        assert_eq!(event, name, "{data}");
        data
    }
}

/// A WebSocket whose messages are JSON.
pub struct TestSocket(WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>);

impl TestSocket {
    /// Sends a message.
    pub async fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    /// The next message; `None` when the socket is closed.
    pub async fn next(&mut self) -> Option<Value> {
        let reading = async {
            loop {
                match self.0.next().await? {
                    Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
                    Ok(Message::Close(_)) | Err(_) => return None,
                    Ok(_) => {}
                }
            }
        };
        timeout(PATIENCE, reading).await.unwrap_or_else(|_| panic!("no message comes"))
    }

    /// The code with which the server closes the socket. Messages before it are passed over.
    pub async fn close_code(&mut self) -> Option<u16> {
        let reading = async {
            loop {
                match self.0.next().await? {
                    Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
                    Ok(_) => {}
                    Err(_) => return None,
                }
            }
        };
        timeout(PATIENCE, reading).await.unwrap_or_else(|_| panic!("the socket stays open"))
    }

    /// The next message, which must be of this type.
    pub async fn expect(&mut self, kind: &str) -> Value {
        let message = self.next().await.unwrap_or(Value::Null);
        assert_eq!(message["type"], kind, "{message}");
        message
    }
}
