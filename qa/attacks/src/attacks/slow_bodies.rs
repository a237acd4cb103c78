use crate::crowd::trickle;
use crate::round::{Kind, Round};

const CLIENTS: usize = 300;

/// Bodies that come a byte at a time. None takes a place among the requests in flight; each gets 408 when its time is up.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    round.attack_endpoint(&mut endpoint, |until| {
        let head = requests.head("PutItem", 1 << 20, "");
        trickle(requests.address, CLIENTS, head.as_bytes(), until);
        Ok(())
    })
}
