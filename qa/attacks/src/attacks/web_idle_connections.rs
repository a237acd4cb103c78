use crate::crowd::{connect_gradually, crowd};
use crate::round::Round;

/// More than the 4096 that there may be.
const CONNECTIONS: usize = 10_000;

/// Connections to the pages on which nothing is sent, more than there may be. Whoever came after
/// them waited until they had been silent for a minute.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let count = round.allowed_connections(CONNECTIONS);
    let mut opened = 0;
    round.attack_pages(&mut server, |until| {
        let connections = crowd(1, |_| connect_gradually(address, count));
        opened = connections.iter().map(Vec::len).sum();
        until.wait();
        Ok(())
    })?;
    round.note(format!("{opened} connections"));
    Ok(())
}
