//! The game behind a server, and what the tests speak to it with.

use crate::fixture::Fixture;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use singlet_snakes::chance::Chance;
use singlet_snakes::live::Live;
use singlet_testing::TestStore;
use singlet_web::{Options, Server, SiteOptions, Store};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

/// Longer than anything here takes, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server with the game. It ends with the test.
pub(crate) struct Site {
    pub(crate) fixture: Fixture,
    pub(crate) address: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
}

impl Site {
    pub(crate) async fn new(chance: Chance) -> Self {
        let fixture = Fixture::new(TestStore::memory(), chance).await;
        let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
        let live = Live::new(fixture.service.clone());
        let system = singlet_snakes::system_with(fixture.service.clone(), live.clone());
        let store = Store::new(fixture.store.backend(), fixture.store.settings.clone());
        let site = singlet_web::Site::open(vec![system], store, SiteOptions::default()).await;
        let server = Server::bind(options).await.unwrap();
        let address = server.local_address().unwrap();
        let tasks = vec![
            tokio::spawn(async move { live.run().await }),
            tokio::spawn(server.serve(site.unwrap(), std::future::pending())),
        ];
        Self { fixture, address, tasks }
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.send("GET", path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.send("POST", path, &["content-type: application/json"], &body.to_string()).await
    }

    /// A request of the player with this secret.
    pub(crate) async fn act(&self, method: &str, path: &str, secret: &str) -> (u16, Value) {
        self.send(method, path, &[&format!("player-secret: {secret}")], "").await
    }

    /// Sends a request with these lines in its head; what comes back is the status and the JSON.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        lines: &[&str],
        body: &str,
    ) -> (u16, Value) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut head = format!("{method} /snakes{path} HTTP/1.1\r\nhost: localhost\r\n");
        for line in lines {
            head += &format!("{line}\r\n");
        }
        head += &format!("connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        // The server may have answered and hung up before it has read everything.
        let _ = stream.write_all((head + body).as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or(0), serde_json::from_str(body).unwrap_or(Value::Null))
    }

    /// Opens the socket of a game.
    pub(crate) async fn socket(&self, code: &str, query: &str) -> Client {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "GET /snakes/games/{code}/socket{query} HTTP/1.1\r\nhost: localhost\r\n\
             connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(stream.read_u8().await.unwrap());
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        Client(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// A browser, as far as the server can tell.
pub(crate) struct Client(WebSocketStream<TcpStream>);

impl Client {
    pub(crate) async fn say(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    /// The next message; `None` when the socket is over.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        let heard = async {
            loop {
                match self.0.next().await {
                    Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).ok(),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    _ => return None,
                }
            }
        };
        timeout(PATIENCE, heard).await.unwrap()
    }

    /// The next message, which must be of this type.
    pub(crate) async fn expect(&mut self, kind: &str) -> Value {
        let message = self.hear().await.unwrap_or(Value::Null);
        assert_eq!(message["type"], kind, "{message}");
        message
    }

    /// Says who it is, and hears that it is believed.
    pub(crate) async fn rejoin(&mut self, secret: &str) {
        self.say(json!({"type": "rejoinGame", "secret": secret})).await;
        self.expect("joinedGame").await;
    }
}
