//! The load: a few connections, each with one request in flight, all on one thread.
//!
//! A second core is all that there is for the server, so the generator must cost little: requests
//! are made beforehand, and of an answer no more is read than where it ends and whether it is 200.

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

/// How many different requests there are. They go round.
const REQUESTS: usize = 4_096;
/// How many requests [`repeat`] sends at a time.
const AT_A_TIME: usize = 32;
/// How many requests a filling has in flight.
const FILLERS: u64 = 16;

/// A task, and by how many connections on how many items.
pub(crate) struct Load {
    pub(crate) task: Task,
    pub(crate) connections: usize,
    pub(crate) items: u64,
    pub(crate) seed: u64,
}

impl Load {
    /// Asks for this long, and gives how many requests were answered in a second.
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

/// Sends so many requests on one connection, some of them at a time, so that the server has the next
/// one when it is done with one. Else what it does depends on how soon the next one comes.
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

/// Makes the table.
pub(crate) fn create_table(port: u16) {
    one(port, &request::create_table());
}

/// Puts the items with the numbers from zero on.
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

/// Sends one request, and gives the body of the answer.
pub(crate) fn one(port: u16, request: &[u8]) -> Vec<u8> {
    try_one(port, request).expect("an answer")
}

/// Sends one request to a server that may not be there yet.
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

/// A connection.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Where the body of the last answer begins and ends.
    body: usize,
    end: usize,
}

impl Client {
    async fn connect(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; 64 << 10], body: 0, end: 0 })
    }

    /// Sends a request and waits for the whole answer, which must be a good one.
    async fn ask(&mut self, request: &[u8]) -> io::Result<()> {
        self.stream.write_all(request).await?;
        self.read_answers(1).await
    }

    /// Waits for so many whole answers, which must be good ones, and nothing behind them.
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
    // A server that sends chunks would need a reader of them here; none of these does.
    length.and_then(|text| text.parse().ok()).expect("a length")
}
