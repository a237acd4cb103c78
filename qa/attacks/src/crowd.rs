//! Many attackers at once.

use crate::frames;
use crate::http::{Answer, Connection};
use crate::round::{Endpoint, Kind, Round, Until};
use crate::victim;
use std::fmt::{self, Display, Formatter};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long an attacker waits for an answer: longer than a victim would.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How often somebody who is slow sends a byte.
const TRICKLE_INTERVAL: Duration = Duration::from_millis(100);
/// How long a write of a flood may block before it is looked whether it is over.
const FLOOD_PAUSE: Duration = Duration::from_millis(50);

/// How many connections somebody opens who is in no hurry, and the pause after them.
const CONNECTED_AT_ONCE: usize = 20;
const CONNECT_PAUSE: Duration = Duration::from_millis(4);
/// How many requests an attacker has on one HTTP/2 connection. 128 are allowed; streams that have
/// just ended may still count.
pub(crate) const STREAMS: u32 = 120;
/// How many connections one attacker opens after the other, and how long it waits in between.
const RENEWALS_MAX: usize = 2_000;
const RENEWAL_PAUSE: Duration = Duration::from_millis(10);
/// How much less important the threads of attackers are than others. Real attackers have machines
/// of their own; these should not win the processor from the server and the victim.
const NICENESS: i32 = 10;

/// Has so many threads do the same, and waits for all of them.
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

/// Makes the calling thread, and those that it starts, less important. Elsewhere than on Linux that
/// would be about the whole process.
fn be_nice() {
    if cfg!(target_os = "linux") {
        // Where it is refused, the figures are worse than they could be.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    }
}

/// Sends a request on a connection of its own, and waits for the answer.
pub(crate) fn ask(address: SocketAddr, request: &[u8]) -> io::Result<Answer> {
    Connection::open(address, PATIENCE)?.ask(request)
}

/// Sends a request again and again, each after the answer to the one before, until the attack ends.
/// Says how many were answered.
pub(crate) fn repeat(address: SocketAddr, request: &[u8], until: Until) -> usize {
    let mut answered = 0;
    while !until.is_over() {
        let Ok(mut connection) = Connection::open(address, until.rest()) else { continue };
        while !until.is_over() && connection.ask(request).is_ok() {
            answered += 1;
        }
    }
    answered
}

/// What became of requests that an attacker has sent.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) succeeded: usize,
    pub(crate) refused: usize,
    /// What the first one was told that was refused.
    pub(crate) refusal: Option<String>,
}

impl Outcome {
    pub(crate) fn add(&mut self, answer: &Answer) {
        match answer.status {
            200 => self.succeeded += 1,
            _ => {
                self.refused += 1;
                self.refusal.get_or_insert_with(|| answer.shown());
            }
        }
    }

    pub(crate) fn sum(outcomes: impl IntoIterator<Item = Self>) -> Self {
        outcomes.into_iter().fold(Self::default(), |sum, one| Self {
            succeeded: sum.succeeded + one.succeeded,
            refused: sum.refused + one.refused,
            refusal: sum.refusal.or(one.refusal),
        })
    }
}

impl Display for Outcome {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} succeeded, {} refused", self.succeeded, self.refused)?;
        self.refusal.iter().try_for_each(|refusal| write!(formatter, ", the first: {refusal}"))
    }
}

/// Sends requests in turn on one connection, each after the answer to the one before, until the
/// attack ends.
pub(crate) fn repeat_in_turn(address: SocketAddr, requests: &[Vec<u8>], until: Until) -> Outcome {
    let mut outcome = Outcome::default();
    let mut requests = requests.iter().cycle();
    while !until.is_over() {
        let Ok(mut connection) = Connection::open(address, until.rest()) else { continue };
        while !until.is_over() {
            let asked = requests.next().map(|request| connection.ask(request));
            let Some(Ok(answer)) = asked else { break };
            outcome.add(&answer);
        }
    }
    outcome
}

/// One connection on which requests are repeated in turn. The first must succeed before the attack:
/// one that is refused at once would show nothing.
pub(crate) fn attack_by_one(
    round: &mut Round,
    endpoint: &mut Endpoint,
    requests: &[Vec<u8>],
) -> Result<(), String> {
    let address = endpoint.requests.address;
    for request in requests.iter().take(1) {
        let answer = ask(address, request).map_err(|error| error.to_string())?;
        if answer.status != 200 {
            return Err(format!("the attack is not carried out: {}", answer.shown()));
        }
    }
    let mut outcome = Outcome::default();
    round.attack_endpoint(endpoint, |until| {
        outcome = Outcome::sum(crowd(1, |_| repeat_in_turn(address, requests, until)));
        Ok(())
    })?;
    round.note(format!("attacker: {outcome}"));
    Ok(())
}

/// Opens as many connections as there may be, up to `count`.
pub(crate) fn connect_many(address: SocketAddr, count: usize) -> Vec<Connection> {
    // A server that is full may not accept: then the rest is not opened.
    (0..count).map_while(|_| Connection::open(address, PATIENCE).ok()).collect()
}

/// Like [`connect_many`], but a few at a time: what is attacked is how many there are, and not how
/// fast they come.
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

