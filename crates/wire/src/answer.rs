//! Answers as they go over the wire: status, headers, body.

use crate::body::Body;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use singlet_dynamo::Error;
use singlet_dynamo::json::Writer;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CHECKSUM: HeaderName = HeaderName::from_static("x-amz-crc32");
const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// How long an id is, and what it is written with: the service's ids are numbers of 260 bits.
const ID_LEN: usize = 52;
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";

/// Where the ids of requests come from: they must differ, but nobody need be unable to guess them.
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
        // The counter makes ids differ within a process, the seed between processes.
        let mut words = [number, self.seed.hash_one(number)].into_iter().cycle();
        let mut id = [b'0'; ID_LEN];
        for part in id.chunks_mut(13) {
            let mut word = words.next().unwrap_or_default().rotate_left(part.len() as u32);
            for digit in part {
                *digit = DIGITS.get((word & 31) as usize).copied().unwrap_or(b'0');
                word >>= 5;
            }
        }
        HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("0"))
    }
}

/// An answer in DynamoDB's JSON.
pub(crate) fn json(status: StatusCode, body: Vec<u8>, id: HeaderValue) -> Response<Body> {
    finish(status, JSON, body.into(), id)
}

/// An answer that says why the request was refused.
pub(crate) fn error(error: &Error, id: HeaderValue) -> Response<Body> {
    let mut writer = Writer::new();
    error.write_json(&mut writer);
    let status =
        StatusCode::from_u16(error.kind().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    json(status, writer.into_bytes(), id)
}

/// An answer for people and for what watches over services.
pub(crate) fn text(status: StatusCode, body: impl Into<Bytes>, id: HeaderValue) -> Response<Body> {
    finish(status, TEXT, body.into(), id)
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
        // What the service sends with this body, as its clients have recorded it.
        let body = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
        let response = json(StatusCode::BAD_REQUEST, body.into(), RequestIds::new().next());
        assert_eq!(response.headers()[CHECKSUM], "1368724161");
    }
}
