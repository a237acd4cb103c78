use crate::crowd::trickle;
use crate::round::Round;

const CLIENTS: usize = 300;

/// Bodies that come a byte at a time, at the pages.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    round.attack_pages(&mut server, |until| {
        let head = format!(
            "POST /snakes/games HTTP/1.1\r\nHost: {address}\r\n\
             Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
        );
        trickle(address, CLIENTS, head.as_bytes(), until);
        Ok(())
    })
}
