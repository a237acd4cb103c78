use super::deleted_folder::{check_refuses_writes, write_to_folder};
use crate::round::{Kind, Round};

/// Moves the folder of a running server elsewhere. The server went on writing into files that
/// nobody finds at the next start, and said that it was well.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let (endpoint, folder, acknowledged) = write_to_folder(round)?;
    let elsewhere = round.path("elsewhere");
    std::fs::rename(&folder, &elsewhere).map_err(|error| error.to_string())?;
    check_refuses_writes(round, &endpoint);
    drop(endpoint);
    // What was acknowledged moved along.
    let endpoint = round.endpoint_on(Kind::Folder, Some(&elsewhere))?;
    round.check_kept(endpoint.requests, &acknowledged, "where it was moved");
    Ok(())
}
