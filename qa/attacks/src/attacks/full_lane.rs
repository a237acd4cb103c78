use crate::crowd::{Outcome, STREAMS, crowd};
use crate::http::Connection;
use crate::in_flight::keep_in_flight;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const TABLE: &str = "list";
const CLIENTS: usize = 8;
const LIST_LEN: usize = 190_000;
/// How many times an attacker's scan looks through the list: as many as an expression has room for.
const SEARCHES: usize = 140;
/// How many times the other client's scan does, which takes about 50 ms with a release build.
const OTHER_SEARCHES: usize = 20;
/// How long the attack goes on at least until one of the other client's scans succeeds.
const TIME_MAX: Duration = Duration::from_secs(3);

/// Scans that look through a list of 190,000 elements 140 times, 120 at a time on each of eight
/// HTTP/2 connections, and sent again when they are throttled. Whoever came pushed somebody out of
/// the lane of heavy requests, and 120 came at once: 0 of 52 scans of another client succeeded, and
/// small reads took 0.9 s.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    victim::create_table(requests, TABLE)?;
    let list = vec![r#"{"NULL":true}"#; LIST_LEN].join(",");
    let item = format!(r#"{{"pk":{{"S":"0"}},"l":{{"L":[{list}]}}}}"#);
    let put = format!(r#"{{"TableName":"{TABLE}","Item":{item}}}"#);
    let mut connection = victim::open(requests)?;
    victim::ask(&mut connection, requests, "PutItem", &put)?;
    let scan = |searches| {
        let body = json!({
            "TableName": TABLE,
            "FilterExpression": vec!["contains(l,:v)"; searches].join(" OR "),
            "ExpressionAttributeValues": {":v": {"S": "x"}},
        });
        body.to_string()
    };
    let (hostile, other) = (scan(SEARCHES), scan(OTHER_SEARCHES));
    for scan in [&hostile, &other] {
        victim::ask(&mut connection, requests, "Scan", scan)?;
    }
    let other = requests.make("Scan", other);
    let (mut attackers, mut others) = (Outcome::default(), Outcome::default());
    round.attack_endpoint(&mut endpoint, |until| {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let hostile = scope.spawn(|| {
                let is_over = || is_over.load(Ordering::Relaxed);
                let scan = ("Scan", hostile.as_bytes());
                Outcome::sum(crowd(CLIENTS, |_| keep_in_flight(&requests, scan, STREAMS, is_over)))
            });
            others = scan_until(&mut connection, &other, |outcome, time| {
                until.is_over() && (outcome.succeeded > 0 || time > TIME_MAX)
            });
            is_over.store(true, Ordering::Relaxed);
            attackers = hostile.join().map_err(|_| "an attacker panicked")?;
            Ok(())
        })
    })?;
    round.check(others.succeeded > 0, || "no scan of the other client succeeded".to_owned());
    round.note(format!("attackers: {attackers}"));
    round.note(format!("the other client: {others}"));
    Ok(())
}

/// Somebody who does nothing wrong, and sends a scan again when it was refused.
fn scan_until(
    connection: &mut Connection,
    scan: &[u8],
    is_over: impl Fn(&Outcome, Duration) -> bool,
) -> Outcome {
    let begun = Instant::now();
    let mut outcome = Outcome::default();
    while !is_over(&outcome, begun.elapsed()) {
        // Without an answer for 5 s, none has succeeded.
        let Ok(answer) = connection.ask(scan) else { break };
        outcome.add(&answer);
        if answer.status != 200 {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    outcome
}
