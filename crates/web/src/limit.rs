//! How often a caller may ask: a bucket of tokens for each, that fills again with time.

use crate::problem::{Problem, RATE_LIMITED};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many callers are told apart. At 64 bytes a bucket this is 8 MB with both generations. What
/// comes beyond shares one bucket, so that a flood of addresses exhausts that one and not our
/// memory, and callers who are known already notice nothing.
pub const CALLERS_MAX: usize = 65_536;

/// How often a caller may ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// How many requests a second are sustained.
    pub per_second: f64,
    /// How many may come at once.
    pub burst: f64,
}

/// Counts the requests of callers, and refuses those that come too fast.
///
/// ```
/// use singlet_web::limit::{Limiter, Rate};
/// use std::time::{Duration, Instant};
///
/// let limiter = Limiter::new(Rate { per_second: 1.0, burst: 2.0 });
/// let now = Instant::now();
/// assert!(limiter.take(&"Ann", now).is_ok());
/// assert!(limiter.take(&"Ann", now).is_ok());
/// assert!(limiter.take(&"Ann", now).is_err());
/// assert!(limiter.take(&"Bob", now).is_ok());
/// assert!(limiter.take(&"Ann", now + Duration::from_secs(1)).is_ok());
/// ```
pub struct Limiter<C> {
    rate: Rate,
    callers_max: usize,
    buckets: Mutex<Buckets<C>>,
}

/// Buckets in two generations. A bucket that nobody has touched for as long as it takes to fill
/// is full, and a full one is as good as none: so the older generation can be forgotten as a
/// whole, and nothing has to be searched.
struct Buckets<C> {
    young: HashMap<C, Bucket>,
    old: HashMap<C, Bucket>,
    turned: Option<Instant>,
    /// For those who find no room.
    shared: Bucket,
}

/// The tokens of one caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    tokens: f64,
    /// When the tokens were counted; `None` for a bucket that was never used and is full.
    counted: Option<Instant>,
}

impl<C: Clone + Eq + Hash> Limiter<C> {
    /// Nobody has asked yet.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self::with_callers_max(rate, CALLERS_MAX)
    }

    fn with_callers_max(rate: Rate, callers_max: usize) -> Self {
        let buckets = Buckets {
            young: HashMap::new(),
            old: HashMap::new(),
            turned: None,
            shared: Bucket::full(rate),
        };
        Self { rate, callers_max, buckets: Mutex::new(buckets) }
    }

    /// Counts a request.
    ///
    /// # Errors
    ///
    /// How long to wait, if there were too many.
    pub fn take(&self, caller: &C, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let Buckets { young, old, turned, shared } = &mut *buckets;
        let fill_time = Duration::from_secs_f64(self.rate.burst / self.rate.per_second);
        if turned.is_none_or(|turned| now.saturating_duration_since(turned) > fill_time) {
            *old = std::mem::take(young);
            *turned = Some(now);
        }
        if let Some(bucket) = young.get_mut(caller) {
            return bucket.take(self.rate, now);
        }
        if young.len() >= self.callers_max {
            return shared.take(self.rate, now);
        }
        let mut bucket = old.remove(caller).unwrap_or(Bucket::full(self.rate));
        let taken = bucket.take(self.rate, now);
        young.insert(caller.clone(), bucket);
        taken
    }

    /// Like [`Limiter::take`], with an answer for the caller.
    ///
    /// # Errors
    ///
    /// The problem that says when to come back.
    pub fn check(&self, caller: &C, now: Instant) -> Result<(), Problem> {
        self.take(caller, now).map_err(|wait| Problem::new(&RATE_LIMITED).retry_after(wait))
    }
}

impl Bucket {
    pub(crate) fn full(rate: Rate) -> Self {
        Self { tokens: rate.burst, counted: None }
    }

    pub(crate) fn take(&mut self, rate: Rate, now: Instant) -> Result<(), Duration> {
        let since = self.counted.map_or(Duration::ZERO, |then| now.saturating_duration_since(then));
        self.tokens = (self.tokens + since.as_secs_f64() * rate.per_second).min(rate.burst);
        self.counted = Some(now);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            Ok(())
        } else {
            Err(Duration::from_secs_f64((1.0 - self.tokens) / rate.per_second))
        }
    }
}

