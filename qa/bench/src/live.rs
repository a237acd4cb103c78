//! Pushes to many watchers of one topic: Server-Sent Events and WebSockets.
//!
//! The server is a process of its own, so that its memory can be told from that of the clients. Both
//! share the machine's cores and its clock: the time of a delivery is counted from before the write
//! in the server until the client has the bytes.

use futures_util::StreamExt;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use singlet::prelude::*;
use singlet_web::api::{Api, LastEventId, get};
use singlet_web::live::{
    EventStream, ItemChange, Live, Push, SwitchingProtocols, Topic, TopicState, WebSocketUpgrade,
};
use singlet_web::problem::Problem;
use singlet_web::{Opened, Options, Server, Site, SiteOptions, Store, System};
use std::error::Error;
use std::io::BufRead;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The argument with which this program is the server.
pub(crate) const SERVE: &str = "live-server";

const STREAMS: usize = 2_000;
const SOCKETS: usize = 300;
const CHANGES_PER_SECOND: u64 = 100;
/// How long the changes go on.
const ROUND: Duration = Duration::from_secs(10);
/// What is not delivered after so much more time is lost.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many clients connect at the same time.
const CONNECTING_MAX: usize = 64;
/// Files and sockets that each of the two processes may have open: a connection for each watcher, and
/// some more.
const OPEN_FILES: u64 = (STREAMS + SOCKETS) as u64 + 500;

#[table(name = "bench-live", key = (PK), entities(Score))]
struct Scores;

/// What is watched: one item that changes.
#[derive(Entity, Clone)]
#[entity(Scores, key = ("SCORE"))]
struct Score {
    number: u64,
    /// When it was written, in microseconds since 1970.
    written_us: u64,
}

/// Measures, and prints the figures.
pub(crate) fn run() -> Outcome<()> {
    // The server is started by this process, and has its limits.
    raise_open_files()?;
    let (server, address) = start_server()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(&server, address));
    let mut server = server;
    server.kill()?;
    server.wait()?;
    measured
}

/// Raises the limit for open files, which is often 1024, as far as needed.
fn raise_open_files() -> Outcome<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= OPEN_FILES) {
        return Ok(());
    }
    let raised = Rlimit { current: Some(OPEN_FILES), maximum };
    setrlimit(Resource::Nofile, raised).map_err(|error| {
        let limit = maximum.unwrap_or(u64::MAX);
        format!("{OPEN_FILES} open files are needed, and at most {limit} are allowed: {error}")
            .into()
    })
}

fn start_server() -> Outcome<(Child, SocketAddr)> {
    let program = std::env::current_exe()?;
    let mut server = Command::new(program).arg(SERVE).stdout(Stdio::piped()).spawn()?;
    let output = server.stdout.take().ok_or("the server has no output")?;
    let mut line = String::new();
    std::io::BufReader::new(output).read_line(&mut line)?;
    Ok((server, line.trim().parse()?))
}

async fn measure(server: &Child, address: SocketAddr) -> Outcome<()> {
    let before = resident_kb(server.id())?;
    let connected = Arc::new(AtomicUsize::new(0));
    let permits = Arc::new(tokio::sync::Semaphore::new(CONNECTING_MAX));
    let mut watchers: JoinSet<Outcome<Vec<u32>>> = JoinSet::new();
    for number in 0..STREAMS + SOCKETS {
        let (connected, permits) = (Arc::clone(&connected), Arc::clone(&permits));
        watchers.spawn(async move {
            let permit = permits.acquire_owned().await?;
            let times = async |stream| match number < STREAMS {
                true => read_stream(stream).await,
                false => read_socket(stream).await,
            };
            let path = if number < STREAMS { "stream" } else { "socket" };
            let stream = open(address, path, number >= STREAMS).await?;
            connected.fetch_add(1, Ordering::SeqCst);
            drop(permit);
            times(stream).await
        });
    }
    let all = async {
        while connected.load(Ordering::SeqCst) < STREAMS + SOCKETS {
            sleep(Duration::from_millis(20)).await;
        }
    };
    if timeout(Duration::from_secs(60), all).await.is_err() {
        let count = connected.load(Ordering::SeqCst);
        return Err(format!("only {count} clients could connect").into());
    }
    sleep(Duration::from_secs(1)).await;
    let after = resident_kb(server.id())?;
    let watchers_count = STREAMS + SOCKETS;
    println!(
        "{STREAMS} streams and {SOCKETS} sockets: {} KB each",
        (after - before) / watchers_count
    );
    // The last request makes the server begin.
    let begun = std::time::Instant::now();
    drop(open(address, "begin", false).await?);
    let changes = ROUND.as_secs() * CHANGES_PER_SECOND;
    let (mut of_streams, mut of_all, mut complete) = (0, Vec::new(), 0);
    while let Some(times) = watchers.join_next().await {
        let times = times??;
        complete += usize::from(times.len() as u64 >= changes);
        of_streams += times.len();
        of_all.extend(times);
    }
    let wanted = changes as usize * watchers_count;
    of_all.sort_unstable();
    let at = |share: f64| {
        let index = (of_all.len().saturating_sub(1)) as f64 * share;
        of_all.get(index as usize).copied().unwrap_or(0) as f64 / 1e3
    };
    println!(
        "{CHANGES_PER_SECOND} changes a second for {} s: {of_streams} of {wanted} deliveries, \
         {complete} of {watchers_count} watchers have all",
        ROUND.as_secs(),
    );
    println!(
        "from write to client: p50 {:.1} ms, p99 {:.1} ms, p99.9 {:.1} ms, most {:.1} ms; {:.1} s",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        begun.elapsed().as_secs_f64(),
    );
    println!("the server then has {} KB", resident_kb(server.id())?);
    Ok(())
}

