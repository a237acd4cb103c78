//! The load generator: a few connections, each with one request in flight, all on one thread.
//!
//! The server has only a second core, so the generator must be cheap: requests are prepared, and
//! only the status and the length of answers are read.

use super::request;
use crate::contender::Task;
use singlet_engine::Random;
use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// The number of different requests, used in rotation.
const REQUESTS: usize = 4_096;
/// Requests per batch of [`repeat`].
const AT_A_TIME: usize = 32;
/// Concurrent requests while filling.
const FILLERS: u64 = 16;

/// A task with its connections and items.
pub(crate) struct Load {
    pub(crate) task: Task,
    pub(crate) connections: usize,
    pub(crate) items: u64,
    pub(crate) seed: u64,
}

impl Load {
    /// Runs for this long and returns the requests per second.
    pub(crate) fn run(&self, port: u16, time: Duration) -> f64 {
        let random = Random::seeded(self.seed);
        let requests: Rc<Vec<Vec<u8>>> = Rc::new(
            (0..REQUESTS)
                .map(|_| {
                    let number = random.next_u64() % self.items;
                    request::bytes(self.task, number, random.next_u64() as u32)
                })
                .collect(),
        );
        let next = Rc::new(Cell::new(0_usize));
        block_on(async {
            let mut clients = Vec::new();
            for _ in 0..self.connections {
                clients.push(Client::connect(port).await.expect("a connection"));
            }
            let start = Instant::now();
            let tasks: Vec<_> = clients
                .into_iter()
                .map(|mut client| {
                    let (requests, next) = (Rc::clone(&requests), Rc::clone(&next));
                    tokio::task::spawn_local(async move {
                        while start.elapsed() < time {
                            let number = next.replace(next.get() + 1);
                            client.ask(&requests[number % REQUESTS]).await.expect("an answer");
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic");
            }
            next.get() as f64 / start.elapsed().as_secs_f64()
        })
    }
}

/// Sends this many requests on one connection, pipelined, so that the server always has the next
/// one. Otherwise its work would depend on timing.
pub(crate) fn repeat(port: u16, task: Task, items: u64, count: u64) {
    let numbers: Vec<u64> = (0..count).collect();
    block_on(async {
        let mut client = Client::connect(port).await.expect("a connection");
        for some in numbers.chunks(AT_A_TIME) {
            let requests = some.iter().map(|n| request::bytes(task, n % items, *n as u32));
            client.stream.write_all(&requests.collect::<Vec<_>>().concat()).await.expect("sent");
            client.read_answers(some.len()).await.expect("answers");
        }
    });
}

pub(crate) fn create_table(port: u16) {
    one(port, &request::create_table());
}

/// Puts items numbered from zero.
pub(crate) fn fill(port: u16, items: u64) {
    block_on(async {
        let tasks: Vec<_> = (0..FILLERS)
            .map(|filler| {
                tokio::task::spawn_local(async move {
                    let mut client = Client::connect(port).await.expect("a connection");
                    for number in (filler..items).step_by(FILLERS as usize) {
                        let put = request::bytes(Task::Put, number, 0);
                        client.ask(&put).await.expect("an answer");
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
    });
}

/// Sends one request and returns the answer's body.
pub(crate) fn one(port: u16, request: &[u8]) -> Vec<u8> {
    try_one(port, request).expect("an answer")
}

/// Sends one request to a server that may not be up yet.
pub(crate) fn try_one(port: u16, request: &[u8]) -> io::Result<Vec<u8>> {
    block_on(async {
        let mut client = Client::connect(port).await?;
        client.ask(request).await?;
        Ok(client.buffer[client.body..client.end].to_vec())
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(LocalSet::new().run_until(future))
}

struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// The range of the last answer's body.
    body: usize,
    end: usize,
}

impl Client {
    async fn connect(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; 64 << 10], body: 0, end: 0 })
    }

    /// Sends a request and reads a successful answer.
    async fn ask(&mut self, request: &[u8]) -> io::Result<()> {
        self.stream.write_all(request).await?;
        self.read_answers(1).await
    }

    /// Reads this many successful answers, with no bytes after them.
    async fn read_answers(&mut self, mut count: usize) -> io::Result<()> {
        let (mut filled, mut begin) = (0, 0);
        while count > 0 {
            if let Some(head) = find(&self.buffer[begin..filled], b"\r\n\r\n") {
                let head_text = std::str::from_utf8(&self.buffer[begin..begin + head]);
                let head_text = head_text.expect("a head is text");
                if !head_text.starts_with("HTTP/1.1 200") {
                    let answer = String::from_utf8_lossy(&self.buffer[begin..filled]);
                    return Err(io::Error::other(answer));
                }
                self.body = begin + head + 4;
                self.end = self.body + content_length(head_text);
                if filled >= self.end {
                    (begin, count) = (self.end, count - 1);
                    continue;
                }
            }
            let len = self.buffer.len();
            if self.end.max(filled + 1) > len {
                self.buffer.resize(self.end.max(2 * len), 0);
            }
            let read = self.stream.read(&mut self.buffer[filled..]).await?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            filled += read;
        }
        Ok(())
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn content_length(head: &str) -> usize {
    let length = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim())
    });
    // None of the servers uses chunked encoding.
    length.and_then(|text| text.parse().ok()).expect("a length")
}
