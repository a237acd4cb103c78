//! Secrets that are handed out once and stored as hashes.

use crate::random::{Random, RandomUnavailable};
use ring::digest::{SHA256, digest};
use singlet::Bytes;
use std::fmt;

/// Longer texts are not secrets of ours.
const BYTES_MAX: usize = 160;
/// 128 bits in Base64.
const RANDOM_LEN: usize = 22;

/// A secret shown to its owner once: an id, a dot, and 128 random bits. Only its hash is stored,
/// and `Debug` does not print it.
///
/// ```
/// use singlet_web::random::Random;
/// use singlet_web::secret::Secret;
///
/// let secret = Secret::generate("player-1", &Random::new())?;
/// let stored = secret.hash();
///
/// let sent = Secret::parse(secret.reveal()).unwrap();
/// assert_eq!(sent.id(), "player-1");
/// assert!(sent.matches_hash(&stored));
/// assert_eq!(format!("{sent:?}"), "Secret(…)");
/// # Ok::<(), singlet_web::random::RandomUnavailable>(())
/// ```
#[derive(Clone)]
pub struct Secret {
    text: String,
    id_len: usize,
}

impl Secret {
    /// A new secret for this id.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn generate(id: &str, random: &Random) -> Result<Self, RandomUnavailable> {
        Ok(Self { text: format!("{id}.{}", random.secret()?), id_len: id.len() })
    }

    /// Parses a secret sent by a client; `None` if malformed. Check it with
    /// [`matches_hash`](Self::matches_hash).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let (id, random) = text.rsplit_once('.')?;
        let is_random = random.len() == RANDOM_LEN
            && random.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        (is_random && !id.is_empty()).then(|| Self { text: text.to_owned(), id_len: id.len() })
    }

    /// The id in front. Not trustworthy before the hash matches.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text.get(..self.id_len).unwrap_or_default()
    }

    /// The hash to store. The secret is random, so a plain SHA-256 cannot be brute-forced.
    #[must_use]
    pub fn hash(&self) -> Bytes {
        Bytes(digest(&SHA256, self.text.as_bytes()).as_ref().to_vec())
    }

    /// Whether the secret has this hash. Constant time.
    #[must_use]
    pub fn matches_hash(&self, hash: &Bytes) -> bool {
        let own = self.hash();
        let differences =
            own.0.iter().zip(&hash.0).fold(0, |sum, (one, other)| sum | (one ^ other));
        own.0.len() == hash.0.len() && differences == 0
    }

    /// The secret itself, to be shown to its owner once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_matches_its_hash_alone() {
        let secret = Secret::generate("p.1", &Random::new()).unwrap();
        let sent = Secret::parse(secret.reveal()).unwrap();
        assert_eq!((sent.id(), sent.matches_hash(&secret.hash())), ("p.1", true));
        let other = Secret::generate("p.1", &Random::new()).unwrap();
        assert!(!other.matches_hash(&secret.hash()));
        assert!(!secret.matches_hash(&Bytes(Vec::new())));
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn other_texts_are_no_secrets() {
        let random = "AAAAAAAAAAAAAAAAAAAAAA";
        assert!(Secret::parse(&format!("a.{random}")).is_some());
        let long = format!("{}.{random}", "x".repeat(160));
        let no_id = format!(".{random}");
        let padded = format!("a.{random}=");
        for wrong in
            ["", ".", "a.", ".b", "a.b", "a.AAAAAAAAAAAAAAAAAAAA+/", &long, &no_id, &padded]
        {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
    }
}
