use crate::crowd::bursts;
use crate::fixture;
use crate::round::{Kind, Round};

/// Updates of 200 bytes, each of which writes an item of 390 KB. All that waited were carried out
/// before what came after them, whoever sent it. Half of the items are lists, so that an update of
/// them takes long to decide and comes to the queue from the lane of heavy requests.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    fixture::fill_large(endpoint.requests)?;
    fixture::fill_lists(endpoint.requests)?;
    bursts(round, &mut endpoint, "UpdateItem", |client| match client % 2 {
        0 => fixture::large_update(client, "NONE"),
        _ => fixture::list_update(client),
    })
}
