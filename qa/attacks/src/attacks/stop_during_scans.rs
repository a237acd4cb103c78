use crate::crowd::connect_many;
use crate::fixture;
use crate::round::{Kind, Round};
use std::time::{Duration, Instant};

const CLIENTS: usize = 4;
/// How long the scans run before the server is asked to stop.
const RUN_TIME: Duration = Duration::from_millis(300);
/// The 10 s that requests in flight may take then, and a little for closing the folder.
const STOP_TIME_MAX: Duration = Duration::from_secs(12);

/// SIGTERM while costly scans run. The process ended when they did, which took minutes.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    fixture::fill_small(endpoint.requests)?;
    let scan = fixture::heavy_scan();
    fixture::check_scan(endpoint.requests, &scan)?;
    let scan = endpoint.requests.make("Scan", scan.to_string());
    let mut connections = connect_many(endpoint.requests.address, CLIENTS);
    for connection in &mut connections {
        connection.send(&scan).map_err(|error| error.to_string())?;
    }
    std::thread::sleep(RUN_TIME);
    let begun = Instant::now();
    endpoint.server.terminate()?;
    let ended = endpoint.server.wait(STOP_TIME_MAX);
    round.check(ended.is_some(), || format!("it still runs {STOP_TIME_MAX:?} after SIGTERM"));
    if let Some(status) = ended {
        round.check(status.success(), || format!("it ended badly ({status})"));
        round.note(format!("ended {:.1?} after SIGTERM", begun.elapsed()));
    }
    Ok(())
}