/// As many requests at a time as HTTP/2 connections may have, again and again, whose answers nobody
/// waits for. One of each client is asked before, and must succeed: an attack that is refused at once
/// would show nothing.
pub(crate) fn bursts(
    round: &mut Round,
    endpoint: &mut Endpoint,
    operation: &str,
    body: impl Fn(usize) -> String + Sync,
) -> Result<(), String> {
    const CLIENTS: usize = 8;
    // How long a connection is kept after its requests.
    const KEPT: Duration = Duration::from_millis(200);
    let requests = endpoint.requests;
    let mut connection = victim::open(requests)?;
    for client in 0..CLIENTS {
        victim::ask(&mut connection, requests, operation, &body(client))?;
    }
    let mut sent = 0;
    round.attack_endpoint(endpoint, |until| {
        let streams = crowd(CLIENTS, |client| {
            let body = body(client).into_bytes();
            let mut streams = 0;
            while !until.is_over() {
                let opened = frames::open(requests.address, &[], PATIENCE);
                let Ok(mut connection) = opened else { continue };
                for index in 0..STREAMS {
                    let request = frames::request(&requests, 2 * index + 1, operation, &body);
                    // A connection that is closed is a way to hold this off.
                    if until.is_over() || connection.send(&request).is_err() {
                        break;
                    }
                    streams += 1;
                }
                std::thread::sleep(KEPT.min(until.rest()));
            }
            streams
        });
        sent = streams.iter().sum();
        Ok(())
    })?;
    round.check(sent > 0, || "nothing was sent".to_owned());
    round.note(format!("{sent} requests"));
    Ok(())
}

/// What a body attacks, the operation that it is for, and the body.
pub(crate) type Hostile = (&'static str, &'static str, String);

/// Sends bodies to an endpoint, two at a time. All must be answered, and no answer may be large.
pub(crate) fn send_all(round: &mut Round, kind: Kind, bodies: &[Hostile]) -> Result<(), String> {
    const CLIENTS: usize = 2;
    let mut endpoint = round.endpoint(kind)?;
    let requests = endpoint.requests;
    let mut answers = Vec::new();
    round.attack_endpoint(&mut endpoint, |_| {
        answers = crowd(CLIENTS, |client| {
            let bodies = bodies.iter().skip(client).step_by(CLIENTS);
            let answers = bodies.map(|(what, operation, body)| {
                let asked = ask(requests.address, &requests.make(operation, body));
                (format!("{operation}, {what}"), asked)
            });
            answers.collect::<Vec<_>>()
        });
        Ok(())
    })?;
    for (what, answer) in answers.iter().flatten() {
        match answer {
            Ok(answer) => round.check_refusal(what, answer),
            Err(error) => round.faults.push(format!("{what} got no answer: {error}")),
        }
    }
    Ok(())
}

/// Sends the same beginning on many connections, and then a byte on each of them now and then.
pub(crate) fn trickle(address: SocketAddr, count: usize, beginning: &[u8], until: Until) {
    let mut connections = Vec::new();
    while !until.is_over() {
        // The server may close them, which is what it should do in the end. Then others come.
        let mut new = connect_many(address, count - connections.len());
        new.retain_mut(|connection| connection.send(beginning).is_ok());
        connections.append(&mut new);
        std::thread::sleep(TRICKLE_INTERVAL);
        connections.retain_mut(|connection| connection.send(b"a").is_ok());
    }
}

/// Sends what `next` makes, as fast as the server takes it, and reads what comes back only if
/// `reads`. Ends with the attack, after `bytes_max`, or when the server closes the connection.
/// Says how many bytes were sent.
pub(crate) fn flood(
    connection: Connection,
    reads: bool,
    bytes_max: usize,
    until: Until,
    mut next: impl FnMut() -> Vec<u8>,
) -> io::Result<usize> {
    let mut stream = connection.into_stream();
    stream.set_write_timeout(Some(FLOOD_PAUSE))?;
    stream.set_read_timeout(Some(FLOOD_PAUSE))?;
    let reader = stream.try_clone()?;
    std::thread::scope(|scope| {
        if reads {
            scope.spawn(move || drain(reader, until));
        }
        let mut sent = 0;
        while sent < bytes_max && !until.is_over() {
            let bytes = next();
            if !write(&mut stream, &bytes, until) {
                break;
            }
            sent += bytes.len();
        }
        Ok(sent)
    })
}

/// Attacks on one connection after the other, since the server cuts them off. Says how many bytes
/// were sent on all of them.
pub(crate) fn renew(until: Until, mut attack: impl FnMut() -> io::Result<usize>) -> usize {
    let mut sent = 0;
    for _ in 0..RENEWALS_MAX {
        if until.is_over() {
            break;
        }
        sent += attack().unwrap_or_default();
        std::thread::sleep(RENEWAL_PAUSE);
    }
    sent
}

/// Writes all bytes, unless the attack ends or the server closes the connection.
fn write(stream: &mut TcpStream, mut bytes: &[u8], until: Until) -> bool {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if is_pause(&error) && !until.is_over() => {}
            Err(_) => return false,
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

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
