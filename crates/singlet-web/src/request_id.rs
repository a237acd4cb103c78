//! Request ids, for finding a request in the log.

use crate::random::Random;
use axum::http::HeaderMap;
use axum::http::header::{HeaderName, HeaderValue};

/// Carries the id, both ways.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Longer ids are ignored, to keep the log small.
const BYTES_MAX: usize = 64;

/// The id of a request: from the caller or a proxy, or generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The id in the request headers, if it is safe to log; otherwise a new one.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(HEADER).filter(|given| {
            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
            (1..=BYTES_MAX).contains(&given.len()) && given.as_bytes().iter().all(is_plain)
        });
        given.cloned().map_or_else(Self::random, Self)
    }

    fn random() -> Self {
        // Not a secret. Without randomness ids repeat, but requests are still answered.
        let bytes = Random::new().bytes().unwrap_or_default();
        let id = format!("{:032x}", u128::from_be_bytes(bytes));
        Self(HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("0")))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// The id as a header value.
    #[must_use]
    pub fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(given: &[u8]) -> RequestId {
        RequestId::of(&HeaderMap::from_iter([(HEADER, HeaderValue::from_bytes(given).unwrap())]))
    }

    #[test]
    fn a_plain_id_is_kept() {
        assert_eq!(of(b"Root-1.2_3").as_str(), "Root-1.2_3");
    }

    #[test]
    fn what_could_confuse_a_log_is_replaced() {
        for bad in [&b""[..], b"a b", b"a\"b", &[0xe4], &[b'a'; BYTES_MAX + 1]] {
            assert_eq!(of(bad).as_str().len(), 32, "{bad:?}");
        }
        assert_ne!(RequestId::of(&HeaderMap::new()), RequestId::of(&HeaderMap::new()));
    }
}
