//! Frames of HTTP/2, made by hand so that they can be wrong.

use crate::dynamodb::Requests;
use crate::http::Connection;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Types of frames.
pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const WINDOW_UPDATE: u8 = 8;
/// Flags of frames.
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
/// The HTTP/2 setting for the flow-control window of a stream.
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;
/// The default maximum frame size.
const FRAME_BYTES_MAX: usize = 16_384;

/// A frame of any type.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
    let mut frame = length.iter().skip(1).copied().collect::<Vec<u8>>();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

pub(crate) fn data(stream: u32, bytes: &[u8], flags: u8) -> Vec<u8> {
    let mut frames = Vec::new();
    let mut rest = bytes;
    loop {
        let (piece, after) = rest.split_at(rest.len().min(FRAME_BYTES_MAX));
        let is_last = after.is_empty();
        frames.extend(frame(DATA, if is_last { flags } else { 0 }, stream, piece));
        if is_last {
            return frames;
        }
        rest = after;
    }
}

pub(crate) fn headers(stream: u32, block: &[u8], flags: u8) -> Vec<u8> {
    frame(HEADERS, flags, stream, block)
}

pub(crate) fn priority(stream: u32, depends_on: u32) -> Vec<u8> {
    let mut payload = depends_on.to_be_bytes().to_vec();
    payload.push(16);
    frame(2, 0, stream, &payload)
}

pub(crate) fn rst_stream(stream: u32) -> Vec<u8> {
    const CANCEL: u32 = 8;
    frame(RST_STREAM, 0, stream, &CANCEL.to_be_bytes())
}

pub(crate) fn settings(values: &[(u16, u32)]) -> Vec<u8> {
    let entry = |(id, value): &(u16, u32)| {
        let mut entry = id.to_be_bytes().to_vec();
        entry.extend(value.to_be_bytes());
        entry
    };
    frame(4, 0, 0, &values.iter().flat_map(entry).collect::<Vec<u8>>())
}

pub(crate) fn ping() -> Vec<u8> {
    frame(6, 0, 0, b"attacker")
}

pub(crate) fn window_update(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

pub(crate) fn continuation(stream: u32, block: &[u8], flags: u8) -> Vec<u8> {
    frame(9, flags, stream, block)
}

/// A block of headers, each as a literal that is not indexed.
pub(crate) fn block<'f>(fields: impl IntoIterator<Item = (&'f str, &'f str)>) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        push_text(&mut block, name);
        push_text(&mut block, value);
    }
    block
}

/// The block of a request to the endpoint.
pub(crate) fn request_block(requests: &Requests, operation: &str) -> Vec<u8> {
    let fields = requests.fields(operation);
    block(fields.iter().map(|(name, value)| (*name, value.as_str())))
}

/// A whole request to the endpoint.
pub(crate) fn request(requests: &Requests, stream: u32, operation: &str, body: &[u8]) -> Vec<u8> {
    let mut frames = headers(stream, &request_block(requests, operation), END_HEADERS);
    frames.extend(data(stream, body, END_STREAM));
    frames
}

/// The beginning of a connection with these settings, followed by `rest`.
pub(crate) fn preface(values: &[(u16, u32)], rest: &[u8]) -> Vec<u8> {
    // The last one acknowledges the server's settings, as it expects.
    [PREFACE, &settings(values), &frame(4, 1, 0, &[]), rest].concat()
}

/// A connection with these settings.
pub(crate) fn open(
    address: SocketAddr,
    values: &[(u16, u32)],
    patience: Duration,
) -> io::Result<Connection> {
    let mut connection = Connection::open(address, patience)?;
    connection.send(&preface(values, &[]))?;
    Ok(connection)
}

/// A frame that was received.
pub(crate) struct Received {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

/// Removes the first frame from the buffer, if it is complete.
pub(crate) fn take_frame(received: &mut Vec<u8>) -> Option<Received> {
    const HEAD_BYTES: usize = 9;
    let &[a, b, c, kind, flags, s0, s1, s2, s3] = received.first_chunk::<HEAD_BYTES>()?;
    let end = HEAD_BYTES + u32::from_be_bytes([0, a, b, c]) as usize;
    let payload = received.get(HEAD_BYTES..end)?.to_vec();
    received.drain(..end);
    Some(Received { kind, flags, stream: u32::from_be_bytes([s0, s1, s2, s3]), payload })
}

/// A string without Huffman coding, after its length in seven bits and what does not fit there.
fn push_text(block: &mut Vec<u8>, text: &str) {
    const PREFIX_MAX: usize = 127;
    if text.len() < PREFIX_MAX {
        block.push(text.len() as u8);
    } else {
        block.push(PREFIX_MAX as u8);
        let mut rest = text.len() - PREFIX_MAX;
        while rest >= 128 {
            block.push((rest % 128 + 128) as u8);
            rest /= 128;
        }
        block.push(rest as u8);
    }
    block.extend(text.bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_length_type_flags_and_stream() {
        let expected = [0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 8];
        assert_eq!(rst_stream(5), expected);
        let long = data(1, &[7; FRAME_BYTES_MAX + 1], END_STREAM);
        assert_eq!(long.len(), 2 * 9 + FRAME_BYTES_MAX + 1);
        assert_eq!((long[4], long[9 + FRAME_BYTES_MAX + 4]), (0, END_STREAM));
    }

    #[test]
    fn frames_are_taken_once_they_are_complete() {
        let mut received = rst_stream(5);
        received.extend(ping());
        let incomplete = received.pop();
        let first = take_frame(&mut received).unwrap();
        assert_eq!((first.kind, first.flags, first.stream), (3, 0, 5));
        assert_eq!(first.payload, [0, 0, 0, 8]);
        assert!(take_frame(&mut received).is_none());
        received.extend(incomplete);
        assert_eq!(take_frame(&mut received).unwrap().payload, b"attacker");
        assert!(received.is_empty());
    }

    #[test]
    fn lengths_are_integers_of_hpack() {
        let mut block = Vec::new();
        push_text(&mut block, "ab");
        assert_eq!(block, [2, b'a', b'b']);
        block.clear();
        push_text(&mut block, &"x".repeat(1337 + 127));
        // The example of RFC 7541, C.1.2, with a prefix of seven bits.
        assert_eq!(block.get(..3), Some(&[127, 185, 10][..]));
    }
}
