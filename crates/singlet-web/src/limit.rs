//! Rate limits: a token bucket per client.

use crate::api::{Argument, Operation};
use crate::problem::{INTERNAL, Problem, RATE_LIMITED};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use singlet_edge::{client_of, network_of};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of clients tracked: 8 MB at 64 bytes per bucket and two generations. Further
/// clients share one bucket, so a flood of addresses exhausts neither memory nor the buckets of
/// known clients.
pub const CLIENTS_MAX: usize = 65_536;
/// Sustained writes per second of a signed-in caller. A scorer makes about one. Without a bound,
/// one caller could fill the disk: a table with a stream keeps both images of every change for a
/// day.
pub(crate) const CHANGES_PER_SECOND_MAX: u32 = 10;
/// Burst of writes of such a caller: the import of a season, or a day's entries made offline.
pub(crate) const CHANGES_AT_ONCE_MAX: u32 = 5_000;

/// A rate limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Sustained requests per second.
    pub per_second: f64,
    /// Requests allowed at once.
    pub burst: f64,
}

/// A rate limiter per client.
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
    clients_max: usize,
    buckets: Mutex<Buckets<C>>,
}

/// Buckets in two generations. A bucket untouched for the refill time is full and can be dropped;
/// so the older generation is dropped, except for clients in debt.
struct Buckets<C> {
    young: HashMap<C, Bucket>,
    old: HashMap<C, Bucket>,
    turned: Option<Instant>,
    /// For clients over the limit of buckets.
    shared: Bucket,
}

/// The tokens of one client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    tokens: f64,
    /// When the tokens were counted; `None` for an unused, full bucket.
    counted: Option<Instant>,
}

impl<C: Clone + Eq + Hash> Limiter<C> {
    /// A limiter with full buckets.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self::with_clients_max(rate, CLIENTS_MAX)
    }

    fn with_clients_max(rate: Rate, clients_max: usize) -> Self {
        let buckets = Buckets {
            young: HashMap::new(),
            old: HashMap::new(),
            turned: None,
            shared: Bucket::full(rate),
        };
        Self { rate, clients_max, buckets: Mutex::new(buckets) }
    }

    /// Takes one token.
    ///
    /// # Errors
    ///
    /// How long to wait, if none is left.
    pub fn take(&self, client: &C, now: Instant) -> Result<(), Duration> {
        self.take_many(client, 1.0, now)
    }

    /// Takes `amount` tokens. A client with any left gets all of them and goes into debt.
    ///
    /// # Errors
    ///
    /// How long to wait, if none is left.
    pub fn take_many(&self, client: &C, amount: f64, now: Instant) -> Result<(), Duration> {
        self.with_bucket(client, now, |bucket| bucket.take_many(self.rate, amount, now))
    }

    /// Takes tokens unconditionally, for something already done.
    pub(crate) fn settle(&self, client: &C, amount: f64, now: Instant) {
        self.with_bucket(client, now, |bucket| bucket.settle(self.rate, amount, now));
    }

    /// Returns unused tokens, up to a full bucket.
    pub(crate) fn refund(&self, client: &C, amount: f64, now: Instant) {
        self.settle(client, -amount, now);
    }

    fn with_bucket<T>(&self, client: &C, now: Instant, work: impl FnOnce(&mut Bucket) -> T) -> T {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let Buckets { young, old, turned, shared } = &mut *buckets;
        let fill_time = Duration::from_secs_f64(self.rate.burst / self.rate.per_second);
        if turned.is_none_or(|turned| now.saturating_duration_since(turned) > fill_time) {
            let forgotten = std::mem::replace(old, std::mem::take(young));
            let in_debt =
                forgotten.into_iter().filter(|(_, bucket)| bucket.is_in_debt(self.rate, now));
            old.extend(in_debt.take(self.clients_max));
            *turned = Some(now);
        }
        if let Some(bucket) = young.get_mut(client) {
            return work(bucket);
        }
        if young.len() >= self.clients_max {
            return work(shared);
        }
        let mut bucket = old.remove(client).unwrap_or(Bucket::full(self.rate));
        let done = work(&mut bucket);
        young.insert(client.clone(), bucket);
        done
    }

    /// Like [`Limiter::take`], with a problem for the client.
    ///
    /// # Errors
    ///
    /// [`RATE_LIMITED`] with `Retry-After`.
    pub fn check(&self, client: &C, now: Instant) -> Result<(), Problem> {
        self.take(client, now).map_err(|wait| Problem::new(&RATE_LIMITED).retry_after(wait))
    }
}

impl Bucket {
    pub(crate) fn full(rate: Rate) -> Self {
        Self { tokens: rate.burst, counted: None }
    }

