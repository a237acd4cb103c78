//! Retry policy.

use crate::random::Random;
use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use std::time::{Duration, SystemTime};

/// How often a request is sent, and the delay in between.
///
/// Only GET and [`idempotent`](super::OutboundRequest::idempotent) requests are retried, after
/// failed connections, timeouts, and the statuses 429, 502, 503 and 504. The delay doubles with
/// every attempt, with a jitter of up to half of it. `Retry-After` overrides it; if that exceeds
/// `wait_max`, the response is returned at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Maximum number of attempts.
    pub attempts_max: u32,
    /// The delay after the first attempt.
    pub wait_first: Duration,
    /// The longest delay.
    pub wait_max: Duration,
}

impl Retry {
    /// A single attempt.
    #[must_use]
    pub const fn none() -> Self {
        Self::times(1)
    }

    /// This many attempts, with delays from 200 ms to 10 s.
    #[must_use]
    pub const fn times(attempts_max: u32) -> Self {
        Self {
            attempts_max,
            wait_first: Duration::from_millis(200),
            wait_max: Duration::from_secs(10),
        }
    }

    /// The delay after this many attempts; `None` to give up. `asked` is the service's
    /// `Retry-After`.
    pub(super) fn wait(&self, attempts: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempts >= self.attempts_max {
            return None;
        }
        if let Some(asked) = asked {
            return (asked <= self.wait_max).then_some(asked);
        }
        let doubled = self.wait_first.saturating_mul(1 << (attempts - 1).min(16));
        let most = doubled.min(self.wait_max);
        // Without randomness, no jitter.
        let [random] = Random::new().bytes().unwrap_or_default();
        Some(most / 2 + most / 2 * u32::from(random) / 255)
    }
}

/// Whether a retry may have another outcome.
pub(super) fn is_worth_retrying(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The delay in `Retry-After`: seconds, or a date.
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
