use crate::crowd::{PATIENCE, crowd, flood};
use crate::http::{Connection, get};
use crate::round::Round;

const CONNECTIONS: usize = 50;
/// How much is asked for on each connection: thousands of pages.
const BYTES_MAX: usize = 1 << 20;

/// Pages that are asked for again and again on connections that read nothing. A server that kept the
/// answers would keep hundreds of megabytes.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let pages = get(address, "/snakes/board.js").repeat(100);
    round.attack_pages(&mut server, |until| {
        crowd(CONNECTIONS, |_| {
            let connection = Connection::open(address, PATIENCE)?;
            let sent = flood(connection, false, BYTES_MAX, until, || pages.clone());
            until.wait();
            sent
        });
        Ok(())
    })
}
