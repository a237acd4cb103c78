//! Responses as sent: status, headers, body.

use crate::admission::SMALL_BYTES_MAX;
use crate::body::Body;
use crate::connection::Client;
use crate::rejection::Rejection;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use singlet_dynamo::json::Writer;
use singlet_dynamo::{Error, ErrorKind};
use singlet_edge::{Reservation, Transfer};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CHECKSUM: HeaderName = HeaderName::from_static("x-amz-crc32");
/// The two content types of DynamoDB's JSON. A response uses the one of its request.
pub(crate) const JSON_1_0: HeaderValue = HeaderValue::from_static(JSON_1_0_NAME);
pub(crate) const JSON_1_0_NAME: &str = "application/x-amz-json-1.0";
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Over HTTP/1.1, responses up to this size are not counted: a connection has one at a time, so the
/// connection limit bounds them. HTTP/2 has many per connection.
const UNCOUNTED_BYTES_MAX: usize = 16 << 10;

/// Length and alphabet of a request id. The service's ids are 260-bit numbers.
const ID_LEN: usize = 52;
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BITS_PER_DIGIT: u32 = 5;
/// Two digits for each 10-bit number.
const DIGIT_PAIRS: [[u8; 2]; 1024] = digit_pairs();

/// Generates request ids. They must be unique, but may be predictable.
#[derive(Debug)]
pub(crate) struct RequestIds {
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        // The keys of a new hasher: the standard library's source of randomness.
        Self { next: AtomicU64::new(RandomState::new().hash_one(0_u8)) }
    }

    /// The next id, as a header value.
    pub(crate) fn next(&self) -> HeaderValue {
        let mut number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = [b'0'; ID_LEN];
        for part in id.chunks_exact_mut(ID_LEN / 4) {
            // 13 digits are 65 bits, so the last digit of each part is constant.
            number = splitmix64(number);
            let mut bits = number;
            for pair in part.chunks_exact_mut(2) {
                let digits = DIGIT_PAIRS.get(bits as usize % DIGIT_PAIRS.len());
                pair.copy_from_slice(digits.unwrap_or(&[b'0'; 2]));
                bits >>= 2 * BITS_PER_DIGIT;
            }
        }
        HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("0"))
    }
}

#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn digit_pairs() -> [[u8; 2]; 1024] {
    let mut pairs = [[0; 2]; 1024];
    let mut number = 0;
    while number < pairs.len() {
        pairs[number] = [DIGITS[number % DIGITS.len()], DIGITS[number / DIGITS.len()]];
        number += 1;
    }
    pairs
}

