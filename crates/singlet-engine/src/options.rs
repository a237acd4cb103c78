//! Options of an engine.

use crate::store::Durability;
use singlet_dynamo::Timestamp;
use singlet_dynamo::arn::Home;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Options of an engine.
///
/// ```
/// use singlet_engine::{Clock, Options};
///
/// let options = Options { clock: Clock::fixed(1_767_225_600_000), ..Options::default() };
/// assert!(options.background);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// When a write counts as done.
    pub durability: Durability,
    /// The source of time.
    pub clock: Clock,
    /// The source of randomness.
    pub random: Random,
    /// The region and account used in ARNs.
    pub home: Home,
    /// Whether a background thread runs maintenance. Without it, call
    /// [`Engine::maintain`](crate::Engine::maintain).
    pub background: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Full,
            clock: Clock::system(),
            random: Random::system(),
            home: Home { region: "us-east-1".to_owned(), account: "000000000000".to_owned() },
            background: true,
        }
    }
}

/// A source of time, which tests can control.
#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The operating system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock stopped at these milliseconds since 1970.
    #[must_use]
    pub fn fixed(millis: i64) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(millis))))
    }

    /// Moves a fixed clock and its clones. No-op for the system clock.
    pub fn advance(&self, millis: i64) {
        if let Source::Manual(now) = &self.0 {
            now.fetch_add(millis, Ordering::SeqCst);
        }
    }

    /// Sets a fixed clock and its clones. No-op for the system clock.
    pub fn set(&self, millis: i64) {
        if let Source::Manual(now) = &self.0 {
            now.store(millis, Ordering::SeqCst);
        }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let millis = match &self.0 {
            Source::Manual(now) => now.load(Ordering::SeqCst),
            Source::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
        };
        Timestamp::from_millis(millis)
    }
}

/// A source of randomness, which tests can seed.
///
/// ```
/// use singlet_engine::Random;
///
/// assert_eq!(Random::seeded(7).next_u64(), Random::seeded(7).next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Random(Option<Arc<AtomicU64>>);

impl Random {
    /// Randomness from the operating system.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// A deterministic sequence. Clones share its position.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Some(Arc::new(AtomicU64::new(seed))))
    }

    /// The next random number.
    #[must_use]
    pub fn next_u64(&self) -> u64 {
        match &self.0 {
            // The standard library's only source of randomness: the keys of a new hasher.
            None => RandomState::new().hash_one(0_u8),
            Some(state) => {
                // SplitMix64.
                let mut number = state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
                number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                number ^ (number >> 31)
            }
        }
    }

    /// A random UUID. Implemented here and not with the crate `uuid`, because it must follow the
    /// seed, and the engine has few dependencies.
    pub(crate) fn uuid(&self) -> String {
        let (high, low) = (self.next_u64(), self.next_u64());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48 & 0x3fff | 0x8000,
            low & 0xffff_ffff_ffff
        )
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::System => f.write_str("Clock::system()"),
            Source::Manual(now) => write!(f, "Clock::fixed({})", now.load(Ordering::SeqCst)),
        }
    }
}
