//! Random numbers, codes and identifiers: from the operating system, or repeatable for tests and
//! demo data.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use singlet::Timestamp;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use uuid::{Builder, Uuid, Variant};

/// The operating system failed to provide randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomUnavailable;

impl fmt::Display for RandomUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the operating system gives no random numbers")
    }
}

impl std::error::Error for RandomUnavailable {}

/// Whether a text is a version 7 UUID as [`Random::uuid_v7`] writes it: for ids made by clients.
///
/// ```
/// use singlet_web::random::is_uuid_v7;
///
/// assert!(is_uuid_v7("019b76da-a800-7000-8000-000000000001"));
/// // Another version, capitals, another variant, no dashes: one id has one spelling.
/// assert!(!is_uuid_v7("019b76da-a800-4000-8000-000000000001"));
/// assert!(!is_uuid_v7("019B76DA-A800-7000-8000-000000000001"));
/// assert!(!is_uuid_v7("019b76da-a800-7000-c000-000000000001"));
/// assert!(!is_uuid_v7("019b76daa80070008000000000000001"));
/// assert!(!is_uuid_v7(""));
/// ```
#[must_use]
pub fn is_uuid_v7(text: &str) -> bool {
    let Ok(id) = Uuid::try_parse(text) else { return false };
    let is_v7 = id.get_version_num() == 7 && id.get_variant() == Variant::RFC4122;
    is_v7 && id.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == text
}

/// A source of randomness: the operating system, a test script, or a seed for demo data. Clones
/// share the script or the seeded generator.
///
/// ```
/// use singlet_web::random::Random;
///
/// let random = Random::new();
/// assert!(random.below(6)? < 6);
/// assert_eq!(random.code("ACDEFHJKLMNPQRTWXY3479", 6)?.len(), 6);
///
/// let scripted = Random::scripted([5, 0], ["ABC123"]);
/// assert_eq!((scripted.below(6)?, scripted.below(6)?, scripted.below(6)?), (5, 0, 5));
/// assert_eq!(scripted.code("AB", 6)?, "ABC123");
/// # Ok::<(), singlet_web::random::RandomUnavailable>(())
/// ```
#[derive(Clone, Default)]
pub struct Random {
    script: Option<Arc<Mutex<Script>>>,
    /// Replaces the operating system, except for secrets.
    seeded: Option<Arc<Mutex<ChaCha8Rng>>>,
}

struct Script {
    /// Used in turn, repeatedly.
    numbers: VecDeque<u32>,
    /// Used once each.
    codes: VecDeque<String>,
}

impl Random {
    /// Randomness of the operating system.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// For tests: [`below`](Self::below) returns these numbers in turn, repeatedly, and
    /// [`code`](Self::code) these codes, then random ones. Without numbers, `below` is random.
    /// Everything else is random.
    #[must_use]
    pub fn scripted<'a>(
        numbers: impl IntoIterator<Item = u32>,
        codes: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let numbers = numbers.into_iter().collect();
        let codes = codes.into_iter().map(str::to_owned).collect();
        let script = Some(Arc::new(Mutex::new(Script { numbers, codes })));
        Self { script, seeded: None }
    }

    /// For demo data: numbers, codes and identifiers are determined by the seed.
    /// [`bytes`](Self::bytes) and [`secret`](Self::secret) still come from the operating system.
    pub(crate) fn seeded(seed: u64) -> Self {
        let generator = ChaCha8Rng::seed_from_u64(seed);
        Self { script: None, seeded: Some(Arc::new(Mutex::new(generator))) }
    }

    /// Bytes that need not be secret.
    fn repeatable_bytes<const N: usize>(&self) -> Result<[u8; N], RandomUnavailable> {
        let Some(seeded) = &self.seeded else { return random_bytes() };
        let mut bytes = [0; N];
        seeded.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
        Ok(bytes)
    }

    /// Rejection sampling: redraws numbers that would bias the result, with a probability below one
    /// half.
    fn fair_below(&self, bound: u32) -> Result<u32, RandomUnavailable> {
        let fair_end = u32::MAX - u32::MAX % bound;
        loop {
            let number = u32::from_be_bytes(self.repeatable_bytes()?);
            if number < fair_end {
                return Ok(number % bound);
            }
        }
    }

    /// A uniform number below `bound`, which is at least 1.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn below(&self, bound: u32) -> Result<u32, RandomUnavailable> {
        assert!(bound > 0, "there is no number below 0");
        if let Some(script) = &self.script {
            let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(next) = script.numbers.pop_front() {
                assert!(next < bound, "the script has {next}, and the bound is {bound}");
                script.numbers.push_back(next);
                return Ok(next);
            }
        }
        self.fair_below(bound)
    }

    /// Random bytes, always from the operating system.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], RandomUnavailable> {
        random_bytes()
    }

    /// A random UUID (version 4).
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn uuid_v4(&self) -> Result<String, RandomUnavailable> {
        Ok(Builder::from_random_bytes(self.repeatable_bytes()?).into_uuid().to_string())
    }

    /// A UUID that begins with the time (version 7): ordered by millisecond.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn uuid_v7(&self, now: Timestamp) -> Result<String, RandomUnavailable> {
        let millis = u64::try_from(now.as_millis()).unwrap_or(0);
        let random = self.repeatable_bytes()?;
        Ok(Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string())
    }

    /// A new identifier of a type declared by `singlet::id!`: a version 7 UUID.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    ///
    /// # Panics
    ///
    /// If the type rejects UUIDs, because its delimiter is `-`.
    pub fn id<I: FromStr>(&self, now: Timestamp) -> Result<I, RandomUnavailable> {
        let id = self.uuid_v7(now)?.parse().ok();
        assert!(id.is_some(), "{} takes no UUID", std::any::type_name::<I>());
        id.ok_or(RandomUnavailable)
    }

    /// 128 random bits as 22 characters of URL-safe Base64, always from the operating system.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn secret(&self) -> Result<String, RandomUnavailable> {
        Ok(BASE64_URL_SAFE_NO_PAD.encode(random_bytes::<16>()?))
    }

    /// A uniform code of `len` characters of this alphabet.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn code(&self, alphabet: &str, len: usize) -> Result<String, RandomUnavailable> {
        if let Some(script) = &self.script {
            let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(code) = script.codes.pop_front() {
                return Ok(code);
            }
        }
        let letters: Vec<char> = alphabet.chars().collect();
        assert!(!letters.is_empty(), "an alphabet has letters");
        let mut code = String::with_capacity(len);
        for _ in 0..len {
            let number = self.fair_below(letters.len() as u32)? as usize;
            code.extend(letters.get(number));
        }
        Ok(code)
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (&self.script, &self.seeded) {
            (Some(_), _) => "Random(scripted)",
            (None, Some(_)) => "Random(seeded)",
            (None, None) => "Random",
        })
    }
}

