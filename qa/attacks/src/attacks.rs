//! The table of attacks. Most are a kind of server and a way to send; the modules below have the
//! requests, and the attacks that take more than one step.

mod bodies;
mod connections;
mod disk;
mod pages;
mod work;

use crate::dynamodb::Requests;
use crate::http::Answer;
use crate::in_flight::keep_in_flight;
use crate::load::{self, Flood, Hostile, Outcome, STREAMS};
use crate::round::{Kind, Round, Target};
use crate::tally::SLOWDOWN_MAX;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// Something that a hostile client does.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    kind: Kind,
    method: Method,
    /// How many times longer the victim's requests may take than at the twin.
    slowdown_max: f64,
}

/// Makes requests for a server, after it has filled tables for them.
type Prepare = fn(&Target) -> Result<Vec<Hostile>, String>;
/// Makes the frames of a client's request on a stream of HTTP/2, after it has filled tables.
type PrepareFrames = fn(&Target) -> Result<Box<dyn Fn(usize, u32) -> Vec<u8> + Sync>, String>;

/// How it is done.
enum Method {
    /// The victim is served alone.
    Nothing,
    /// So many clients send each of the requests once.
    Once(usize, Prepare, Expect),
    /// So many clients repeat the requests, each after the answer to the one before.
    Repeat(usize, Prepare, Expect),
    /// So many HTTP/2 connections with 120 requests each, again and again, whose answers are not read.
    Burst(usize, PrepareFrames),
    /// So many HTTP/2 connections that keep 120 requests in flight.
    InFlight(usize, &'static str, fn(&Target) -> Result<Vec<String>, String>),
    /// So many HTTP/2 connections that let the server send nothing, with 120 requests each and this
    /// pause in between. The victim writes large items.
    Unread(usize, Duration, PrepareFrames),
    /// So many connections that send as fast as the server takes it.
    Flood(usize, fn(&Target, usize) -> Result<Vec<Flood>, String>),
    /// So many connections that send this, and then a byte now and then.
    Trickle(usize, fn(&Target) -> Vec<u8>),
    /// So many connections on which nothing is sent.
    Idle(usize),
    /// More than one step.
    Steps(fn(&mut Round, Target) -> Result<(), String>),
}

/// What the answers must be.
enum Expect {
    Anything,
    /// The first request succeeds before the attack, which is carried out then.
    Success,
    /// All requests are answered, and no answer is large.
    Small,
    /// All requests are refused as the client's fault, and no answer is large.
    Refusal,
}

/// How large an answer may be that has no data.
const ANSWER_BYTES_MAX: u64 = 1 << 20;

impl Attack {
    pub(crate) fn run(&self, round: &mut Round) -> Result<(), String> {
        round.slowdown_max = self.slowdown_max;
        let mut target = round.start(self.kind)?;
        let address = target.address();
        match &self.method {
            Method::Nothing => round.attack(&mut target, |until| {
                until.wait();
                Ok(())
            }),
            Method::Once(clients, prepare, expect) | Method::Repeat(clients, prepare, expect) => {
                let requests = prepare(&target)?;
                if let (Expect::Success, Some(first)) = (expect, requests.first()) {
                    check_success(&load::ask(address, &first.bytes)?)?;
                }
                let is_once = matches!(self.method, Method::Once(..));
                let mut outcome = round.attack(&mut target, |until| {
                    Ok(match is_once {
                        true => load::once(address, *clients, &requests),
                        false => load::repeat(address, *clients, &requests, until),
                    })
                })?;
                // On a busy machine the attack may be over before the first answer.
                if let (Expect::Refusal, 0, Some(first)) =
                    (expect, outcome.refused, requests.first())
                {
                    load::provoke_into(&mut outcome, target.address(), first);
                }
                expect.check(round, &outcome)
            }
            Method::Burst(clients, prepare) => {
                let request = prepare(&target)?;
                let sent = round.attack(&mut target, |until| {
                    Ok(load::burst(address, *clients, request, until))
                })?;
                check_sent(round, sent, "requests")
            }
            Method::InFlight(clients, operation, prepare) => {
                let (bodies, requests) = (prepare(&target)?, target.requests);
                for body in &bodies {
                    check_success(&load::ask(address, &requests.make(operation, body))?)?;
                }
                let outcome = round.attack(&mut target, |until| {
                    Ok(Outcome::sum(load::crowd(*clients, |client| {
                        let body = bodies[client % bodies.len()].as_bytes();
                        let is_over = || until.is_over();
                        keep_in_flight(&requests, (*operation, body), STREAMS, is_over)
                    })))
                })?;
                Expect::Success.check(round, &outcome)
            }
            Method::Unread(clients, pause, prepare) => {
                round.victim_is_large = true;
                let request = prepare(&target)?;
                let sent = round.attack(&mut target, |until| {
                    Ok(load::hold_unread(address, *clients, request, *pause, until))
                })?;
                check_sent(round, sent, "requests")
            }
            Method::Flood(connections, make) => {
                let floods = make(&target, *connections)?;
                let sent =
                    round.attack(&mut target, |until| Ok(load::flood(address, &floods, until)))?;
                check_sent(round, sent >> 10, "KB")
            }
            Method::Trickle(connections, beginning) => {
                let beginning = beginning(&target);
                round.attack(&mut target, |until| {
                    load::trickle(address, *connections, &beginning, until);
                    Ok(())
                })
            }
            Method::Idle(connections) => {
                let count = round.allowed_connections(*connections);
                let opened = round.attack(&mut target, |until| {
                    let opened = load::crowd(1, |_| load::connect_gradually(address, count));
                    until.wait();
                    Ok(opened.iter().map(Vec::len).sum())
                })?;
                check_sent(round, opened, "connections")
            }
            Method::Steps(run) => run(round, target),
        }
    }
}

impl Expect {
    fn check(&self, round: &mut Round, outcome: &Outcome) -> Result<(), String> {
        round.note(format!("requests: {outcome}"));
        let (succeeded, refused, failed) = (outcome.succeeded, outcome.refused, outcome.failed);
        match self {
            Self::Anything | Self::Success => return Ok(()),
            Self::Small => {}
            Self::Refusal => {
                round.check(succeeded == 0 && refused > 0, || format!("not refused: {outcome}"));
            }
        }
        round.check(failed == 0, || format!("{failed} errors of the server: {outcome}"));
        let (bytes, unanswered) = (outcome.bytes_max, &outcome.unanswered);
        round.check(bytes <= ANSWER_BYTES_MAX, || format!("an answer of {bytes} bytes"));
        round.check(unanswered.is_empty(), || format!("without an answer: {unanswered:?}"));
        Ok(())
    }
}

fn check_success(answer: &Answer) -> Result<(), String> {
    match answer.status {
        200 => Ok(()),
        _ => Err(format!("the attack is not carried out: {}", answer.shown())),
    }
}

/// Sends requests, each of which must be refused with one of these statuses.
fn check_refused(
    round: &mut Round,
    mut target: Target,
    statuses: std::ops::Range<u16>,
    requests: Vec<(SocketAddr, Vec<u8>)>,
) -> Result<(), String> {
    let passed = round.attack(&mut target, |_| {
        let mut passed = Vec::new();
        for (server, request) in &requests {
            let answer = load::ask(*server, request)?;
            if !statuses.contains(&answer.status) {
                let request = String::from_utf8_lossy(request);
                passed.push(format!("{request:.200?}: {}", answer.shown()));
            }
        }
        Ok(passed)
    })?;
    round.faults.extend(passed);
    Ok(())
}

fn check_sent(round: &mut Round, sent: usize, what: &str) -> Result<(), String> {
    round.check(sent > 0, || "nothing was sent".to_owned());
    round.note(format!("{sent} {what}"));
    Ok(())
}

/// The name of the row that is not an attack, but shows what the machine can do.
pub(crate) const CALM: &str = "calm";

macro_rules! attacks {
    ($(
        $name:literal, $about:literal, $kind:ident, $method:ident $(($($argument:expr),*))?
        $(, slower $slower:literal)?;
    )*) => {
        &[$(Attack {
            name: $name,
            about: $about,
            kind: Kind::$kind,
            method: Method::$method $(($($argument),*))?,
            slowdown_max: SLOWDOWN_MAX $(* $slower)?,
        },)*]
    };
}

const NO_PAUSE: Duration = Duration::ZERO;
/// Between requests for 16 MB each.
const UNREAD_PAUSE: Duration = Duration::from_millis(10);

/// All attacks, in the order in which they run.
#[rustfmt::skip]
pub(crate) const ATTACKS: &[Attack] = attacks! {
    "calm", "no attack at all: what the machine can do just now", Folder, Nothing;
    "signed-headers", "a header that is long, and signed 14,000 times", Signed, Once(2, bodies::signed_headers, Expect::Refusal);
    "open-heads", "2125 requests on 17 HTTP/2 connections whose bodies never come", Memory, Steps(connections::open_heads);
    "unread-answers", "20 answers of 16 MB that nobody reads", Memory, Steps(connections::unread_answers);
    "unread-http2", "answers of 16 MB on an HTTP/2 connection whose windows are shut", Memory, Unread(1, UNREAD_PAUSE, work::large_batches);
    "unread-writes", "1920 updates that return 390 KB each, on 16 HTTP/2 connections whose windows are shut", Memory, Unread(16, NO_PAUSE, work::returned_updates);
    "many-updates", "updates of 200 bytes that write 390 KB each, 960 at a time", Folder, InFlight(8, "UpdateItem", work::large_updates);
    "many-pages", "scans of 50 bytes that read a megabyte each, 960 at a time", Memory, Burst(8, work::large_scans);
    "unsigned-bodies", "16 bodies of 16 MB and 45 of 300 KB without a signature that never end", Signed, Steps(connections::unsigned_bodies);
    "heavy-filters", "scans that search 1.5 MB for each item", Memory, Repeat(4, work::heavy_filters, Expect::Anything);
    "long-lists", "scans that look through a list of 400,000 elements for each item", Memory, Repeat(4, work::long_lists, Expect::Anything);
    "full-lane", "costly scans, 960 at a time, sent again when they are throttled", Memory, Steps(work::full_lane), slower 4.0;
    "heavy-conditions", "writes whose conditions search 1.5 MB", Folder, Repeat(8, work::heavy_conditions, Expect::Success);
    "large-transactions", "48 clients with transactions that read and make 17 MB of items", Folder, Repeat(48, work::large_transactions, Expect::Anything);
    "large-writes", "items with 195,000 nested values, put in all three ways", Memory, Repeat(3, work::large_writes, Expect::Anything);
    "repeated-values", "expressions that use a value of 1 MB a thousand times", Memory, Once(2, bodies::repeated_values, Expect::Small);
    "abandoned-scans", "clients that leave in the middle of a costly scan", Memory, Steps(work::abandoned_scans);
    "stop-during-scans", "SIGTERM while costly scans run", Folder, Steps(work::stop_during_scans);
    "many-indexes", "CreateTable with five million indexes, eight at once", Memory, Once(8, bodies::many_indexes, Expect::Refusal);
    "many-writes", "batches and transactions with hundreds of thousands of entries", Memory, Once(2, bodies::many_writes, Expect::Small);
    "many-tables", "tables with 54 KB of names and tags each, as many as possible", Folder, Steps(work::many_tables);
    "many-streams", "a stream that is turned on and off, as often as possible", Memory, Steps(work::many_streams);
    "many-counts", "transactions of 100 tiny puts into 100 tables with 20 indexes", Folder, Repeat(32, work::many_counts, Expect::Success);
    "many-clients", "updates that write 390 KB each, on 900 new connections at a time", Folder, Steps(work::many_clients), slower 0.25;
    "wide-indexes", "transactions on items with 60,000 attributes, and 20 indexes that project others", Memory, Repeat(1, work::wide_indexes, Expect::Success);
    "long-index-keys", "keys of 3,000 bytes in 20 indexes, which expire at once", Folder, Steps(work::long_index_keys);
    "stream-transactions", "transactions on 100 items of 395 KB, with a stream of both images", Folder, Repeat(1, work::stream_transactions, Expect::Success), slower 4.0;
    "deep-values", "values that nest 100,000 levels", Memory, Once(2, bodies::deep_values, Expect::Small);
    "wide-values", "values with a million members", Memory, Once(2, bodies::wide_values, Expect::Small);
    "echoed-errors", "mistakes of megabytes, which a message could repeat", Memory, Once(2, bodies::echoed_errors, Expect::Small);
    "second-process", "a second process on a folder whose lock was deleted", Folder, Steps(disk::second_process);
    "moved-folder", "a folder that is moved away from under a server", Folder, Steps(disk::moved_folder);
    "deleted-folder", "a folder that is deleted under a server", Folder, Steps(disk::deleted_folder);
    "shortened-log", "a log that was cut short after a crash", Folder, Steps(disk::shortened_log);
    "flipped-bits", "a bit that is flipped in a file after a crash", Folder, Steps(disk::flipped_bits);
    "full-disk", "a disk that gets full", Memory, Steps(disk::full_disk);
    "killed-index-build", "kill -9 while an index is built", Folder, Steps(disk::killed_index_build);
    "slow-heads", "300 heads, a byte at a time", Memory, Trickle(300, connections::head);
    "slow-bodies", "300 bodies, a byte at a time", Memory, Trickle(300, connections::head_of_put);
    "gzip-bombs", "64 KB that become 64 MB", Memory, Repeat(8, bodies::gzip_bombs, Expect::Refusal);
    "many-gzip-streams", "240 bodies of 15 KB that become 15 MB, on two HTTP/2 connections", Memory, Unread(2, NO_PAUSE, bodies::gzip_streams);
    "smuggling", "requests hidden in the bodies of others", Memory, Steps(bodies::smuggling);
    "http2-pings", "a flood of PING", Memory, Flood(4, connections::pings);
    "http2-settings", "a flood of SETTINGS", Memory, Flood(4, connections::settings);
    "http2-resets", "requests that are cancelled at once", Memory, Flood(4, connections::resets);
    "http2-continuations", "a head that never ends", Memory, Flood(4, connections::continuations);
    "http2-priorities", "a flood of PRIORITY and WINDOW_UPDATE", Memory, Flood(4, connections::priorities);
    "http2-windows", "answers that are taken a byte at a time", Memory, Flood(2, connections::small_windows);
    "idle-connections", "10,000 connections, of which there may be 1024", Memory, Idle(10_000);
    "wrong-signatures", "a flood of wrong signatures", Signed, Repeat(8, bodies::wrong_signatures, Expect::Refusal);
    "other-hosts", "requests that mean another host, at both servers", Memory, Steps(bodies::other_hosts);
    "large-heads", "heads of megabytes", Memory, Repeat(8, bodies::large_heads, Expect::Refusal);
    "pipelining", "100,000 requests on one connection, without waiting", Memory, Flood(2, connections::pipelining);
    "web-slow-heads", "300 heads to the pages, a byte at a time", Pages, Trickle(300, connections::head);
    "web-slow-bodies", "300 bodies to the pages, a byte at a time", Pages, Trickle(300, pages::head_of_game);
    "web-idle-connections", "10,000 connections to the pages, of 4096", Pages, Idle(10_000);
    "web-large-uploads", "32 uploads of 16 MB that never end, and 100 that come a byte at a time", Pages, Steps(pages::large_uploads);
    "web-large-pictures", "pictures of 65 KB that become 64 MB", Pages, Repeat(16, pages::large_pictures, Expect::Anything);
    "web-unread-pages", "pages that are asked for and not read", Pages, Flood(50, pages::unread_pages);
    "web-unread-sockets", "sockets of a busy game that do not read", Pages, Steps(pages::unread_sockets);
    "web-unread-streams", "3360 streams and sockets, of 3072, that do not read", Demo, Steps(pages::unread_streams);
    "web-socket-floods", "sockets that send as fast as they can", Pages, Steps(pages::socket_floods);
    "web-cross-origin", "pages of other sites that send requests and open sockets", Pages, Steps(pages::cross_origin);
    "web-wrong-shapes", "bodies that are not objects", Pages, Once(5, pages::wrong_shapes, Expect::Refusal);
    "web-cursors", "cursors that were made up", Pages, Steps(pages::cursors);
    "web-games", "as many games as possible", Pages, Steps(pages::games);
    "web-idempotency", "Idempotency-Key of another caller, and keys that are guessed", Pages, Steps(pages::idempotency);
};

/// How many items a scan finds. `scan` is its body without `Select`.
fn count_items(requests: Requests, mut scan: Value) -> Result<usize, String> {
    scan["Select"] = json!("COUNT");
    let mut count = 0;
    loop {
        let page = requests.ask_json("Scan", &scan)?;
        count += page["Count"].as_u64().map_or(0, |count| count as usize);
        match page.get("LastEvaluatedKey") {
            Some(key) => scan["ExclusiveStartKey"] = key.clone(),
            None => return Ok(count),
        }
    }
}
