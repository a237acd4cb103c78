use crate::crowd::bursts;
use crate::fixture;
use crate::round::{Kind, Round};

/// Scans of 50 bytes whose pages have a megabyte: cheap enough to stay on the threads that serve
/// sockets.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    fixture::fill_large(endpoint.requests)?;
    bursts(round, &mut endpoint, "Scan", |_| fixture::large_scan())
}