fn random_bytes<const N: usize>() -> Result<[u8; N], RandomUnavailable> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| RandomUnavailable)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    singlet::id!(EntryId);

    #[test]
    fn all_numbers_are_equally_likely() {
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[Random::new().below(6).unwrap() as usize] += 1;
        }
        // Seven standard deviations: a false alarm about once in 10¹¹ runs.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 640), "{counts:?}");
    }

    #[test]
    fn ids_codes_and_secrets_do_not_repeat() {
        let (random, now) = (Random::new(), Timestamp::from_millis(1_767_225_600_000));
        let mut made = BTreeSet::new();
        for _ in 0..1_000 {
            made.insert(random.uuid_v4().unwrap());
            made.insert(random.uuid_v7(now).unwrap());
            made.insert(random.secret().unwrap());
            made.insert(random.code("ACDEFHJKLMNPQRTWXY3479", 12).unwrap());
        }
        assert_eq!(made.len(), 4_000);
        assert_eq!(random.secret().unwrap().len(), 22);
        let uuid = random.uuid_v4().unwrap();
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
    }

    #[test]
    fn ids_sort_by_their_time() {
        let random = Random::new();
        let ids: Vec<EntryId> = (0..100)
            .map(|millis| random.id(Timestamp::from_millis(1_767_225_600_000 + millis)).unwrap())
            .collect();
        assert!(ids.is_sorted());
        assert_eq!(&ids[0].as_str()[..15], "019b76da-a800-7");
    }

    #[test]
    fn a_seed_repeats_everything_but_secrets() {
        let now = Timestamp::from_millis(1_767_225_600_000);
        let make = |seed| {
            let random = Random::seeded(seed);
            let number = random.below(1_000_000).unwrap();
            let ids = [random.uuid_v4().unwrap(), random.uuid_v7(now).unwrap()];
            (number, ids, random.code("ACDEFHJKLMNPQRTWXY3479", 12).unwrap())
        };
        assert_eq!(make(7), make(7));
        assert_ne!(make(7), make(8));
        let [one, other] = [Random::seeded(7), Random::seeded(7)];
        assert_ne!(one.secret().unwrap(), other.secret().unwrap());
        assert_ne!(one.bytes::<16>().unwrap(), other.bytes::<16>().unwrap());
        // Clones share the generator.
        assert_ne!(one.clone().uuid_v4().unwrap(), one.uuid_v4().unwrap());
    }

    #[test]
    fn a_script_is_followed() {
        let random = Random::scripted([5, 0], ["ABC123"]);
        let numbers: Vec<u32> = (0..5).map(|_| random.clone().below(6).unwrap()).collect();
        assert_eq!(numbers, [5, 0, 5, 0, 5]);
        assert_eq!(random.code("X", 3).unwrap(), "ABC123");
        assert_eq!(random.code("X", 3).unwrap(), "XXX");
        assert!(Random::scripted([], []).below(2).unwrap() < 2);
    }
}
