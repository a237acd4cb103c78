use crate::crowd::connect_many;
use crate::fixture;
use crate::round::{Kind, Round};
use std::time::Duration;

const CLIENTS: usize = 4;
/// How long the scans run before their clients leave.
const RUN_TIME: Duration = Duration::from_millis(300);
/// How long the server may go on after that: a client that closes its side may still wait for its
/// answer for 2 s.
const GRACE: Duration = Duration::from_millis(2500);
/// Over this time the server must be idle then.
const OBSERVED_TIME: Duration = Duration::from_millis(500);
/// What counts as idle.
const PROCESSOR_TIME_MAX: Duration = Duration::from_millis(50);

/// Costly scans whose clients leave. The server went on computing, for minutes, answers that nobody
/// was waiting for.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let endpoint = round.endpoint(Kind::Memory)?;
    fixture::fill_small(endpoint.requests)?;
    let scan = fixture::heavy_scan();
    fixture::check_scan(endpoint.requests, &scan)?;
    let scan = endpoint.requests.make("Scan", scan.to_string());
    let mut connections = connect_many(endpoint.requests.address, CLIENTS);
    for connection in &mut connections {
        connection.send(&scan).map_err(|error| error.to_string())?;
    }
    std::thread::sleep(RUN_TIME);
    drop(connections);
    std::thread::sleep(GRACE);
    let before = endpoint.server.processor_time();
    std::thread::sleep(OBSERVED_TIME);
    if let (Some(before), Some(after)) = (before, endpoint.server.processor_time()) {
        let used = after.saturating_sub(before);
        let text = format!("{used:?} of processor time in {OBSERVED_TIME:?} after they left");
        match used <= PROCESSOR_TIME_MAX {
            true => round.note(text),
            false => round.faults.push(text),
        }
    }
    Ok(())
}
