use crate::crowd::{PATIENCE, crowd, flood, renew};
use crate::frames;
use crate::round::{Kind, Round};

const CONNECTIONS: usize = 4;
const BYTES_MAX: usize = 64 << 20;

/// PING as fast as the server takes them, from clients that read the answers and from some that do
/// not. Answers that cannot be sent must not pile up.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    let pings = frames::ping().repeat(1_000);
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let floods = crowd(CONNECTIONS, |index| {
            renew(until, || {
                let connection = frames::open(address, &[], PATIENCE)?;
                flood(connection, index % 2 == 0, BYTES_MAX, until, || pings.clone())
            })
        });
        sent = floods.into_iter().sum();
        Ok(())
    })?;
    round.note(format!("{} PINGs", sent / frames::ping().len()));
    Ok(())
}
