//! The victim at the pages: people who look at them, and one who follows a game.

use crate::http::{Connection, get, post};
use crate::tally::Tally;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

/// How often a page is looked at, and a list.
const KEPT_INTERVAL: Duration = Duration::from_millis(10);
/// How often a page is looked at on a new connection.
const NEW_INTERVAL: Duration = Duration::from_millis(25);
/// How often something happens in the game.
const GAME_INTERVAL: Duration = Duration::from_millis(25);
/// After this a request, or a push, counts as lost.
const PATIENCE: Duration = Duration::from_secs(5);

/// Threads that ask, until they are stopped.
pub(crate) struct WebVictim {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Tally>>,
}

/// A game, and the player who made it.
pub(crate) struct Game {
    pub(crate) code: String,
    pub(crate) secret: String,
}

impl WebVictim {
    pub(crate) fn start(address: SocketAddr) -> Result<Self, String> {
        let (game, socket) = follow_new_game(address)?;
        let stop = Arc::new(AtomicBool::new(false));
        let [of_kept, of_new, of_game] = [(); 3].map(|()| Arc::clone(&stop));
        let threads = vec![
            std::thread::spawn(move || look_on_one_connection(address, &of_kept)),
            std::thread::spawn(move || look_on_new_connections(address, &of_new)),
            std::thread::spawn(move || play(address, &game, socket, &of_game)),
        ];
        Ok(Self { stop, threads })
    }

    pub(crate) fn stop(self) -> Result<Tally, String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut tally = Tally::default();
        for thread in self.threads {
            tally.join(thread.join().map_err(|_| "the victim panicked")?);
        }
        Ok(tally)
    }
}

fn look_on_one_connection(address: SocketAddr, stop: &AtomicBool) -> Tally {
    let mut tally = Tally::default();
    let mut connection = None;
    for path in ["/snakes", "/snakes/games?limit=5"].into_iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let begun = Instant::now();
        let looked = (|| {
            let connection = match &mut connection {
                Some(connection) => connection,
                none => none.insert(open(address)?),
            };
            look(connection, address, path)
        })();
        tally.add(begun.elapsed(), KEPT_INTERVAL);
        if let Err(refusal) = looked {
            tally.refuse(refusal);
            connection = None;
        }
        std::thread::sleep(KEPT_INTERVAL);
    }
    tally
}

fn look_on_new_connections(address: SocketAddr, stop: &AtomicBool) -> Tally {
    let mut tally = Tally::default();
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let looked = open(address).and_then(|mut connection| look(&mut connection, address, "/"));
        tally.add(begun.elapsed(), NEW_INTERVAL);
        if let Err(refusal) = looked {
            tally.refuse(refusal);
        }
        std::thread::sleep(NEW_INTERVAL);
    }
    tally
}

fn look(connection: &mut Connection, address: SocketAddr, path: &str) -> Result<(), String> {
    let answer = connection.ask(&get(address, path));
    let answer = answer.map_err(|error| format!("{path} got no answer: {error}"))?;
    if answer.status == 200 { Ok(()) } else { Err(format!("{path}: {}", answer.shown())) }
}

/// Joins the game and leaves it again, and waits for the push of each.
fn play(
    address: SocketAddr,
    game: &Game,
    mut socket: WebSocket<TcpStream>,
    stop: &AtomicBool,
) -> Tally {
    let mut tally = Tally::default();
    let mut connection = None;
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let played = (|| {
            let connection = match &mut connection {
                Some(connection) => connection,
                none => none.insert(open(address)?),
            };
            join_and_leave(connection, address, game, &mut socket)
        })();
        tally.add(begun.elapsed(), GAME_INTERVAL);
        if let Err(refusal) = played {
            tally.refuse(refusal);
            // The seat may be taken still, and the socket may be behind: one loss is enough to see.
            break;
        }
        std::thread::sleep(GAME_INTERVAL);
    }
    tally
}

