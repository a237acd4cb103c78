//! The victim: clients that do nothing wrong, at the endpoint or at the pages.

use crate::dynamodb::{Requests, number_in};
use crate::http::{Connection, PATIENCE};
use crate::tally::Tally;
use crate::web::{self, Game};
use serde_json::json;
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::WebSocket;

pub(crate) const TABLE: &str = "victim";
/// How long the victim pauses after a request on the connection that it keeps.
const KEPT_INTERVAL: Duration = Duration::from_millis(5);
/// The same after a request on a new connection, and after a move in a game.
const INTERVAL: Duration = Duration::from_millis(10);
/// The same after a large write.
const LARGE_INTERVAL: Duration = Duration::from_millis(20);
/// How many keys the victim writes, again and again.
const KEYS: u64 = 200;

/// Acknowledged writes: for each key, the number that was written last.
pub(crate) type Acknowledged = BTreeMap<u64, u64>;

/// Threads that send requests until they are stopped.
#[derive(Default)]
pub(crate) struct Victim {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Vec<Tally>>>,
    /// How many requests each thread has sent.
    sent: Vec<Arc<AtomicUsize>>,
    acknowledged: Arc<Mutex<Acknowledged>>,
}

impl Victim {
    /// A client of the endpoint, on one connection and on new ones. With `is_large` it writes items of
    /// 300 KB as well.
    pub(crate) fn at_endpoint(requests: Requests, is_large: bool) -> Result<Self, String> {
        requests.create_table(TABLE)?;
        put(&mut requests.open()?, requests, 0, 0)?;
        let mut victim = Self::default();
        let mut client = Client {
            requests,
            connection: None,
            number: 0,
            acknowledged: Arc::clone(&victim.acknowledged),
        };
        let operations = &["PutItem", "GetItem", "Query"];
        victim.add(KEPT_INTERVAL, operations, move |operation| client.send(operation));
        victim.add(INTERVAL, &["read on a new connection"], move |_| {
            let key = json!({"TableName": TABLE, "Key": {"pk": {"S": "0"}}}).to_string();
            requests.ask(&mut requests.open()?, "GetItem", &key).map(drop)
        });
        if is_large {
            victim.add(LARGE_INTERVAL, &["write of 300 KB"], move |_| put_large(requests));
        }
        Ok(victim)
    }

    /// People who look at pages, and one who follows a game.
    pub(crate) fn at_pages(address: SocketAddr) -> Result<Self, String> {
        let (game, mut socket) = web::follow_new_game(address)?;
        let mut victim = Self::default();
        let mut kept = None;
        victim.add(KEPT_INTERVAL, &["page", "list"], move |kind| {
            let path = if kind == 0 { "/snakes" } else { "/snakes/games?limit=5" };
            web::look(reuse(&mut kept, || web::open(address))?, address, path)
        });
        victim.add(INTERVAL, &["page on a new connection"], move |_| {
            web::look(&mut web::open(address)?, address, "/")
        });
        let mut player = None;
        victim.add(INTERVAL, &["move in a game"], move |_| {
            let connection = reuse(&mut player, || web::open(address))?;
            join_and_leave(connection, address, &game, &mut socket)
        });
        Ok(victim)
    }

    /// Sends requests of these kinds in turn. `send` gets the index of a kind. The first refusal ends
    /// it, because one is a fault.
    fn add(
        &mut self,
        interval: Duration,
        kinds: &'static [&'static str],
        mut send: impl FnMut(usize) -> Result<(), String> + Send + 'static,
    ) {
        let (stop, sent) = (Arc::clone(&self.stop), Arc::new(AtomicUsize::new(0)));
        self.sent.push(Arc::clone(&sent));
        self.threads.push(std::thread::spawn(move || {
            let mut tallies: Vec<Tally> =
                kinds.iter().map(|kind| Tally::new(kind, interval)).collect();
            for kind in (0..kinds.len()).cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let begun = Instant::now();
                let answered = send(kind);
                tallies[kind].add(Instant::now(), begun.elapsed());
                sent.fetch_add(1, Ordering::Relaxed);
                if let Err(refusal) = answered {
                    tallies[kind].refusal = Some(refusal);
                    break;
                }
                std::thread::sleep(interval);
            }
            tallies
        }));
    }

    /// How many requests each thread has sent.
    pub(crate) fn sent(&self) -> Vec<usize> {
        self.sent.iter().map(|sent| sent.load(Ordering::Relaxed)).collect()
    }

    /// Waits until each thread has sent so many requests more than `before`, or was refused.
    pub(crate) fn wait_for(&self, before: &[usize], count: usize) {
        let begun = Instant::now();
        let is_waiting = || {
            let mut threads = self.sent().into_iter().zip(before).zip(&self.threads);
            threads.any(|((sent, before), thread)| sent < before + count && !thread.is_finished())
        };
        while is_waiting() && begun.elapsed() < PATIENCE {
            std::thread::sleep(KEPT_INTERVAL);
        }
    }

    /// Stops the victim. Returns its tallies and its acknowledged writes.
    pub(crate) fn stop(self) -> Result<(Vec<Tally>, Acknowledged), String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut tallies = Vec::new();
        for thread in self.threads {
            tallies.extend(thread.join().map_err(|_| "the victim panicked")?);
        }
        let acknowledged = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok((tallies, acknowledged))
    }
}

