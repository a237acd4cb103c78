use crate::crowd::crowd;
use crate::http::Connection;
use crate::round::{Kind, Round};
use std::time::Duration;

const CLIENTS: usize = 8;
const BYTES: usize = 4 << 20;

/// Heads of megabytes: in one header, in thousands of headers, and in the path.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    let line = |path: &str| format!("POST {path} HTTP/1.1\r\nHost: {address}\r\n");
    let heads = [
        line("/") + &format!("X-A: {}\r\n\r\n", "b".repeat(BYTES)),
        line("/") + &"X-A: b\r\n".repeat(BYTES / 8) + "\r\n",
        line("/") + &"a:\r\n".repeat(10_000) + "\r\n",
        line(&("/".to_owned() + &"a".repeat(BYTES))) + "\r\n",
        "a".repeat(BYTES),
    ];
    let mut passed = Vec::new();
    round.attack_endpoint(&mut endpoint, |until| {
        let answers = crowd(CLIENTS, |client| {
            let mut statuses = Vec::new();
            for head in heads.iter().cycle().skip(client) {
                if until.is_over() {
                    break;
                }
                let opened = Connection::open(address, Duration::from_secs(2));
                let Ok(mut connection) = opened else { continue };
                // The server may answer before all of it is sent, and close.
                let _ = connection.send(head.as_bytes());
                if let Ok(answer) = connection.answer() {
                    statuses.push(answer.status);
                }
            }
            statuses
        });
        passed = answers.into_iter().flatten().filter(|status| *status < 400).collect();
        Ok(())
    })?;
    round.check(passed.is_empty(), || format!("heads of 4 MB passed: {passed:?}"));
    Ok(())
}
