use crate::crowd::trickle;
use crate::round::{Kind, Round};

const CLIENTS: usize = 300;

/// Heads that come a byte at a time ("slowloris"). The connection is closed when the head is due.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    round.attack_endpoint(&mut endpoint, |until| {
        trickle(address, CLIENTS, b"POST / HTTP/1.1\r\nHost: localhost\r\nX-A: ", until);
        Ok(())
    })
}