/// SplitMix64: scatters consecutive numbers.
fn splitmix64(number: u64) -> u64 {
    let mut number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// What a response takes over from its request.
#[derive(Debug)]
pub(crate) struct Style {
    pub(crate) id: HeaderValue,
    /// The content type of the request.
    pub(crate) json: HeaderValue,
    pub(crate) is_http2: bool,
}

/// An encoded body, with the room it holds until the client has received it.
#[derive(Debug)]
pub(crate) struct Written {
    bytes: Vec<u8>,
    checksum: u32,
    hold: Option<Reservation>,
}

impl Written {
    /// A body without room.
    pub(crate) fn new(mut bytes: Vec<u8>) -> Self {
        // Only the length is counted, so a large body must not have much spare capacity.
        if bytes.len() > SMALL_BYTES_MAX && bytes.capacity() > bytes.len() + bytes.len() / 2 {
            bytes.shrink_to_fit();
        }
        let checksum = crc32fast::hash(&bytes);
        Self { bytes, checksum, hold: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Attaches the room that was found for the body.
    pub(crate) fn in_room(self, hold: Reservation) -> Self {
        Self { hold: Some(hold), ..self }
    }
}

impl Style {
    /// Whether a response of this length must be counted.
    pub(crate) fn needs_room(&self, bytes: usize) -> bool {
        self.is_http2 || bytes > UNCOUNTED_BYTES_MAX
    }

    /// A response in DynamoDB's JSON.
    pub(crate) fn json(self, written: Written, client: &Client) -> Response<Body> {
        self.written(StatusCode::OK, written, client)
    }

    /// A short error response.
    pub(crate) fn error(self, error: &Error, client: &Client) -> Response<Body> {
        self.written_error(error.kind(), error_body(error), client)
    }

    /// An error response with this body.
    pub(crate) fn written_error(
        self,
        kind: ErrorKind,
        written: Written,
        client: &Client,
    ) -> Response<Body> {
        let status =
            StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.written(status, written, client)
    }

    fn written(self, status: StatusCode, written: Written, client: &Client) -> Response<Body> {
        let Written { bytes, checksum, hold } = written;
        let body = match hold {
            None => Body::from(Bytes::from(bytes)),
            Some(hold) => held(bytes, hold, client),
        };
        finish(status, self.json, body, checksum, self.id)
    }

    /// A response to something that is not a DynamoDB request.
    pub(crate) fn rejection(self, rejection: Rejection) -> Response<Body> {
        let text = Bytes::from_static(rejection.text().as_bytes());
        plain(rejection.status(), text, self.id)
    }

    /// A plain-text response, for people and monitoring.
    pub(crate) fn text(self, body: impl Into<Bytes>) -> Response<Body> {
        plain(StatusCode::OK, body.into(), self.id)
    }

    /// Like [`Style::text`], with the room it holds until the client has received it.
    pub(crate) fn held_text(
        self,
        text: Vec<u8>,
        hold: Reservation,
        client: &Client,
    ) -> Response<Body> {
        let checksum = crc32fast::hash(&text);
        finish(StatusCode::OK, TEXT, held(text, hold, client), checksum, self.id)
    }
}

/// The body of an error response.
pub(crate) fn error_body(error: &Error) -> Written {
    let mut writer = Writer::new();
    error.write_json(&mut writer);
    Written::new(writer.into_bytes())
}

/// A body whose bytes are counted and monitored until the client has received them.
fn held(bytes: Vec<u8>, hold: Reservation, client: &Client) -> Body {
    let transfer = client.activity.begin_answer(bytes.len());
    let held = HeldBytes { bytes, _hold: hold, _transfer: transfer.clone() };
    Body::watched(Bytes::from_owner(held), transfer)
}

/// Bytes being sent to a client. They stay counted until the last one is written.
struct HeldBytes {
    bytes: Vec<u8>,
    _hold: Reservation,
    _transfer: Transfer,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The request id of a response.
pub(crate) fn id(response: &Response<Body>) -> Option<&str> {
    response.headers().get(REQUEST_ID)?.to_str().ok()
}

fn plain(status: StatusCode, text: Bytes, id: HeaderValue) -> Response<Body> {
    let checksum = crc32fast::hash(&text);
    finish(status, TEXT, Body::from(text), checksum, id)
}

fn finish(
    status: StatusCode,
    kind: HeaderValue,
    body: Body,
    checksum: u32,
    id: HeaderValue,
) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    headers.insert(CHECKSUM, HeaderValue::from(checksum));
    headers.insert(CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_look_like_the_services_and_differ() {
        let ids = RequestIds::new();
        let made: HashSet<HeaderValue> = (0..1000).map(|_| ids.next()).collect();
        assert_eq!(made.len(), 1000);
        for id in made {
            assert_eq!(id.len(), ID_LEN);
            assert!(id.as_bytes().iter().all(|byte| DIGITS.contains(byte)), "{id:?}");
        }
    }

    fn style() -> Style {
        Style { id: RequestIds::new().next(), json: JSON, is_http2: false }
    }

    #[test]
    fn the_checksum_is_that_of_the_body() {
        // Checksums the service sends with these bodies, as recorded by its clients.
        let checksum = |written: Written| written.checksum;
        let unknown = Error::new(ErrorKind::UnknownOperation);
        assert_eq!(checksum(error_body(&unknown)), 1_368_724_161);
        let unsigned = Error::new(ErrorKind::MissingAuthenticationToken);
        assert_eq!(checksum(error_body(&unsigned)), 2_088_342_776);
        let rejection = style().rejection(Rejection::NoOperation);
        assert_eq!(rejection.headers()[CHECKSUM], "3552371480");
    }

    #[test]
    fn responses_a_client_can_have_many_of_need_room() {
        assert!(!style().needs_room(UNCOUNTED_BYTES_MAX));
        assert!(style().needs_room(UNCOUNTED_BYTES_MAX + 1));
        assert!(Style { is_http2: true, ..style() }.needs_room(1));
    }
}
