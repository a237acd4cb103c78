use crate::crowd::trickle;
use crate::round::Round;

const CLIENTS: usize = 300;

/// Heads that come a byte at a time ("slowloris"), at the pages.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    round.attack_pages(&mut server, |until| {
        trickle(address, CLIENTS, b"GET /snakes HTTP/1.1\r\nHost: localhost\r\nX-A: ", until);
        Ok(())
    })
}
