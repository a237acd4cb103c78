use crate::crowd::crowd;
use crate::fixture;
use crate::frames;
use crate::round::{Kind, Round};
use std::time::Duration;

const CLIENTS: usize = 16;
/// As many as one connection may have, less than the few that the server may count still.
const STREAMS: u32 = 120;
/// How long a connection is kept after its requests.
const KEPT: Duration = Duration::from_millis(200);

/// Updates of 200 bytes, each of which writes an item of 390 KB. All that wait were carried out
/// before what came after them, whoever sent it.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    fixture::fill_large(requests)?;
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let streams = crowd(CLIENTS, |client| {
            let body = fixture::large_update(client, "NONE").into_bytes();
            let mut streams = 0;
            while !until.is_over() {
                let opened = frames::open(requests.address, &[], Duration::from_secs(5));
                let Ok(mut connection) = opened else { continue };
                for index in 0..STREAMS {
                    let request = frames::request(&requests, 2 * index + 1, "UpdateItem", &body);
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
    round.note(format!("{sent} updates"));
    Ok(())
}
