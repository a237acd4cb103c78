use crate::crowd::{PATIENCE, crowd, flood, renew};
use crate::fixture;
use crate::frames::{self, INITIAL_WINDOW_SIZE};
use crate::round::{Kind, Round};

const CONNECTIONS: usize = 2;
const STREAMS: u32 = 25;
const BYTES_MAX: usize = 64 << 20;

/// Answers of 390 KB that may be sent a byte at a time: each window is opened by one, again and again.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    fixture::fill_large(requests)?;
    let body = fixture::large_get().into_bytes();
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(CONNECTIONS, |_| {
            renew(until, || {
                let settings = [(INITIAL_WINDOW_SIZE, 1)];
                let mut connection = frames::open(requests.address, &settings, PATIENCE)?;
                let streams = || (0..STREAMS).map(|index| 2 * index + 1);
                for stream in streams() {
                    connection.send(&frames::request(&requests, stream, "GetItem", &body))?;
                }
                let opened: Vec<u8> =
                    streams().flat_map(|id| frames::window_update(id, 1)).collect();
                flood(connection, true, BYTES_MAX, until, || opened.clone())
            })
        });
        Ok(())
    })
}
