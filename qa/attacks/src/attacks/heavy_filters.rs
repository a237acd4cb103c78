use crate::crowd::{crowd, repeat};
use crate::fixture;
use crate::round::{Kind, Round};

const CLIENTS: usize = 4;

/// Scans whose filters search 1.5 MB for each item, or search each item of 390 KB 148 times. One page
/// took seconds, on a thread that other requests were waiting for; a few clients stopped all of
/// them.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    fixture::fill_small(requests)?;
    fixture::fill_large(requests)?;
    let scans = [fixture::heavy_scan(), fixture::heavy_needle_scan()];
    for scan in &scans {
        fixture::check_scan(requests, scan)?;
    }
    let scans = scans.map(|body| requests.make("Scan", body.to_string()));
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(CLIENTS, |index| {
            let scan = if index % 2 == 0 { &scans[0] } else { &scans[1] };
            repeat(requests.address, scan, until);
        });
        Ok(())
    })
}
