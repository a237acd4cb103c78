use crate::crowd::{crowd, flood};
use crate::http::Connection;
use crate::round::Round;
use crate::web_victim::{create_game, open_socket};

const SOCKETS: usize = 20;
const BYTES_MAX: usize = 16 << 20;

/// Sockets that send as fast as they can: messages, pings, and messages that never end. Whoever
/// sends more than anybody can click is cut off.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let game = create_game(address)?;
    let mut sent = Vec::new();
    round.attack_pages(&mut server, |until| {
        let floods = crowd(SOCKETS, |index| {
            let stream = open_socket(address, &game.code)?;
            let frames = match index % 3 {
                0 => frame(0x81, br#"{"type":"ping"}"#).repeat(100),
                1 => frame(0x89, b"attack").repeat(100),
                // A fragment that is not the last one, and what continues it.
                _ => [frame(0x01, b"{\"a\":\""), frame(0x00, &[b'a'; 100]).repeat(1000)].concat(),
            };
            let connection = Connection::of(stream);
            flood(connection, index % 2 == 0, BYTES_MAX, until, || frames.clone())
                .map_err(|error| error.to_string())
        });
        sent = floods.into_iter().collect::<Result<Vec<usize>, String>>()?;
        Ok(())
    })?;
    let most = sent.iter().max().copied().unwrap_or_default();
    round.check(most < BYTES_MAX, || "a socket was never cut off".to_owned());
    round.note(format!("cut off after at most {} KB", most >> 10));
    Ok(())
}

/// A frame of a client, which is masked, with zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first, 0x80 | payload.len() as u8, 0, 0, 0, 0];
    frame.extend(payload);
    frame
}
