//! An attacker that has many requests under way on one HTTP/2 connection, all the time.

use crate::dynamodb::Requests;
use crate::frames::{self, DATA, END_STREAM, HEADERS, RST_STREAM, WINDOW_UPDATE};
use crate::http::PATIENCE;
use crate::load::Outcome;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long a read may block before it checks whether the attack is over.
const READ_PAUSE: Duration = Duration::from_millis(20);
/// The window of a new connection.
const FIRST_WINDOW_BYTES: usize = 65_535;
/// The window for the server's answers, which are small.
const OWN_WINDOW_BYTES: u32 = 1 << 30;

/// Keeps `count` requests in flight until `is_over`. Refused ones are replaced at once.
pub(crate) fn keep_in_flight(
    requests: &Requests,
    (operation, body): (&str, &[u8]),
    count: u32,
    is_over: impl Fn() -> bool,
) -> Outcome {
    let mut outcome = Outcome::default();
    while !is_over() {
        let Ok(connection) = frames::open(requests.address, &[], PATIENCE) else { continue };
        let mut attacker = Attacker {
            stream: connection.into_stream(),
            received: Vec::new(),
            next: 1,
            under_way: 0,
            window_bytes: FIRST_WINDOW_BYTES,
        };
        // A connection that is closed is a way to hold this off. Then another one comes.
        let _ = attacker.stream.set_read_timeout(Some(READ_PAUSE));
        let _ = attacker.stream.write_all(&frames::window_update(0, OWN_WINDOW_BYTES));
        while !is_over()
            && attacker.fill(requests, (operation, body), count).is_ok()
            && attacker.receive(&mut outcome).is_ok()
        {}
    }
    outcome
}

struct Attacker {
    stream: TcpStream,
    received: Vec<u8>,
    /// The stream of the next request.
    next: u32,
    under_way: u32,
    /// How many bytes of bodies the server allows.
    window_bytes: usize,
}

impl Attacker {
    /// Sends requests until there are enough, or their bodies have no room.
    fn fill(
        &mut self,
        requests: &Requests,
        (operation, body): (&str, &[u8]),
        count: u32,
    ) -> std::io::Result<()> {
        while self.under_way < count && self.window_bytes >= body.len() {
            self.stream.write_all(&frames::request(requests, self.next, operation, body))?;
            self.next += 2;
            self.under_way += 1;
            self.window_bytes -= body.len();
        }
        Ok(())
    }

    /// Reads available bytes and counts answers.
    fn receive(&mut self, outcome: &mut Outcome) -> std::io::Result<()> {
        let mut bytes = [0; 16 << 10];
        match self.stream.read(&mut bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(length) => self.received.extend(bytes.iter().take(length)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
        while let Some(frame) = frames::take_frame(&mut self.received) {
            let is_end = matches!(frame.kind, DATA | HEADERS) && frame.flags & END_STREAM != 0;
            if is_end || frame.kind == RST_STREAM {
                self.under_way = self.under_way.saturating_sub(1);
            }
            match (frame.kind, frame.stream) {
                (DATA, _) if frame.payload.is_empty() => {}
                // That is how errors begin.
                (DATA, _) if frame.payload.starts_with(br#"{"__type""#) => {
                    outcome.refused += 1;
                    outcome.refusal.get_or_insert_with(|| {
                        String::from_utf8_lossy(&frame.payload).chars().take(120).collect()
                    });
                }
                (DATA, _) => outcome.succeeded += 1,
                (RST_STREAM, _) => outcome.refused += 1,
                (WINDOW_UPDATE, 0) => {
                    let bytes =
                        frame.payload.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
                    self.window_bytes += bytes;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
