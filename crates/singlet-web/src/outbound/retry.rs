//! When to ask again.

use crate::random::Random;
use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use std::time::{Duration, SystemTime};

/// How often a request is sent, and how long to wait in between.
///
/// Only requests that may be repeated are: GET, and those that are
/// [`idempotent`](super::OutboundRequest::idempotent). Worth another attempt are failed
/// connections, timeouts, and the statuses 429, 502, 503 and 504. The wait doubles with every
/// attempt, and is random between half of that and all of it. If the service names a time in
/// `Retry-After`, that is waited instead; if it is longer than `wait_max`, the answer is returned
/// at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often the request is sent at most.
    pub attempts_max: u32,
    /// The wait after the first attempt.
    pub wait_first: Duration,
    /// The longest wait.
    pub wait_max: Duration,
}

impl Retry {
    /// One attempt.
    #[must_use]
    pub const fn none() -> Self {
        Self::times(1)
    }

    /// So many attempts, with waits from 200 ms to 10 s.
    #[must_use]
    pub const fn times(attempts_max: u32) -> Self {
        Self {
            attempts_max,
            wait_first: Duration::from_millis(200),
            wait_max: Duration::from_secs(10),
        }
    }

    /// How long to wait after this many attempts; `None` to give up. `asked` is what the service
    /// asked for.
    pub(super) fn wait(&self, attempts: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempts >= self.attempts_max {
            return None;
        }
        if let Some(asked) = asked {
            return (asked <= self.wait_max).then_some(asked);
        }
        let doubled = self.wait_first.saturating_mul(1 << (attempts - 1).min(16));
        let most = doubled.min(self.wait_max);
        // Without randomness everybody waits equally long.
        let [random] = Random::new().bytes().unwrap_or_default();
        Some(most / 2 + most / 2 * u32::from(random) / 255)
    }
}

/// Whether another attempt may have another outcome.
pub(super) fn is_worth_retrying(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The wait that the service asks for: seconds, or a date.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;
    use std::time::UNIX_EPOCH;

    #[test]
    fn waits_double_up_to_their_bound() {
        let retry = Retry::times(20);
        for (attempts, most_ms) in [(1, 200), (2, 400), (3, 800), (7, 10_000), (19, 10_000)] {
            for _ in 0..50 {
                let wait = retry.wait(attempts, None).unwrap().as_millis();
                assert!((most_ms / 2..=most_ms).contains(&wait), "{attempts} {wait}");
            }
        }
        assert_eq!(retry.wait(20, None), None);
        assert_eq!(Retry::none().wait(1, None), None);
    }

    #[test]
    fn the_service_names_the_wait() {
        let seconds = Duration::from_secs;
        let retry = Retry::times(2);
        assert_eq!(retry.wait(1, Some(seconds(3))), Some(seconds(3)));
        assert_eq!(retry.wait(1, Some(seconds(11))), None);
        assert_eq!(retry.wait(2, Some(seconds(3))), None);
        let now = UNIX_EPOCH + seconds(1_767_225_600);
        for (text, wait) in [
            ("7", Some(7)),
            ("Thu, 01 Jan 2026 00:00:05 GMT", Some(5)),
            ("Wed, 31 Dec 2025 23:59:59 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
            assert_eq!(retry_after(&headers, now), wait.map(seconds), "{text}");
        }
    }
}
