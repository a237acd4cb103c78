//! Many attackers at once: each function is one way to send.

use crate::frames;
use crate::http::{Answer, Connection, PATIENCE};
use crate::round::Until;
use std::fmt::{self, Display, Formatter};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How often a slow client sends a byte.
const TRICKLE_INTERVAL: Duration = Duration::from_millis(100);
/// How long a write of a flood may block before it looks whether the attack is over.
const FLOOD_PAUSE: Duration = Duration::from_millis(50);
/// How much a flood sends at most on one connection.
const FLOOD_BYTES_MAX: usize = 64 << 20;
/// How many connections are opened at once where their number matters and not their rate, and the
/// pause after them.
const CONNECTED_AT_ONCE: usize = 20;
const CONNECT_PAUSE: Duration = Duration::from_millis(4);
/// How many requests an attacker has on one HTTP/2 connection. 128 are allowed; streams that have
/// just ended may still count.
pub(crate) const STREAMS: u32 = 120;
/// How long a burst keeps its connection after its requests.
const BURST_PAUSE: Duration = Duration::from_millis(200);
/// How many connections one attacker opens after the other, and how long it waits in between.
const RENEWALS_MAX: usize = 2_000;
const RENEWAL_PAUSE: Duration = Duration::from_millis(10);
/// Real attackers use other machines. The threads of these are nice, so that they do not win the
/// processor from the server and the victim.
const NICENESS: i32 = 10;

/// Runs the same work on so many threads, and waits for all of them.
pub(crate) fn crowd<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = |index| {
        be_nice();
        work(index)
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..count).map(|index| scope.spawn(move || work(index))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

/// Lowers the priority of the calling thread and its children. Only Linux has priorities of threads.
fn be_nice() {
    if cfg!(target_os = "linux") {
        // Where it is refused, the figures are worse than they could be.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    }
}

/// Answers to an attacker's requests.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) succeeded: usize,
    pub(crate) refused: usize,
    /// The first refusal.
    pub(crate) refusal: Option<String>,
    /// Refusals that are the server's fault.
    pub(crate) failed: usize,
    /// The largest body of an answer.
    pub(crate) bytes_max: u64,
    /// Requests of [`once`] without an answer.
    pub(crate) unanswered: Vec<&'static str>,
}

impl Outcome {
    pub(crate) fn add(&mut self, answer: &Answer) {
        self.bytes_max = self.bytes_max.max(answer.body_bytes);
        match answer.status {
            200..300 => self.succeeded += 1,
            _ => {
                self.refused += 1;
                self.failed += usize::from(answer.status >= 500);
                self.refusal.get_or_insert_with(|| answer.shown());
            }
        }
    }

    /// Records the result of a hostile request. A server that closes the connection during a
    /// request has refused it: its answer may be lost.
    fn add_reply(&mut self, what: &'static str, reply: io::Result<Answer>) {
        match reply {
            Ok(answer) => self.add(&answer),
            Err(error) if is_closed(&error) => {
                self.refused += 1;
                self.refusal.get_or_insert_with(|| "the connection was closed".to_owned());
            }
            Err(_) => self.unanswered.push(what),
        }
    }

    pub(crate) fn sum(outcomes: impl IntoIterator<Item = Self>) -> Self {
        outcomes.into_iter().fold(Self::default(), |mut sum, mut one| {
            sum.succeeded += one.succeeded;
            sum.refused += one.refused;
            sum.failed += one.failed;
            sum.refusal = sum.refusal.or(one.refusal);
            sum.bytes_max = sum.bytes_max.max(one.bytes_max);
            sum.unanswered.append(&mut one.unanswered);
            sum
        })
    }
}

impl Display for Outcome {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} succeeded, {} refused", self.succeeded, self.refused)?;
        self.refusal.iter().try_for_each(|refusal| write!(formatter, ", the first: {refusal}"))
    }
}

