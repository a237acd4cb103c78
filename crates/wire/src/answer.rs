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

/// Answers up to this length are not counted as held: there cannot be more of them than there are
/// connections.
const SMALL_ANSWER_MAX: usize = 64 << 10;

/// How long an id is, and what it is written with: the service's ids are numbers of 260 bits.
const ID_LEN: usize = 52;
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BITS_PER_DIGIT: u32 = 5;

/// Where the ids of requests come from: they must differ, but may be guessed.
#[derive(Debug)]
pub(crate) struct RequestIds {
    seed: RandomState,
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        Self { seed: RandomState::new(), next: AtomicU64::new(0) }
    }

    /// The next id, as the value of a header.
    pub(crate) fn next(&self) -> HeaderValue {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = [b'0'; ID_LEN];
        for (place, part) in id.chunks_mut(ID_LEN / 4).enumerate() {
            // 13 digits take 65 bits, so that the last one of each part shows only the rest of 64.
            let mut bits = self.seed.hash_one((number, place));
            for digit in part {
                *digit = DIGITS.get(bits as usize % DIGITS.len()).copied().unwrap_or(b'0');
                bits >>= BITS_PER_DIGIT;
            }
        }
        HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("0"))
    }
}

/// An answer in DynamoDB's JSON. A large one counts as held until the client has taken it.
pub(crate) fn json(
    json: Vec<u8>,
    kind: HeaderValue,
    id: HeaderValue,
    admission: &Admission,
) -> Response<Body> {
    let bytes = if json.len() <= SMALL_ANSWER_MAX {
        json.into()
    } else {
        let mut held = admission.held();
        // What is done cannot be taken back. If this is too much, others are refused.
        held.add(json.len());
        Bytes::from_owner(HeldBytes { bytes: json, _held: held })
    };
    finish(StatusCode::OK, kind, bytes, id)
}

/// An answer that says why the request was refused.
pub(crate) fn error(error: &Error, kind: HeaderValue, id: HeaderValue) -> Response<Body> {
    let mut writer = Writer::new();
    error.write_json(&mut writer);
    let status =
        StatusCode::from_u16(error.kind().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    finish(status, kind, writer.into_bytes().into(), id)
}

/// An answer that says why what came is no request.
pub(crate) fn rejection(rejection: Rejection, id: HeaderValue) -> Response<Body> {
    finish(rejection.status(), TEXT, Bytes::from_static(rejection.text().as_bytes()), id)
}

/// An answer for people, and for what watches over services.
pub(crate) fn text(body: impl Into<Bytes>, id: HeaderValue) -> Response<Body> {
    finish(StatusCode::OK, TEXT, body.into(), id)
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

    #[test]
    fn the_checksum_is_that_of_the_body() {
        // What the service sends with these bodies, as its clients have recorded it.
        let checksum = |response: Response<Body>| response.headers()[CHECKSUM].clone();
        let id = RequestIds::new().next();
        let unknown = Error::new(ErrorKind::UnknownOperation);
        assert_eq!(checksum(error(&unknown, JSON_1_0, id.clone())), "1368724161");
        let unsigned = Error::new(ErrorKind::MissingAuthenticationToken);
        assert_eq!(checksum(error(&unsigned, JSON, id.clone())), "2088342776");
        assert_eq!(checksum(rejection(Rejection::NoOperation, id)), "3552371480");
    }

    #[test]
    fn large_answers_count_until_they_are_gone() {
        let admission = Admission::new(&Limits::default());
        let id = RequestIds::new().next();
        let small = json(vec![b' '; SMALL_ANSWER_MAX], JSON, id.clone(), &admission);
        assert_eq!(admission.held_bytes(), 0);
        let large = json(vec![b' '; SMALL_ANSWER_MAX + 1], JSON, id, &admission);
        assert_eq!(admission.held_bytes(), SMALL_ANSWER_MAX + 1);
        drop((small, large));
        assert_eq!(admission.held_bytes(), 0);
    }
}
