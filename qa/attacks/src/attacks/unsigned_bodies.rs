use crate::crowd::crowd;
use crate::dynamodb::{Requests, wrong_signature};
use crate::http::Connection;
use crate::round::{Kind, Round};
use crate::victim;
use std::sync::Barrier;
use std::time::Duration;

/// Clients that send most of what a body may have: together far more than the 48 MB of large bodies that may be held.
const LARGE_CLIENTS: usize = 16;
const LARGE_BYTES: usize = 16_000_000;
/// Clients that fill the rest.
const SMALL_CLIENTS: usize = 45;
const SMALL_BYTES: usize = 300_000;
const CLIENTS: usize = LARGE_CLIENTS + SMALL_CLIENTS;
/// How long the bodies say that they are.
const BODY_BYTES: usize = 16 << 20;
/// How often the victim writes its item, and when.
const ASKED: usize = 20;
const ASK_INTERVAL: Duration = Duration::from_millis(50);
/// How long a client tries to send.
const PATIENCE: Duration = Duration::from_secs(5);

/// Large bodies from clients that nobody knows, all but their ends. They were held before their
/// signatures could be looked at, and took the room of those who sign: the victim, who may write an
/// item of 300 KB, was refused.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Signed)?;
    let requests = endpoint.requests;
    let sent = vec![b' '; LARGE_BYTES];
    round.attack_endpoint(&mut endpoint, |until| {
        let large_are_sent = Barrier::new(CLIENTS);
        let (all_are_sent, is_asked) = (Barrier::new(CLIENTS + 1), Barrier::new(CLIENTS + 1));
        let hold = |index: usize| {
            let bytes = if index < LARGE_CLIENTS { LARGE_BYTES } else { SMALL_BYTES };
            let sent = sent.get(..bytes).unwrap_or_default();
            let large = (index < LARGE_CLIENTS).then(|| send_most(requests, sent, index));
            large_are_sent.wait();
            let small = (index >= LARGE_CLIENTS).then(|| send_most(requests, sent, index));
            all_are_sent.wait();
            is_asked.wait();
            drop((large, small));
        };
        std::thread::scope(|scope| {
            scope.spawn(|| crowd(CLIENTS, hold));
            all_are_sent.wait();
            until.wait();
            // What was sent may be on its way still, so the victim asks several times.
            let asked = (0..ASKED).try_for_each(|_| {
                std::thread::sleep(ASK_INTERVAL);
                victim::put_large(requests)
            });
            is_asked.wait();
            asked
        })
    })
}

/// Sends a part of a body, with a wrong signature or without one. Whatever the server does not take
/// is a way to hold this off.
fn send_most(requests: Requests, sent: &[u8], index: usize) -> Option<Connection> {
    let headers = match index % 2 {
        0 => String::new(),
        _ => wrong_signature("host;x-amz-date;x-amz-target"),
    };
    let head = requests.head("PutItem", BODY_BYTES, &headers);
    let mut connection = Connection::open(requests.address, PATIENCE).ok()?;
    connection.send(head.as_bytes()).and_then(|()| connection.send(sent)).ok()?;
    Some(connection)
}
