use crate::http::Connection;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::json;
use std::time::Duration;

const TABLE: &str = "hidden";

/// Requests whose length can be read in two ways, with another request in the part about which the
/// readings differ. A proxy that reads one way and a server that reads the other way would let
/// somebody put requests into the connections of others. The request that is hidden deletes a table.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    victim::create_table(requests, TABLE)?;
    let body = json!({"TableName": TABLE}).to_string();
    let hidden = String::from_utf8_lossy(&requests.make("DeleteTable", body)).into_owned();
    let line = format!("POST / HTTP/1.1\r\nHost: {}\r\n", requests.address);
    let target = "X-Amz-Target: DynamoDB_20120810.ListTables\r\n\
                  Content-Type: application/x-amz-json-1.0\r\n";
    let head = |lengths: &str| format!("{line}{target}{lengths}\r\n");
    let chunks = format!("2\r\n{{}}\r\n0\r\n\r\n{hidden}");
    let all = chunks.len();
    let shapes = [
        // Whoever goes by the length takes what is hidden for a part of the body.
        (
            "a length and chunks",
            head(&format!("Content-Length: {all}\r\nTransfer-Encoding: chunked\r\n")) + &chunks,
        ),
        (
            "chunks and a length",
            head(&format!("Transfer-Encoding: chunked\r\nContent-Length: {all}\r\n")) + &chunks,
        ),
        (
            "two lengths",
            head(&format!("Content-Length: 2\r\nContent-Length: {}\r\n", 2 + hidden.len()))
                + "{}"
                + &hidden,
        ),
        (
            "a list of lengths",
            head(&format!("Content-Length: 2, {}\r\n", 2 + hidden.len())) + "{}" + &hidden,
        ),
        ("a signed length", head("Content-Length: +2\r\n") + "{}" + &hidden),
        (
            "a folded line",
            head(&format!(
                "Content-Length: {all}\r\nX-A: b\r\n Transfer-Encoding: chunked\r\n\
                 Transfer-Encoding:\r\n chunked\r\n"
            )) + &chunks,
        ),
        (
            "a coding that is none",
            head("Content-Length: 2\r\nTransfer-Encoding: xchunked\r\n") + "{}" + &hidden,
        ),
        (
            "a space before the colon",
            head(&format!("Content-Length: {all}\r\nTransfer-Encoding : chunked\r\n")) + &chunks,
        ),
        (
            "a bare line feed",
            head(&format!("Content-Length: {all}\r\nX-A: b\nTransfer-Encoding: chunked\r\n"))
                + &chunks,
        ),
        (
            "a chunk with a length of 65 bits",
            head("Transfer-Encoding: chunked\r\n")
                + "10000000000000002\r\n{}\r\n0\r\n\r\n"
                + &hidden,
        ),
    ];
    let mut seen = Vec::new();
    round.attack_endpoint(&mut endpoint, |_| {
        for (what, request) in &shapes {
            let opened = Connection::open(requests.address, Duration::from_millis(300));
            let mut connection = opened.map_err(|error| error.to_string())?;
            let mut answers = Vec::new();
            // It ends when the server closes the connection, or has nothing more to say.
            if connection.send(request.as_bytes()).is_ok() {
                while let Ok(answer) = connection.answer() {
                    answers.push(answer.status);
                }
            }
            let list = requests.make("ListTables", "{}");
            let tables = victim::open(requests)?.ask(&list).map_err(|error| error.to_string())?;
            seen.push((*what, answers, tables.text().contains(TABLE)));
            if !tables.text().contains(TABLE) {
                victim::create_table(requests, TABLE)?;
            }
        }
        Ok(())
    })?;
    for (what, answers, is_there) in seen {
        round.check(is_there, || format!("{what}: what was hidden was done, {answers:?}"));
    }
    Ok(())
}
