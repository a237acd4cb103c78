use crate::crowd::{connect_gradually, crowd};
use crate::round::{Kind, Round};

/// Many more than the 1024 that there may be.
const CONNECTIONS: usize = 10_000;

/// Connections on which nothing is sent, more than there may be. Whoever came after them was refused
/// until they had been silent for 75 s.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    let count = round.allowed_connections(CONNECTIONS);
    let mut opened = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let connections = crowd(1, |_| connect_gradually(address, count));
        opened = connections.iter().map(Vec::len).sum();
        until.wait();
        Ok(())
    })?;
    round.note(format!("{opened} connections"));
    Ok(())
}