    pub(crate) fn take(&mut self, rate: Rate, now: Instant) -> Result<(), Duration> {
        self.take_many(rate, 1.0, now)
    }

    fn take_many(&mut self, rate: Rate, amount: f64, now: Instant) -> Result<(), Duration> {
        self.settle(rate, 0.0, now);
        if self.tokens >= 1.0 {
            self.tokens -= amount;
            Ok(())
        } else {
            Err(Duration::from_secs_f64((1.0 - self.tokens) / rate.per_second))
        }
    }

    fn settle(&mut self, rate: Rate, amount: f64, now: Instant) {
        self.tokens = self.tokens_at(rate, now) - amount;
        self.counted = Some(now);
    }

    fn tokens_at(&self, rate: Rate, now: Instant) -> f64 {
        let since = self.counted.map_or(Duration::ZERO, |then| now.saturating_duration_since(then));
        (self.tokens + since.as_secs_f64() * rate.per_second).min(rate.burst)
    }

    fn is_in_debt(&self, rate: Rate, now: Instant) -> bool {
        self.tokens_at(rate, now) < 0.0
    }
}

/// A caller in a [`Limiter`]. Hashed, because subjects may be long.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SubjectHash([u8; 16]);

impl SubjectHash {
    pub(crate) fn of(subject: &str) -> Self {
        let hash = ring::digest::digest(&ring::digest::SHA256, subject.as_bytes());
        // 128 bits are collision resistant enough.
        Self(hash.as_ref().first_chunk().copied().unwrap_or_default())
    }
}

/// Limits per address and per caller.
#[derive(Clone, Default)]
pub(crate) struct AddressLimits {
    /// Requests, and messages on sockets.
    pub(crate) requests: Option<Arc<Limiter<IpAddr>>>,
    /// Bytes stored by visitors.
    pub(crate) stored: Option<Arc<Limiter<IpAddr>>>,
    /// Writes of signed-in callers.
    pub(crate) changes: Option<Arc<Limiter<SubjectHash>>>,
}

/// The limits of one address across its connections. Clones share them.
///
/// An argument of functions; part of every request to a [`Server`](crate::Server).
#[derive(Clone)]
pub struct ClientLimits {
    address: IpAddr,
    network: IpAddr,
    is_limited: bool,
    limits: AddressLimits,
}

impl ClientLimits {
    pub(crate) fn new(address: IpAddr, limits: AddressLimits) -> Self {
        Self {
            address: address.to_canonical(),
            network: network_of(address),
            is_limited: client_of(address).is_some(),
            limits,
        }
    }

    /// Separate limits with this rate for stored bytes: for tests.
    #[must_use]
    pub fn with_stored_rate(address: IpAddr, stored: Rate) -> Self {
        let stored = Some(Arc::new(Limiter::new(stored)));
        Self::new(address, AddressLimits { stored, ..AddressLimits::default() })
    }

    /// The peer address; a proxy's, if there is one.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The unit of limits: the address, or the /64 network for IPv6.
    #[must_use]
    pub fn network(&self) -> IpAddr {
        self.network
    }

    /// The unit of limits; `None` for loopback, which is exempt.
    pub(crate) fn limited_network(&self) -> Option<IpAddr> {
        self.is_limited.then_some(self.network)
    }

    /// Whether the peer address is on this machine.
    pub(crate) fn is_of_this_machine(&self) -> bool {
        !self.is_limited
    }

    /// Counts a request or refuses it.
    pub(crate) fn charge(&self) -> Result<(), Problem> {
        match &self.limits.requests {
            Some(limiter) if self.is_limited => limiter.check(&self.network, Instant::now()),
            _ => Ok(()),
        }
    }

    /// Counts one unit against a system's own limit, such as games created per address. Loopback
    /// clients are exempt.
    ///
    /// # Errors
    ///
    /// [`RATE_LIMITED`] with `Retry-After`.
    pub fn charge_by(&self, limiter: &Limiter<IpAddr>) -> Result<(), Problem> {
        if self.is_limited { limiter.check(&self.network, Instant::now()) } else { Ok(()) }
    }

    /// Counts a write of this caller or refuses it. Applies to loopback as well: behind a proxy all
    /// clients are there.
    pub(crate) fn charge_change(&self, subject: &str) -> Result<(), Problem> {
        let Some(limiter) = &self.limits.changes else { return Ok(()) };
        limiter.take(&SubjectHash::of(subject), Instant::now()).map_err(|wait| {
            let detail = "You have changed as much as one caller may for now.";
            Problem::new(&RATE_LIMITED).detail(detail).retry_after(wait)
        })
    }

