use crate::crowd::connect_many;
use crate::fixture;
use crate::round::{Kind, Round};
use crate::victim;

/// How many clients do not read. The endpoint may hold 96 MB of large answers, which is 6 of them.
const CLIENTS: usize = 20;

/// Clients that ask for 16 MB each and do not read. Their answers filled the room that there is for
/// all large bodies and answers, so that everybody else was refused for as long as they stayed.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    fixture::fill_large(requests)?;
    let request = requests.make("BatchGetItem", fixture::large_batch());
    round.attack_endpoint(&mut endpoint, |until| {
        let mut connections = connect_many(requests.address, CLIENTS);
        for connection in &mut connections {
            // Some may be refused, or cut off.
            let _ = connection.send(&request);
        }
        for connection in &mut connections {
            let _ = connection.wait_for_beginning();
        }
        until.wait();
        victim::put_large(requests)
    })
}
