//! Requests to the pages, and sockets.

use crate::http::{Connection, PATIENCE, get, post};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

/// A game, and the secret of the player who made it.
pub(crate) struct Game {
    pub(crate) code: String,
    pub(crate) secret: String,
}

pub(crate) fn open(address: SocketAddr) -> Result<Connection, String> {
    Connection::open(address, PATIENCE).map_err(|error| format!("cannot connect: {error}"))
}

/// Reads a page, which must succeed.
pub(crate) fn look(
    connection: &mut Connection,
    address: SocketAddr,
    path: &str,
) -> Result<(), String> {
    let answer = connection.ask(&get(address, path));
    let answer = answer.map_err(|error| format!("{path} got no answer: {error}"))?;
    if answer.status == 200 { Ok(()) } else { Err(format!("{path}: {}", answer.shown())) }
}

/// Sends a request that must succeed, on a new connection, and reads the answer.
pub(crate) fn ask_json(address: SocketAddr, request: &[u8]) -> Result<Value, String> {
    ask_json_on(&mut open(address)?, request)
}

fn ask_json_on(connection: &mut Connection, request: &[u8]) -> Result<Value, String> {
    let answer = connection.ask(request).map_err(|error| format!("no answer: {error}"))?;
    match answer.status < 300 {
        true => serde_json::from_str(&answer.text()).map_err(|error| error.to_string()),
        false => Err(answer.shown()),
    }
}

fn text(value: &Value, pointer: &str) -> Result<String, String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.map(str::to_owned).ok_or_else(|| format!("no {pointer} in {value}"))
}

/// A token for a person, in the form of the sign-in page.
pub(crate) fn token_of(address: SocketAddr, person: &str) -> Result<String, String> {
    text(&ask_json(address, &post(address, "/local/tokens", "", person))?, "/token")
}

/// Makes a game for many players.
pub(crate) fn create_game(address: SocketAddr) -> Result<Game, String> {
    let body = r#"{"name":"Ann","mode":"race"}"#;
    let made = ask_json(address, &post(address, "/snakes/games", "", body))?;
    Ok(Game { code: text(&made, "/game/code")?, secret: text(&made, "/secret")? })
}

/// Joins a game. Returns the id and the secret of the new player.
pub(crate) fn join(
    connection: &mut Connection,
    address: SocketAddr,
    game: &Game,
    name: &str,
) -> Result<(String, String), String> {
    let players = format!("/snakes/games/{}/players", game.code);
    let body = format!(r#"{{"name":"{name}"}}"#);
    let joined = ask_json_on(connection, &post(address, &players, "", &body));
    let joined = joined.map_err(|error| format!("joining: {error}"))?;
    Ok((text(&joined, "/player/id")?, text(&joined, "/secret")?))
}

/// The request that opens a socket. `headers` are whole lines.
pub(crate) fn upgrade(address: SocketAddr, code: &str, headers: &str) -> Vec<u8> {
    format!(
        "GET /snakes/games/{code}/socket HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n\
         Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    )
    .into_bytes()
}

/// Opens a socket to a game.
pub(crate) fn open_socket(address: SocketAddr, code: &str) -> Result<TcpStream, String> {
    let mut stream = open(address)?.into_stream();
    let failed = |error| format!("the socket was not opened: {error}");
    stream.write_all(&upgrade(address, code, "")).map_err(failed)?;
    // Byte by byte: bytes after the head belong to the WebSocket.
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).map_err(failed)?;
        head.extend(byte);
    }
    match head.starts_with(b"HTTP/1.1 101") {
        true => Ok(stream),
        false => Err(format!("no socket: {}", String::from_utf8_lossy(&head))),
    }
}

/// Makes a game, and opens a socket that follows it.
pub(crate) fn follow_new_game(address: SocketAddr) -> Result<(Game, WebSocket<TcpStream>), String> {
    let game = create_game(address)?;
    let stream = open_socket(address, &game.code)?;
    let mut socket = WebSocket::from_raw_socket(stream, Role::Client, None);
    wait_for_push(&mut socket, "gameState")?;
    Ok((game, socket))
}

/// Waits for the next push, which must be of this kind.
pub(crate) fn wait_for_push(socket: &mut WebSocket<TcpStream>, kind: &str) -> Result<(), String> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => {
                let push: Value = serde_json::from_str(&text).unwrap_or_default();
                return match push.get("type").and_then(Value::as_str) {
                    Some(found) if found == kind => Ok(()),
                    _ => Err(format!("the push {text} came instead of {kind}")),
                };
            }
            Ok(Message::Close(reason)) => return Err(format!("the socket was closed: {reason:?}")),
            Ok(_) => {}
            Err(error) => return Err(format!("the push {kind} did not come: {error}")),
        }
    }
}