    /// Counts bytes about to be stored.
    ///
    /// # Errors
    ///
    /// [`RATE_LIMITED`] with `Retry-After`.
    pub fn charge_stored(&self, bytes: u64) -> Result<(), Problem> {
        let Some(limiter) = self.limits.stored.as_ref().filter(|_| self.is_limited) else {
            return Ok(());
        };
        limiter.take_many(&self.network, bytes as f64, Instant::now()).map_err(|wait| {
            let detail = "Your address has stored as much as it may for now.";
            Problem::new(&RATE_LIMITED).detail(detail).retry_after(wait)
        })
    }
}

impl Argument for ClientLimits {
    fn describe(_: &mut Operation<'_>) {}
}

impl<S: Send + Sync> FromRequestParts<S> for ClientLimits {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| Problem::new(&INTERNAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { per_second: 10.0, burst: 5.0 };

    #[test]
    fn over_time_a_client_gets_the_rate_and_no_more() {
        let limiter = Limiter::new(RATE);
        let start = Instant::now();
        // One attempt per millisecond for ten seconds.
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
    fn a_flood_of_clients_fills_no_memory_and_hurts_nobody_known() {
        let limiter = Limiter::with_clients_max(RATE, 100);
        let now = Instant::now();
        assert_eq!(limiter.take(&0, now), Ok(()));
        let taken = (1..100_000).filter(|client| limiter.take(client, now).is_ok()).count();
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
        // Generations rotate after half a second, when Ann's bucket is full again.
        for ms in [501, 502] {
            let _ = limiter.take(&"Bob", start + Duration::from_millis(ms));
        }
        let _ = limiter.take(&"Bob", start + Duration::from_millis(1100));
        let buckets = limiter.buckets.lock().unwrap();
        assert!(!buckets.young.contains_key("Ann") && !buckets.old.contains_key("Ann"));
        assert!(buckets.young.contains_key("Bob"));
    }

    #[test]
    fn who_takes_many_at_once_waits_for_all_of_them() {
        let limiter = Limiter::new(RATE);
        let start = Instant::now();
        assert_eq!(limiter.take_many(&"Ann", 25.0, start), Ok(()));
        // A debt of 20 at ten per second, plus one token.
        let wait = limiter.take_many(&"Ann", 1.0, start).unwrap_err();
        assert_eq!(wait, Duration::from_millis(2_100));
        assert_eq!(limiter.take_many(&"Ann", 1.0, start + Duration::from_millis(2_101)), Ok(()));
        limiter.settle(&"Bob", 5.0, start);
        assert!(limiter.take(&"Bob", start).is_err());
        limiter.refund(&"Bob", 2.0, start);
        assert!(limiter.take(&"Bob", start).is_ok() && limiter.take(&"Bob", start).is_ok());
        assert!(limiter.take(&"Bob", start).is_err());
        // A bucket is never more than full.
        limiter.refund(&"Bob", 100.0, start);
        assert_eq!((0..10).filter(|_| limiter.take(&"Bob", start).is_ok()).count(), 5);
    }

    /// Regression: debts were dropped with their generation.
    #[test]
    fn who_has_taken_too_much_is_not_forgotten() {
        let limiter = Limiter::new(RATE);
        let start = Instant::now();
        limiter.settle(&"Ann", 105.0, start);
        // Generations rotate every half second, and the debt takes ten seconds to repay.
        for ms in (0..9_900).step_by(100) {
            let _ = limiter.take(&"Bob", start + Duration::from_millis(ms));
        }
        assert!(limiter.take(&"Ann", start + Duration::from_millis(9_900)).is_err());
        assert_eq!(limiter.take(&"Ann", start + Duration::from_millis(10_200)), Ok(()));
    }

    #[test]
    fn what_an_address_stores_is_counted_and_what_this_machine_stores_is_not() {
        let rate = Rate { per_second: 1.0, burst: 100.0 };
        let stranger = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), rate);
        assert!(stranger.charge_stored(100).is_ok());
        assert_eq!(stranger.charge_stored(1).unwrap_err().problem_type(), &RATE_LIMITED);
        let own = ClientLimits::with_stored_rate([127, 0, 0, 1].into(), rate);
        assert!((0..10).all(|_| own.charge_stored(100).is_ok()));
        // The limit applies to the network.
        let address: IpAddr = [0x2001, 0xdb8, 0, 0, 0, 0, 0, 7].into();
        let of_network = ClientLimits::with_stored_rate(address, rate);
        assert_eq!(of_network.address(), address);
        assert_ne!(of_network.network(), address);
    }
}
