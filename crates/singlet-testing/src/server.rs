//! A server under test, and its clients.

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

/// Timeout for everything here. Only a hang takes this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server that runs systems until the end of the test.
///
/// A route that answers with an undeclared problem answers 500 instead, and the test fails when the
/// server is dropped.
pub struct TestServer {
    /// The server's address.
    pub address: SocketAddr,
    /// The store of the systems.
    pub store: TestStore,
    issuer: LocalIssuer,
    undeclared: StrictProblems,
    serving: JoinHandle<()>,
}

impl TestServer {
    /// Starts systems on a store in memory, without demo data.
    pub async fn start(systems: Vec<System>) -> Self {
        Self::with(systems, TestStore::memory(), DemoPolicy::Never).await
    }

    /// Starts systems on a store.
    pub async fn with(systems: Vec<System>, store: TestStore, demo: DemoPolicy) -> Self {
        Self::with_options(systems, store, |options| options.demo = demo).await
    }

    /// Starts systems without demo data and without jobs: only requests write.
    pub async fn without_jobs(systems: Vec<System>, store: TestStore) -> Self {
        Self::quiet(systems, store, DemoPolicy::Never).await
    }

    /// Starts systems without jobs.
    pub async fn quiet(systems: Vec<System>, store: TestStore, demo: DemoPolicy) -> Self {
        Self::with_options(systems, store, |options| {
            (options.demo, options.run_jobs) = (demo, false);
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

    /// A client that is not signed in.
    pub fn visitor(&self) -> TestClient {
        TestClient { address: self.address, headers: Vec::new() }
    }

    /// A client signed in as a persona of the demo data.
    pub fn as_persona(&self, persona: &Persona) -> TestClient {
        self.with_token(&self.issuer.sign_persona(persona, now()).unwrap())
    }

    /// A client signed in with any subject and groups.
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

/// The real time, which tokens are checked against.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A client of a [`TestServer`]. Every request opens a new connection.
#[derive(Clone)]
pub struct TestClient {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

impl TestClient {
    /// Adds a header to every request.
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

    /// Sends a request, with an optional JSON body.
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

    /// Sends a request and keeps the connection open until [`Abandoned::leave`].
    pub(crate) async fn begin(&self, method: Method, path: &str, body: Bytes) -> Abandoned {
        let (client, path) = (self.clone(), path.to_owned());
        let stream = TcpStream::connect(self.address).await.unwrap();
        Abandoned(tokio::spawn(async move {
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
            let request = client.build(method, &path, body);
            // Aborting the task drops both, which closes the connection.
            let _ = tokio::join!(connection, sender.send_request(request));
        }))
    }

    fn build(&self, method: Method, path: &str, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(Full::new(body)).unwrap()
    }

    async fn request(&self, method: Method, path: &str, body: Bytes) -> Response<Incoming> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection.with_upgrades());
        sender.send_request(self.build(method, path, body)).await.unwrap()
    }
}

/// A request in flight that its client will abandon.
pub(crate) struct Abandoned(JoinHandle<()>);

impl Abandoned {
    /// Closes the connection.
    pub(crate) fn leave(self) {
        self.0.abort();
    }
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct TestResponse {
    /// The status.
    pub status: u16,
    /// The headers, with lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl TestResponse {
    /// The body as JSON; null if it is something else.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The code of a problem response; empty for other responses.
    pub fn code(&self) -> String {
        match self.headers.get("content-type").map(String::as_str) {
            Some("application/problem+json") => {
                self.json()["code"].as_str().unwrap_or_default().to_owned()
            }
            _ => String::new(),
        }
    }

    /// Asserts the status and returns the body as JSON.
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
    /// The next event's name and data, skipping comments; `None` at the end.
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

    /// Asserts the name of the next event and returns its data.
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

    /// Asserts the type of the next message and returns it.
    pub async fn expect(&mut self, kind: &str) -> Value {
        let message = self.next().await.unwrap_or(Value::Null);
        assert_eq!(message["type"], kind, "{message}");
        message
    }
}
