use crate::crowd::bursts;
use crate::fixture;
use crate::round::{Kind, Round};

/// Updates of 200 bytes, each of which writes an item of 390 KB. All that waited were carried out
/// before what came after them, whoever sent it.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    fixture::fill_large(endpoint.requests)?;
    bursts(round, &mut endpoint, "UpdateItem", |client| fixture::large_update(client, "NONE"))
}
