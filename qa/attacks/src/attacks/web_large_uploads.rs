use crate::crowd::{crowd, trickle};
use crate::http::Connection;
use crate::round::Round;
use crate::web_victim::token_of;
use std::net::SocketAddr;
use std::time::Duration;

/// How many upload large files, how many slowly, and how many without being signed in.
const LARGE: usize = 24;
const SLOW: usize = 100;
const UNSIGNED: usize = 8;
/// How long somebody waits who was refused.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// How much the server reads of a file at most.
const BYTES: usize = 16 << 20;
const PIECE_BYTES: usize = 64 << 10;
/// How large the files are said to be that come a byte at a time: they shall not take all the room.
const SLOW_BYTES: usize = 1 << 20;

/// Files that never end: large ones of people who are signed in, ones that come a byte at a time, and
/// large ones of nobody, of which nothing but the head should be read.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let token = token_of(address, r#"{"name":"Eve","groups":[]}"#)?;
    let mut sent_by_nobody = Vec::new();
    round.attack_pages(&mut server, |until| {
        let authorization = format!("Authorization: Bearer {token}\r\n");
        let signed = head(address, &authorization, BYTES);
        let slow = head(address, &authorization, SLOW_BYTES);
        let piece = vec![0; PIECE_BYTES];
        // Says how much was sent on one connection at most.
        let large = |head: &[u8]| {
            let mut most = 0;
            while !until.is_over() {
                let Ok(mut connection) = Connection::open(address, until.rest()) else { continue };
                let mut is_open = connection.send(head).is_ok();
                let mut sent = 0;
                // The last piece is never sent.
                while is_open && sent + PIECE_BYTES < BYTES && !until.is_over() {
                    is_open = connection.send(&piece).is_ok();
                    sent += usize::from(is_open) * PIECE_BYTES;
                }
                most = most.max(sent);
                match is_open {
                    true => until.wait(),
                    false => std::thread::sleep(RETRY_PAUSE),
                }
            }
            most
        };
        std::thread::scope(|scope| {
            scope.spawn(|| trickle(address, SLOW, &slow, until));
            scope.spawn(|| crowd(LARGE, |_| large(&signed)));
            let unsigned = head(address, "", BYTES);
            sent_by_nobody = crowd(UNSIGNED, |_| large(&unsigned));
        });
        Ok(())
    })?;
    let most = sent_by_nobody.iter().max().copied().unwrap_or_default();
    round.check(most < BYTES / 2, || format!("{} MB of nobody were read", most >> 20));
    round.note(format!("at most {} KB of somebody who is not signed in", most >> 10));
    Ok(())
}

/// The head of an upload. `headers` are whole lines.
pub(super) fn head(address: SocketAddr, headers: &str, bytes: usize) -> Vec<u8> {
    format!(
        "PUT /fus/v1/me/avatar HTTP/1.1\r\nHost: {address}\r\n{headers}\
         Content-Type: image/png\r\nContent-Length: {bytes}\r\n\r\n"
    )
    .into_bytes()
}