/// The memory of a process, as Linux counts it.
fn resident_kb(process: u32) -> Outcome<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.ok_or("no VmRSS")?.trim().trim_end_matches(" kB").trim().parse()?)
}

/// Sends a request, and reads the head of the answer.
async fn open(address: SocketAddr, path: &str, is_socket: bool) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let upgrade = if is_socket { upgrade } else { "" };
    let head = format!("GET /bench/{path} HTTP/1.1\r\nhost: localhost\r\n{upgrade}\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(stream.read_u8().await?);
    }
    let is_good = answer.starts_with(b"HTTP/1.1 101") || answer.starts_with(b"HTTP/1.1 20");
    match is_good {
        true => Ok(stream),
        false => Err(String::from_utf8_lossy(&answer).into_owned().into()),
    }
}

/// The times of all deliveries on a stream, in microseconds.
async fn read_stream(mut stream: TcpStream) -> Outcome<Vec<u32>> {
    let (mut times, mut rest) = (Vec::new(), Vec::new());
    let mut space = vec![0; 16 << 10];
    while !is_complete(&times) {
        let Ok(read) = timeout(ROUND + PATIENCE, stream.read(&mut space)).await else { break };
        let Some(bytes) = space.get(..read?).filter(|bytes| !bytes.is_empty()) else { break };
        rest.extend_from_slice(bytes);
        let complete = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let lines: Vec<u8> = rest.drain(..complete).collect();
        note_times(&String::from_utf8_lossy(&lines), &mut times);
    }
    Ok(times)
}

async fn read_socket(stream: TcpStream) -> Outcome<Vec<u32>> {
    let mut times = Vec::new();
    let mut socket = WebSocketStream::from_raw_socket(stream, Role::Client, None).await;
    while !is_complete(&times) {
        let Ok(Some(message)) = timeout(ROUND + PATIENCE, socket.next()).await else { break };
        if let Ok(text) = message?.into_text() {
            note_times(&text, &mut times);
        }
    }
    Ok(times)
}

fn is_complete(times: &[u32]) -> bool {
    times.len() as u64 >= ROUND.as_secs() * CHANGES_PER_SECOND
}

/// Notes how long ago each change in a text was written.
fn note_times(text: &str, times: &mut Vec<u32>) {
    let now = now_us();
    for part in text.split(r#""writtenUs":"#).skip(1) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        let written: u64 = digits.parse().unwrap_or(now);
        times.push(u32::try_from(now.saturating_sub(written)).unwrap_or(u32::MAX));
    }
}

fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// The server's process: prints its address, and serves until it is killed.
pub(crate) fn serve() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let db = Db::<Scores>::memory().await?;
        db.run(put(&Score { number: 0, written_us: 0 })).await?;
        let live = live(&db);
        let watch = live.clone();
        let stream = get("/stream", async move |last: LastEventId| {
            let subscription = watch.subscribe(Topic::from("score"), last).await?;
            Ok::<_, Problem>(EventStream::new(subscription))
        });
        let follow = live.clone();
        let socket = get("/socket", async move |last: LastEventId, upgrade: WebSocketUpgrade| {
            let subscription = follow.subscribe(Topic::from("score"), last).await?;
            Ok::<SwitchingProtocols, Problem>(upgrade.serve(async move |mut socket| {
                socket.follow(subscription);
                while socket.next().await.is_some() {}
            }))
        });
        let begin = get("/begin", async move || {
            tokio::spawn(change(db.clone()));
            singlet_web::api::NoContent
        });
        let api = Api::new(())
            .route(stream.describe("stream", "Watches."))
            .route(socket.describe("socket", "Watches."))
            .route(begin.describe("begin", "Begins to change."));
        let opened = std::sync::Mutex::new(Some(Opened::new(api)));
        let system = System::new("bench", "Bench", "A topic that is watched.").open(move |_| {
            let opened = opened.lock().ok().and_then(|mut opened| opened.take());
            async move { Ok(opened.expect("it is opened once")) }
        });
        let site = Site::open(vec![system], Store::memory().await?, SiteOptions::default()).await?;
        let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
        let server = Server::bind(options).await?;
        println!("{}", server.local_address()?);
        tokio::spawn(async move { live.run().await });
        server.serve(site, std::future::pending()).await;
        Ok(())
    })
}

fn live(db: &Db<Scores>) -> Live {
    let read = db.clone();
    let state = move |_| {
        let db = read.clone();
        async move {
            let score = db.get(Score::key()).await?;
            Ok(score.map(|score| TopicState::numbered(score.number, "state", &json!({}))))
        }
    };
    Live::new(state).follow(db, |change: &ItemChange<ScoresItem>| match &change.new {
        Some(ScoresItem::Score(score)) => {
            let data =
                json!({"type": "changed", "number": score.number, "writtenUs": score.written_us});
            vec![Push::numbered("score", score.number, "changed", &data)]
        }
        None => vec![],
    })
}

async fn change(db: Db<Scores>) {
    let mut ticks = interval(Duration::from_secs(1) / CHANGES_PER_SECOND as u32);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 1..=ROUND.as_secs() * CHANGES_PER_SECOND {
        ticks.tick().await;
        let score = Score { number, written_us: now_us() };
        db.run(put(&score)).await.expect("a write in memory");
    }
}