/// A client that writes a number, and reads it in two ways.
struct Client {
    requests: Requests,
    connection: Option<Connection>,
    number: u64,
    acknowledged: Arc<Mutex<Acknowledged>>,
}

impl Client {
    fn send(&mut self, operation: usize) -> Result<(), String> {
        let requests = self.requests;
        let connection = reuse(&mut self.connection, || requests.open())?;
        if operation == 0 {
            self.number += 1;
            let (key, number) = (self.number % KEYS, self.number);
            put(connection, requests, key, number)?;
            self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).insert(key, number);
            return Ok(());
        }
        let key = json!({"S": (self.number % KEYS).to_string()});
        let (operation, body) = match operation {
            1 => {
                ("GetItem", json!({"TableName": TABLE, "Key": {"pk": key}, "ConsistentRead": true}))
            }
            _ => (
                "Query",
                json!({
                    "TableName": TABLE,
                    "KeyConditionExpression": "pk = :k",
                    "ExpressionAttributeValues": {":k": key},
                    "ConsistentRead": true,
                }),
            ),
        };
        let answer = requests.ask(connection, operation, &body.to_string())?;
        match number_in(&answer.text()) {
            Some(found) if found == self.number => Ok(()),
            found => Err(format!("{operation} found {found:?} instead of {}", self.number)),
        }
    }
}

/// The connection that is open, or a new one.
fn reuse(
    kept: &mut Option<Connection>,
    open: impl FnOnce() -> Result<Connection, String>,
) -> Result<&mut Connection, String> {
    match kept {
        Some(connection) => Ok(connection),
        none => Ok(none.insert(open()?)),
    }
}

/// Joins a game and leaves it again, and waits for the push of each.
fn join_and_leave(
    connection: &mut Connection,
    address: SocketAddr,
    game: &Game,
    socket: &mut WebSocket<TcpStream>,
) -> Result<(), String> {
    let (id, _) = web::join(connection, address, game, "Guest")?;
    web::wait_for_push(socket, "playerJoined")?;
    let leave = format!(
        "DELETE /snakes/games/{}/players/{id} HTTP/1.1\r\nHost: {address}\r\nPlayer-Secret: {}\r\n\r\n",
        game.code, game.secret
    );
    let left = connection.ask(leave.as_bytes());
    let left = left.map_err(|error| format!("leaving got no answer: {error}"))?;
    if left.status >= 300 {
        return Err(format!("leaving: {}", left.shown()));
    }
    web::wait_for_push(socket, "playerLeft")
}

/// Writes numbers to keys one by one until `count` are acknowledged.
pub(crate) fn write_acknowledged(requests: Requests, count: u64) -> Result<Acknowledged, String> {
    requests.create_table(TABLE)?;
    let mut connection = requests.open()?;
    let mut acknowledged = Acknowledged::new();
    for key in 0..count {
        put(&mut connection, requests, key, key)?;
        acknowledged.insert(key, key);
    }
    Ok(acknowledged)
}

/// Writes a number to a key, in the victim's table.
pub(crate) fn put(
    connection: &mut Connection,
    requests: Requests,
    key: u64,
    number: u64,
) -> Result<(), String> {
    let item = json!({"pk": {"S": key.to_string()}, "n": {"N": number.to_string()}});
    let body = json!({"TableName": TABLE, "Item": item});
    requests.ask(connection, "PutItem", &body.to_string()).map(drop)
}

fn put_large(requests: Requests) -> Result<(), String> {
    let item = json!({"pk": {"S": "large"}, "text": {"S": "a".repeat(300_000)}});
    let body = json!({"TableName": TABLE, "Item": item}).to_string();
    requests.ask(&mut requests.open()?, "PutItem", &body).map(drop)
}

/// Reads back acknowledged writes. A later number is as good: its answer may have been lost.
pub(crate) fn check_kept(requests: Requests, acknowledged: &Acknowledged) -> Result<(), String> {
    let mut connection = requests.open()?;
    for (key, number) in acknowledged {
        let found = number_of(&mut connection, requests, *key)?;
        if found.is_none_or(|found| found < *number) {
            return Err(format!("key {key} has {found:?} instead of the acknowledged {number}"));
        }
    }
    Ok(())
}

/// The number that a key has in the victim's table.
pub(crate) fn number_of(
    connection: &mut Connection,
    requests: Requests,
    key: u64,
) -> Result<Option<u64>, String> {
    let body = json!({"TableName": TABLE, "Key": {"pk": {"S": key.to_string()}}}).to_string();
    Ok(number_in(&requests.ask(connection, "GetItem", &body)?.text()))
}
