use crate::crowd::connect_many;
use crate::round::{Kind, Round};

/// More than the 1024 that there may be.
const CONNECTIONS: usize = 1_500;

/// Connections on which nothing is sent, more than there may be. Whoever came after them was refused
/// until they had been silent for 75 s.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    let mut opened = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let connections = connect_many(address, CONNECTIONS);
        opened = connections.len();
        until.wait();
        Ok(())
    })?;
    round.note(format!("{opened} connections"));
    Ok(())
}
