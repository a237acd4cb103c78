//! A minimal HTTP client for the tests of this crate: bytes on a socket.

use crate::handshake::upgrade;
use serde_json::Value;
use singlet_web::{IdentitySource, Opened, Options, Server, Site, SiteOptions, Store, System};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;

/// A server that runs until it is dropped or stopped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    done: JoinHandle<()>,
}

/// Systems of a test and their options.
#[derive(Default)]
pub(crate) struct SiteBuilder {
    systems: Vec<System>,
    store: Option<Store>,
    options: SiteOptions,
}

impl SiteBuilder {
    pub(crate) fn with_system(mut self, system: System) -> Self {
        self.systems.push(system);
        self
    }

    pub(crate) fn with_identity(mut self, identity: IdentitySource) -> Self {
        self.options.identity = identity;
        self
    }

    /// Defaults to a store in memory.
    pub(crate) fn with_store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    pub(crate) fn with_options(mut self, change: impl FnOnce(&mut SiteOptions)) -> Self {
        change(&mut self.options);
        self
    }

    pub(crate) fn with_note(mut self, note: &str) -> Self {
        self.options.notes.push(note.to_owned());
        self
    }
}

/// Starts a server on a free port.
pub(crate) async fn start(
    options: Options,
    prepare: impl FnOnce(SiteBuilder) -> SiteBuilder,
) -> Running {
    let SiteBuilder { systems, store, options: of_site } = prepare(SiteBuilder::default());
    let store = match store {
        Some(store) => store,
        None => Store::memory().await.unwrap(),
    };
    let site = Site::open(systems, store, of_site).await.unwrap();
    let options = Options { address: ([127, 0, 0, 1], 0).into(), ..options };
    let server = Server::bind(options).await.unwrap();
    let address = server.local_address().unwrap();
    let (stop, stopped) = oneshot::channel();
    let done = tokio::spawn(server.serve(site, async {
        let _ = stopped.await;
    }));
    Running { address, stop: Some(stop), done }
}

/// A system with these routes, of an `Api` or of axum.
pub(crate) fn system(routes: impl Into<Opened>) -> System {
    let opened = Mutex::new(Some(routes.into()));
    System::new("test", "Test", "A test.").open(move |_| {
        let opened = opened.lock().unwrap().take();
        async move { Ok(opened.unwrap()) }
    })
}

impl Running {
    /// Stops the server and waits for its end.
    pub(crate) async fn stop(mut self) {
        drop(self.stop.take());
        self.done.await.unwrap();
    }

    /// Sends a request with these header lines and a body.
    pub(crate) async fn send(&self, first: &str, lines: &[&str], body: &str) -> TestResponse {
        self.send_from("127.0.0.1", first, lines, body).await
    }

    /// The same from another loopback address.
    pub(crate) async fn send_from(
        &self,
        peer: &str,
        first: &str,
        lines: &[&str],
        body: &str,
    ) -> TestResponse {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(peer.parse().unwrap(), 0)).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        let mut head = format!("{first} HTTP/1.1\r\nconnection: close\r\n");
        if !lines.iter().any(|line| line.starts_with("host:")) {
            head += "host: localhost\r\n";
        }
        for line in lines {
            head += line;
            head += "\r\n";
        }
        if !body.is_empty() {
            head += &format!("content-length: {}\r\n", body.len());
        }
        exchange(stream, &format!("{head}\r\n{body}")).await
    }

    /// Sends a raw request. It must make the server close the connection.
    pub(crate) async fn send_raw(&self, request: &str) -> TestResponse {
        exchange(TcpStream::connect(self.address).await.unwrap(), request).await
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(&format!("GET {path}"), &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> TestResponse {
        self.send(&format!("POST {path}"), &["content-type: application/json"], body).await
    }

    /// Opens a WebSocket.
    pub(crate) async fn socket(&self, path: &str) -> WebSocketStream<TcpStream> {
        upgrade(TcpStream::connect(self.address).await.unwrap(), path).await
    }
}

async fn exchange(mut stream: TcpStream, request: &str) -> TestResponse {
    // The server may respond and close before it has read everything.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    TestResponse::parse(&bytes)
}

/// A parsed response.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl TestResponse {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": "));
        Self {
            status: status.unwrap_or(0),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The code of the problem; empty for other responses.
    pub(crate) fn code(&self) -> String {
        if self.headers.get("content-type").map(String::as_str) != Some("application/problem+json")
        {
            return String::new();
        }
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}