/// A request of an attacker.
pub(crate) struct Hostile {
    /// For messages.
    pub(crate) what: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Sends a request on a new connection, and waits for the answer.
pub(crate) fn ask(address: SocketAddr, request: &[u8]) -> Result<Answer, String> {
    let asked = Connection::open(address, PATIENCE).and_then(|mut open| open.ask(request));
    asked.map_err(|error| error.to_string())
}

/// Sends a request that the server may answer before it has read all of it.
fn provoke(address: SocketAddr, request: &[u8]) -> io::Result<Answer> {
    let mut connection = Connection::open(address, PATIENCE)?;
    let sent = connection.send(request);
    connection.answer().map_err(|error| sent.err().filter(is_closed).unwrap_or(error))
}

/// Sends a request and records the result.
pub(crate) fn provoke_into(outcome: &mut Outcome, address: SocketAddr, request: &Hostile) {
    outcome.add_reply(request.what, provoke(address, &request.bytes));
}

/// Clients share these requests, and send each of them once, on a new connection.
pub(crate) fn once(address: SocketAddr, clients: usize, requests: &[Hostile]) -> Outcome {
    Outcome::sum(crowd(clients, |client| {
        let mut outcome = Outcome::default();
        for request in requests.iter().skip(client).step_by(clients) {
            provoke_into(&mut outcome, address, request);
        }
        outcome
    }))
}

/// Clients send these requests in turn, each on one connection and after the answer to the one
/// before, until the attack ends.
pub(crate) fn repeat(
    address: SocketAddr,
    clients: usize,
    requests: &[Hostile],
    until: Until,
) -> Outcome {
    Outcome::sum(crowd(clients, |client| {
        let mut outcome = Outcome::default();
        let mut requests = requests.iter().cycle().skip(client % requests.len().max(1));
        while !until.is_over() {
            let Ok(mut connection) = Connection::open(address, until.rest()) else { continue };
            while !until.is_over() {
                let Some(request) = requests.next() else { return outcome };
                // The server may answer before it has read all of a request, and close.
                let _ = connection.send(&request.bytes);
                match connection.answer() {
                    Ok(answer) => outcome.add(&answer),
                    Err(_) => break,
                }
            }
        }
        outcome
    }))
}

/// Each client sends requests on one connection, each after the answer to the one before, until
/// `next` has none. It gets the client, the number of the request, and the outcome so far.
pub(crate) fn converse(
    address: SocketAddr,
    clients: usize,
    next: impl Fn(usize, usize, &Outcome) -> Option<Vec<u8>> + Sync,
) -> Outcome {
    Outcome::sum(crowd(clients, |client| {
        let mut outcome = Outcome::default();
        let Ok(mut connection) = Connection::open(address, PATIENCE) else { return outcome };
        for number in 0.. {
            let Some(request) = next(client, number, &outcome) else { break };
            let Ok(answer) = connection.ask(&request) else { break };
            outcome.add(&answer);
        }
        outcome
    }))
}

/// Each client opens an HTTP/2 connection, sends as many of its request as there may be without
/// reading an answer, keeps the connection for a moment, and begins again. `request` makes the frames
/// for a client and a stream. Returns how many requests were sent.
pub(crate) fn burst(
    address: SocketAddr,
    clients: usize,
    request: impl Fn(usize, u32) -> Vec<u8> + Sync,
    until: Until,
) -> usize {
    let sent = crowd(clients, |client| {
        let mut sent = 0;
        // At least once, also where the connection takes longer than the attack.
        loop {
            if let Ok(mut connection) = frames::open(address, &[], PATIENCE) {
                let request = |id| request(client, id);
                sent += send_streams(&mut connection, request, Duration::ZERO, until);
                std::thread::sleep(BURST_PAUSE.min(until.rest()));
            }
            if until.is_over() {
                return sent;
            }
        }
    });
    sent.into_iter().sum()
}

/// Sends a request on each stream that there may be, and on one at least. Returns how many were sent:
/// a server that closes the connection has held this off.
fn send_streams(
    connection: &mut Connection,
    request: impl Fn(u32) -> Vec<u8>,
    pause: Duration,
    until: Until,
) -> usize {
    let is_sent = |id: &u32| {
        std::thread::sleep(pause);
        (*id == 1 || !until.is_over()) && connection.send(&request(*id)).is_ok()
    };
    streams(STREAMS).take_while(is_sent).count()
}

/// Each client opens one HTTP/2 connection that lets the server send nothing, sends requests with a
/// pause in between, and holds the connection. Returns how many requests were sent.
pub(crate) fn hold_unread(
    address: SocketAddr,
    clients: usize,
    request: impl Fn(usize, u32) -> Vec<u8> + Sync,
    pause: Duration,
    until: Until,
) -> usize {
    let sent = crowd(clients, |client| {
        let closed = [(frames::INITIAL_WINDOW_SIZE, 0)];
        let Ok(mut connection) = frames::open(address, &closed, PATIENCE) else { return 0 };
        let sent = send_streams(&mut connection, |id| request(client, id), pause, until);
        until.wait();
        sent
    });
    sent.into_iter().sum()
}

/// The ids of a client's first streams on an HTTP/2 connection.
pub(crate) fn streams(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|index| 2 * index + 1)
}