fn join_and_leave(
    connection: &mut Connection,
    address: SocketAddr,
    game: &Game,
    socket: &mut WebSocket<TcpStream>,
) -> Result<(), String> {
    let players = format!("/snakes/games/{}/players", game.code);
    let joined = connection.ask(&post(address, &players, "", r#"{"name":"Guest"}"#));
    let joined = joined.map_err(|error| format!("joining got no answer: {error}"))?;
    let welcome: Value = serde_json::from_str(&joined.text()).unwrap_or_default();
    let id = welcome.pointer("/player/id").and_then(Value::as_str);
    let id = id.ok_or_else(|| format!("joining: {}", joined.shown()))?;
    wait_for_push(socket, "playerJoined")?;
    let leave = format!(
        "DELETE {players}/{id} HTTP/1.1\r\nHost: {address}\r\nPlayer-Secret: {}\r\n\r\n",
        game.secret
    );
    let left = connection.ask(leave.as_bytes());
    let left = left.map_err(|error| format!("leaving got no answer: {error}"))?;
    if left.status >= 300 {
        return Err(format!("leaving: {}", left.shown()));
    }
    wait_for_push(socket, "playerLeft")
}

fn wait_for_push(socket: &mut WebSocket<TcpStream>, kind: &str) -> Result<(), String> {
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

/// Sends a request on a connection of its own, and reads the answer as JSON if it is a success.
pub(crate) fn ask_json(address: SocketAddr, request: &[u8]) -> Result<Value, String> {
    let answer = open(address)?.ask(request);
    let answer = answer.map_err(|error| format!("no answer: {error}"))?;
    match answer.status < 300 {
        true => serde_json::from_str(&answer.text()).map_err(|error| error.to_string()),
        false => Err(answer.shown()),
    }
}

/// A token of somebody, who is named as the sign-in page names them.
pub(crate) fn token_of(address: SocketAddr, person: &str) -> Result<String, String> {
    let signed_in = ask_json(address, &post(address, "/local/tokens", "", person))?;
    let token = signed_in["token"].as_str().map(str::to_owned);
    token.ok_or_else(|| format!("no token for {person}"))
}

/// Makes a game for many players.
pub(crate) fn create_game(address: SocketAddr) -> Result<Game, String> {
    let body = r#"{"name":"Ann","mode":"race"}"#;
    let answer = open(address)?.ask(&post(address, "/snakes/games", "", body));
    let answer = answer.map_err(|error| format!("creating a game got no answer: {error}"))?;
    let made: Value = serde_json::from_str(&answer.text()).unwrap_or_default();
    let text = |path: &str| made.pointer(path).and_then(Value::as_str).map(str::to_owned);
    match (text("/game/code"), text("/secret")) {
        (Some(code), Some(secret)) => Ok(Game { code, secret }),
        _ => Err(format!("creating a game: {}", answer.shown())),
    }
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

/// Opens a socket to a game. The connection is what is left of HTTP.
pub(crate) fn open_socket(address: SocketAddr, code: &str) -> Result<TcpStream, String> {
    let mut stream = open(address)?.into_stream();
    let failed = |error| format!("the socket was not opened: {error}");
    stream.write_all(&upgrade(address, code, "")).map_err(failed)?;
    // Byte by byte: what comes after the head belongs to the socket.
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

fn follow_new_game(address: SocketAddr) -> Result<(Game, WebSocket<TcpStream>), String> {
    let game = create_game(address)?;
    let stream = open_socket(address, &game.code)?;
    let mut socket = WebSocket::from_raw_socket(stream, Role::Client, None);
    wait_for_push(&mut socket, "gameState")?;
    Ok((game, socket))
}

pub(crate) fn open(address: SocketAddr) -> Result<Connection, String> {
    Connection::open(address, PATIENCE).map_err(|error| format!("cannot connect: {error}"))
}
