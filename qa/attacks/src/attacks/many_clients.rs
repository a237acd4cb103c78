use crate::crowd::{connect_many, crowd};
use crate::fixture;
use crate::round::{Kind, Round};
use crate::victim;

/// Of the 1024 that there may be, the victim needs some.
const CONNECTIONS: usize = 900;

/// Nine hundred connections with one update each, of 200 bytes that write 390 KB, all sent at the
/// same moment; when they are answered, others take their place. Each was a client that had cost nothing so far, so its
/// large write came before the small one of a client that was there already.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    fixture::fill_large(requests)?;
    let body = |client| fixture::large_update(client, "NONE");
    victim::ask(&mut victim::open(requests)?, requests, "UpdateItem", &body(0))?;
    let count = round.allowed_connections(CONNECTIONS);
    let updates: Vec<Vec<u8>> =
        (0..count).map(|client| requests.make("UpdateItem", body(client))).collect();
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let counts = crowd(1, |_| {
            let mut sent = 0;
            while !until.is_over() {
                let mut connections = connect_many(requests.address, count);
                for (connection, update) in connections.iter_mut().zip(&updates) {
                    sent += usize::from(connection.send(update).is_ok());
                }
                // Those that are not answered when the attack ends are left alone.
                let answered = connections.iter_mut().map_while(|connection| {
                    connection.set_patience(until.rest()).ok()?;
                    connection.answer().ok()
                });
                answered.for_each(drop);
            }
            sent
        });
        sent = counts.iter().sum();
        Ok(())
    })?;
    round.check(sent > 0, || "nothing was sent".to_owned());
    round.note(format!("{sent} updates"));
    Ok(())
}