/// Opens as many connections as there may be, up to `count`.
pub(crate) fn connect_many(address: SocketAddr, count: usize) -> Vec<Connection> {
    // A server that is full may not accept: then the rest is not opened.
    (0..count).map_while(|_| Connection::open(address, PATIENCE).ok()).collect()
}

/// Like [`connect_many`], but a few at a time.
pub(crate) fn connect_gradually(address: SocketAddr, count: usize) -> Vec<Connection> {
    let mut connections = Vec::with_capacity(count);
    while connections.len() < count {
        let some = connect_many(address, CONNECTED_AT_ONCE.min(count - connections.len()));
        if some.is_empty() {
            break;
        }
        connections.extend(some);
        std::thread::sleep(CONNECT_PAUSE);
    }
    connections
}

/// Sends the same beginning on many connections, and then a byte on each of them now and then.
pub(crate) fn trickle(address: SocketAddr, count: usize, beginning: &[u8], until: Until) {
    let mut connections = Vec::new();
    while !until.is_over() {
        // The server closes them in the end, as it should. Then others come.
        let mut new = connect_many(address, count - connections.len());
        new.retain_mut(|connection| connection.send(beginning).is_ok());
        connections.append(&mut new);
        std::thread::sleep(TRICKLE_INTERVAL);
        connections.retain_mut(|connection| connection.send(b"a").is_ok());
    }
}

/// What one connection of a flood sends.
pub(crate) struct Flood {
    /// Sent first.
    pub(crate) opening: Vec<u8>,
    /// Sent again and again. Gets the number of times that it was called.
    pub(crate) next: Box<dyn Fn(u32) -> Vec<u8> + Send + Sync>,
    /// Whether the answers are read.
    pub(crate) reads: bool,
}

/// Opens a connection for each flood and sends as fast as the server takes it; where the server closes
/// one, another one follows. Returns how many bytes were sent on all of them.
pub(crate) fn flood(address: SocketAddr, floods: &[Flood], until: Until) -> usize {
    let sent = crowd(floods.len(), |index| {
        let flood = &floods[index];
        let mut sent = 0;
        for _ in 0..RENEWALS_MAX {
            let opened = Connection::open(address, PATIENCE);
            let flooded = opened.and_then(|connection| flood_one(connection, flood, until));
            sent += flooded.unwrap_or_default();
            if until.is_over() {
                break;
            }
            std::thread::sleep(RENEWAL_PAUSE);
        }
        sent
    });
    sent.into_iter().sum()
}

/// Floods one connection until the attack ends, the server closes it, or much was sent. Returns how
/// many bytes that was.
pub(crate) fn flood_one(connection: Connection, flood: &Flood, until: Until) -> io::Result<usize> {
    let mut stream = connection.into_stream();
    stream.set_write_timeout(Some(FLOOD_PAUSE))?;
    stream.set_read_timeout(Some(FLOOD_PAUSE))?;
    let reader = stream.try_clone()?;
    std::thread::scope(|scope| {
        if flood.reads {
            scope.spawn(move || drain(reader, until));
        }
        let mut sent = 0;
        let mut is_open = write(&mut stream, &flood.opening, until, &mut sent);
        for number in 0.. {
            if !is_open || sent >= FLOOD_BYTES_MAX {
                break;
            }
            is_open = write(&mut stream, &(flood.next)(number), until, &mut sent);
        }
        Ok(sent)
    })
}

/// Writes all bytes, unless the attack ends or the server closes the connection. Counts sent bytes.
fn write(stream: &mut TcpStream, mut bytes: &[u8], until: Until, sent: &mut usize) -> bool {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(count) => {
                *sent += count;
                bytes = bytes.get(count..).unwrap_or_default();
            }
            Err(error) if is_pause(&error) => {}
            Err(_) => return false,
        }
        if until.is_over() {
            return false;
        }
    }
    true
}

fn drain(mut stream: TcpStream, until: Until) {
    let mut bytes = vec![0; 64 << 10];
    while !until.is_over() {
        match stream.read(&mut bytes) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if is_pause(&error) => {}
            Err(_) => return,
        }
    }
}

/// Whether the other side has closed the connection while something was sent.
fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