/// What one caller asks for, over whichever of its connections: every request and every message on a
/// socket counts. Clones are one account.
#[derive(Clone)]
pub(crate) struct Account {
    limiter: Arc<Limiter<IpAddr>>,
    caller: IpAddr,
}

impl Account {
    /// The account of who is at this address, if there is a limit for it.
    pub(crate) fn of(address: IpAddr, limiter: Option<&Arc<Limiter<IpAddr>>>) -> Option<Self> {
        Some(Self { limiter: Arc::clone(limiter?), caller: counted(address)? })
    }

    /// Counts one thing that is asked for, or refuses it.
    pub(crate) fn charge(&self) -> Result<(), Problem> {
        self.limiter.check(&self.caller, Instant::now())
    }
}

/// The part of an address that stands for one caller. One network card can have all the
/// addresses of an IPv6 network of 64 bits, so that network is the caller.
#[must_use]
pub fn caller_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

/// The caller at this address, if there is a limit for it. For this machine itself there is none:
/// who runs programs here can stop the server without asking it, and a proxy that runs here speaks
/// for many callers, whom it has to limit itself.
pub(crate) fn counted(address: IpAddr) -> Option<IpAddr> {
    (!address.to_canonical().is_loopback()).then(|| caller_of(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { per_second: 10.0, burst: 5.0 };

    #[test]
    fn over_time_a_caller_gets_the_rate_and_no_more() {
        let limiter = Limiter::new(RATE);
        let start = Instant::now();
        // Asks every millisecond for ten seconds.
        let taken = (0..10_000)
            .filter(|ms| limiter.take(&"Ann", start + Duration::from_millis(*ms)).is_ok())
            .count();
        assert!((104..=105).contains(&taken), "{taken}");
    }

    #[test]
    fn waiting_as_long_as_was_said_is_enough() {
        let limiter = Limiter::new(RATE);
        let mut now = Instant::now();
        for _ in 0..100 {
            if let Err(wait) = limiter.take(&"Ann", now) {
                now += wait + Duration::from_nanos(1);
                assert_eq!(limiter.take(&"Ann", now), Ok(()));
            }
        }
    }

    #[test]
    fn a_flood_of_callers_fills_no_memory_and_hurts_nobody_known() {
        let limiter = Limiter::with_callers_max(RATE, 100);
        let now = Instant::now();
        assert_eq!(limiter.take(&0, now), Ok(()));
        let taken = (1..100_000).filter(|caller| limiter.take(caller, now).is_ok()).count();
        assert_eq!(taken, 99 + RATE.burst as usize);
        assert_eq!(limiter.take(&0, now), Ok(()));
        let buckets = limiter.buckets.lock().unwrap();
        assert!(buckets.young.len() + buckets.old.len() <= 200);
    }

    #[test]
    fn who_waits_long_is_forgotten_and_who_does_not_is_remembered() {
        let limiter = Limiter::new(RATE);
        let start = Instant::now();
        for _ in 0..5 {
            assert_eq!(limiter.take(&"Ann", start), Ok(()));
        }
        // The generations turn after half a second, at which Ann's bucket is full again.
        for ms in [501, 502] {
            let _ = limiter.take(&"Bob", start + Duration::from_millis(ms));
        }
        let _ = limiter.take(&"Bob", start + Duration::from_millis(1100));
        let buckets = limiter.buckets.lock().unwrap();
        assert!(!buckets.young.contains_key("Ann") && !buckets.old.contains_key("Ann"));
        assert!(buckets.young.contains_key("Bob"));
    }

    #[test]
    fn a_network_is_one_caller() {
        let caller = |address: &str| caller_of(address.parse().unwrap());
        assert_eq!(caller("2001:db8::1"), caller("2001:db8::ffff:1"));
        assert_ne!(caller("2001:db8:0:1::1"), caller("2001:db8::1"));
        assert_eq!(caller("::ffff:192.0.2.1"), caller("192.0.2.1"));
    }
}
