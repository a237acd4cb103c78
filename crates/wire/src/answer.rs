//! Answers as they go over the wire: status, headers, body.

use crate::admission::{Admission, HeldBytes};
use crate::body::Body;
use crate::rejection::Rejection;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use singlet_dynamo::Error;
use singlet_dynamo::json::Writer;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CHECKSUM: HeaderName = HeaderName::from_static("x-amz-crc32");
/// The two names of DynamoDB's JSON. Clients get the one that they use themselves.
pub(crate) const JSON_1_0: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Over HTTP/1.1, answers up to this length are not counted as held: a connection has one at a time,
/// so that there cannot be more of them than connections. HTTP/2 has many on each.
const SMALL_ANSWER_MAX: usize = 64 << 10;

/// How long an id is, and what it is written with: the service's ids are numbers of 260 bits.
const ID_LEN: usize = 52;
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BITS_PER_DIGIT: u32 = 5;

/// Where the ids of requests come from: they must differ, but may be guessed.
#[derive(Debug)]
pub(crate) struct RequestIds {
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        // The standard library's own source of randomness: the keys of a new hasher.
        Self { next: AtomicU64::new(RandomState::new().hash_one(0_u8)) }
    }

    /// The next id, as the value of a header.
    pub(crate) fn next(&self) -> HeaderValue {
        let mut number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = [b'0'; ID_LEN];
        for part in id.chunks_mut(ID_LEN / 4) {
            // 13 digits take 65 bits, so that the last one of each part shows only the rest of 64.
            number = stirred(number);
            let mut bits = number;
            for digit in part {
                *digit = DIGITS.get(bits as usize % DIGITS.len()).copied().unwrap_or(b'0');
                bits >>= BITS_PER_DIGIT;
            }
        }
        HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("0"))
    }
}

/// Another number for each number, with no likeness to it: SplitMix64.
fn stirred(number: u64) -> u64 {
    let mut number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// How answers to one request are made: for whom, and in which words.
#[derive(Debug)]
pub(crate) struct Style<'a> {
    pub(crate) id: HeaderValue,
    /// The name of JSON that the client uses.
    pub(crate) json: HeaderValue,
    pub(crate) is_http2: bool,
    pub(crate) admission: &'a Admission,
}

impl Style<'_> {
    /// An answer in DynamoDB's JSON.
    pub(crate) fn json(self, json: Vec<u8>) -> Response<Body> {
        let bytes = self.held(json);
        finish(StatusCode::OK, self.json, bytes, self.id)
    }

    /// An answer that says why the request was refused.
    pub(crate) fn error(self, error: &Error) -> Response<Body> {
        let mut writer = Writer::new();
        error.write_json(&mut writer);
        let status = StatusCode::from_u16(error.kind().status())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // Some errors repeat what was sent, which may be long.
        let bytes = self.held(writer.into_bytes());
        finish(status, self.json, bytes, self.id)
    }

    /// An answer that says why what came is no request.
    pub(crate) fn rejection(self, rejection: Rejection) -> Response<Body> {
        let text = Bytes::from_static(rejection.text().as_bytes());
        finish(rejection.status(), TEXT, text, self.id)
    }

    /// An answer for people, and for what watches over services.
    pub(crate) fn text(self, body: impl Into<Bytes>) -> Response<Body> {
        finish(StatusCode::OK, TEXT, body.into(), self.id)
    }

    /// Bytes that count as held until the client has taken them, unless there cannot be many.
    fn held(&self, bytes: Vec<u8>) -> Bytes {
        if bytes.len() <= SMALL_ANSWER_MAX && !self.is_http2 {
            return bytes.into();
        }
        let mut held = self.admission.held();
        // What is done cannot be taken back. If this is too much, others are refused.
        held.add(bytes.len());
        Bytes::from_owner(HeldBytes { bytes, _held: held })
    }
}

/// The id of the request that this is the answer to.
pub(crate) fn id(response: &Response<Body>) -> Option<&str> {
    response.headers().get(REQUEST_ID)?.to_str().ok()
}

fn finish(status: StatusCode, kind: HeaderValue, body: Bytes, id: HeaderValue) -> Response<Body> {
    let checksum = crc32fast::hash(&body);
    let mut response = Response::new(Body::from(body));
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
    use crate::limits::Limits;
    use singlet_dynamo::ErrorKind;
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

    fn style(admission: &Admission) -> Style<'_> {
        Style { id: RequestIds::new().next(), json: JSON, is_http2: false, admission }
    }

    #[test]
    fn the_checksum_is_that_of_the_body() {
        // What the service sends with these bodies, as its clients have recorded it.
        let admission = Admission::new(&Limits::default());
        let checksum = |response: Response<Body>| response.headers()[CHECKSUM].clone();
        let unknown = Error::new(ErrorKind::UnknownOperation);
        assert_eq!(checksum(style(&admission).error(&unknown)), "1368724161");
        let unsigned = Error::new(ErrorKind::MissingAuthenticationToken);
        assert_eq!(checksum(style(&admission).error(&unsigned)), "2088342776");
        assert_eq!(checksum(style(&admission).rejection(Rejection::NoOperation)), "3552371480");
    }

    #[test]
    fn large_answers_count_until_they_are_gone() {
        let admission = Admission::new(&Limits::default());
        let small = style(&admission).json(vec![b' '; SMALL_ANSWER_MAX]);
        assert_eq!(admission.held_bytes(), 0);
        let large = style(&admission).json(vec![b' '; SMALL_ANSWER_MAX + 1]);
        assert_eq!(admission.held_bytes(), SMALL_ANSWER_MAX + 1);
        drop((small, large));
        assert_eq!(admission.held_bytes(), 0);
        let of_many = Style { is_http2: true, ..style(&admission) }.json(vec![b' ']);
        assert_eq!(admission.held_bytes(), 1);
        drop(of_many);
    }
}
