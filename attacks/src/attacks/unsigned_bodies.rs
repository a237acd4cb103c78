use crate::crowd::crowd;
use crate::dynamodb::{Requests, wrong_signature};
use crate::http::Connection;
use crate::round::{Kind, Round, Until};
use crate::victim;
use std::time::Duration;

/// Clients that send most of what a body may have: together nearly the 256 MB that may be held.
const LARGE_CLIENTS: usize = 16;
const LARGE_BYTES: usize = 16_000_000;
/// Clients that fill the rest.
const SMALL_CLIENTS: usize = 45;
const SMALL_BYTES: usize = 300_000;
const BODY_BYTES: usize = 16 << 20;
/// How often a byte is sent after that.
const INTERVAL: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(2);

/// Large bodies from clients that nobody knows, all but their ends. They were held before their
/// signatures could be looked at, and took the room of those who sign: the victim, who may write an
/// item of 300 KB, was refused.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Signed)?;
    let requests = endpoint.requests;
    let sent = vec![b' '; LARGE_BYTES];
    round.attack_endpoint(&mut endpoint, |until| {
        let mut is_served = Ok(());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                until.wait();
                is_served = victim::put_large(requests);
            });
            crowd(LARGE_CLIENTS + SMALL_CLIENTS, |index| match index < LARGE_CLIENTS {
                true => hold_body(requests, &sent, index, until),
                false => {
                    std::thread::sleep(until.rest() / 2);
                    hold_body(requests, sent.get(..SMALL_BYTES).unwrap_or(&sent), index, until);
                }
            });
        });
        is_served
    })
}

/// Sends most of a body, with a wrong signature or without one, and waits.
fn hold_body(requests: Requests, sent: &[u8], index: usize, until: Until) {
    let headers = match index % 2 {
        0 => String::new(),
        _ => wrong_signature("host;x-amz-date;x-amz-target"),
    };
    let head = requests.head("PutItem", BODY_BYTES, &headers);
    let Ok(mut connection) = Connection::open(requests.address, PATIENCE) else { return };
    // Whatever the server does not take is a way to hold this off.
    if connection.send(head.as_bytes()).and_then(|()| connection.send(sent)).is_ok() {
        while !until.is_over() && connection.send(b" ").is_ok() {
            std::thread::sleep(INTERVAL);
        }
    }
    // The victim asks when the attack is over, and the body is to be held until then.
    until.wait();
    std::thread::sleep(INTERVAL);
}
