use crate::crowd::{crowd, repeat};
use crate::fixture;
use crate::round::{Kind, Round};

const CLIENTS: usize = 4;

/// Scans that look for a number in a list of 400,000 numbers, for each item. Like searching in
/// texts, one page took seconds, on a thread that other requests were waiting for.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    fixture::fill_small(requests)?;
    let scan = fixture::long_list_scan();
    fixture::check_scan(requests, &scan)?;
    let scan = requests.make("Scan", scan.to_string());
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(CLIENTS, |_| repeat(requests.address, &scan, until));
        Ok(())
    })
}
