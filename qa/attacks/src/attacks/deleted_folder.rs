use crate::round::{Endpoint, Kind, Round, health};
use crate::victim::{self, Acknowledged};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const WRITES: u64 = 50;
/// How soon a server must notice that its folder is gone.
const NOTICE_TIME_MAX: Duration = Duration::from_millis(1500);

/// Deletes the folder of a running server. Writes went on to be acknowledged, into files that were
/// gone with the process.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let (endpoint, folder, _) = write_to_folder(round)?;
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    check_refuses_writes(round, &endpoint);
    Ok(())
}

/// A server on a folder, and what it has acknowledged.
pub(super) fn write_to_folder(
    round: &mut Round,
) -> Result<(Endpoint, PathBuf, Acknowledged), String> {
    let folder = round.path("data");
    let endpoint = round.endpoint_on(Kind::Folder, Some(&folder))?;
    let acknowledged = victim::write_acknowledged(endpoint.requests, WRITES)?;
    Ok((endpoint, folder, acknowledged))
}

/// Whether a server whose folder is gone says so, and acknowledges nothing any more.
pub(super) fn check_refuses_writes(round: &mut Round, endpoint: &Endpoint) {
    let requests = endpoint.requests;
    let gone = Instant::now();
    let mut noticed = None;
    let mut number = WRITES;
    while gone.elapsed() < NOTICE_TIME_MAX {
        number += 1;
        let is_refused = victim::open(requests)
            .and_then(|mut connection| victim::put(&mut connection, requests, number, number))
            .is_err();
        let is_unwell = !health(requests.address).is_ok_and(|answer| answer.status == 200);
        if is_refused && is_unwell {
            noticed = Some(gone.elapsed());
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    match noticed {
        Some(time) => round.note(format!("noticed after {time:.1?}")),
        None => round.faults.push(format!(
            "{NOTICE_TIME_MAX:?} after the folder was gone, writes are acknowledged or /health is ok"
        )),
    }
}
