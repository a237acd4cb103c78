use crate::crowd::crowd;
use crate::dynamodb::wrong_signature;
use crate::http::Connection;
use crate::round::{Kind, Round};
use std::time::Duration;

const CLIENTS: usize = 20;
const BODY_BYTES: usize = 16 << 20;
/// How much of it is sent before the client slows down.
const SENT_BYTES: usize = 15 << 20;

/// Large bodies from clients that nobody knows, all but their ends. They were held before their
/// signatures could be looked at, and took the room of those who sign.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Signed)?;
    let requests = endpoint.requests;
    let sent = vec![b' '; SENT_BYTES];
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(CLIENTS, |index| {
            let headers = match index % 2 {
                0 => String::new(),
                _ => wrong_signature("host;x-amz-date;x-amz-target"),
            };
            let head = requests.head("PutItem", BODY_BYTES, &headers);
            let Ok(mut connection) = Connection::open(requests.address, Duration::from_secs(2))
            else {
                return;
            };
            // Whatever the server does not take is a way to hold this off.
            if connection.send(head.as_bytes()).and_then(|()| connection.send(&sent)).is_ok() {
                while !until.is_over() && connection.send(b" ").is_ok() {
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
            until.wait();
        });
        Ok(())
    })
}
