use crate::crowd::{crowd, repeat};
use crate::fixture;
use crate::round::{Kind, Round};
use crate::victim;

const CLIENTS: usize = 8;

/// Writes whose conditions search 1.5 MB. Writes are evaluated one after the other, so
/// that all others waited for these.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    fixture::fill_small(requests)?;
    let put = fixture::heavy_put().to_string();
    let mut connection = victim::open(requests)?;
    victim::ask(&mut connection, requests, "PutItem", &put)?;
    let put = requests.make("PutItem", put);
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(CLIENTS, |_| repeat(requests.address, &put, until));
        Ok(())
    })
}
