//! A cheap client, so that the measurement shows the server.

use super::Outcome;
use futures_util::StreamExt;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

/// A persistent connection.
pub(super) struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, answer: Vec::new() })
    }

    /// Sends a request without a body and checks the answer's status. `head` has additional header
    /// lines.
    pub(super) async fn ask(&mut self, method: &str, path: &str, head: &str) -> Outcome<()> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{head}content-length: 0\r\n\r\n"
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.answer.clear();
        let head_len = loop {
            self.read().await?;
            if let Some(end) = self.answer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let (is_good, length) = {
            let head = String::from_utf8_lossy(self.answer.get(..head_len).unwrap_or_default());
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.ok_or("an answer without a length")?.parse()?;
            (head.starts_with("HTTP/1.1 200"), length)
        };
        while self.answer.len() < head_len + length {
            self.read().await?;
        }
        match is_good {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&self.answer).into()),
        }
    }

    async fn read(&mut self) -> Outcome<()> {
        match self.stream.read_buf(&mut self.answer).await? {
            0 => Err("the server hung up".into()),
            _ => Ok(()),
        }
    }
}

/// A WebSocket that watches a game.
pub(super) struct Watcher(WebSocketStream<TcpStream>);

impl Watcher {
    pub(super) async fn open(address: SocketAddr, code: &str) -> Outcome<Self> {
        let mut stream = TcpStream::connect(address).await?;
        let head = format!(
            "GET /snakes/games/{code}/socket HTTP/1.1\r\nhost: localhost\r\n\
             connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(stream.read_u8().await?);
        }
        if !answer.starts_with(b"HTTP/1.1 101") {
            return Err(String::from_utf8_lossy(&answer).into());
        }
        let mut watcher = Self(WebSocketStream::from_raw_socket(stream, Role::Client, None).await);
        watcher.hear(1, "gameState").await?;
        Ok(watcher)
    }

    /// Waits for this many moves.
    pub(super) async fn hear_moves(&mut self, count: usize) -> Outcome<()> {
        self.hear(count, "playerMoved").await
    }

    async fn hear(&mut self, count: usize, kind: &str) -> Outcome<()> {
        let mut heard = 0;
        while heard < count {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => heard += usize::from(text.contains(kind)),
                Some(Ok(_)) => {}
                _ => return Err("the socket ended".into()),
            }
        }
        Ok(())
    }
}
