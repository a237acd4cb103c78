//! The secret by which a player acts.

use crate::chance::{Chance, RandomUnavailable};
use crate::design::PlayerId;
use ring::digest::{SHA256, digest};
use singlet::Bytes;
use std::fmt;

/// What a player is given on joining, and nobody else ever: the player's id, a dot, and 128 random
/// bits. It is stored only as a hash, and cannot be printed by mistake.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: String,
    id_len: usize,
}

impl Secret {
    /// A new secret for a player.
    pub(crate) fn new(player: &PlayerId, chance: &Chance) -> Result<Self, RandomUnavailable> {
        Ok(Self { text: format!("{player}.{}", chance.secret()?), id_len: player.as_str().len() })
    }

    /// A secret as a client sends it; `None` if it cannot be one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        // Longer than any that was ever given out.
        if text.len() > 128 {
            return None;
        }
        let (id, random) = text.split_once('.')?;
        let is_whole = PlayerId::new(id).is_ok() && !random.is_empty();
        is_whole.then(|| Self { text: text.to_owned(), id_len: id.len() })
    }

    /// The player who it is of, or claims to be of.
    #[must_use]
    pub fn player(&self) -> Option<PlayerId> {
        PlayerId::new(self.text.get(..self.id_len)?).ok()
    }

    /// What is stored.
    pub(crate) fn hash(&self) -> Bytes {
        Bytes(digest(&SHA256, self.text.as_bytes()).as_ref().to_vec())
    }

    /// Whether this is the secret with that hash. Takes as long whether it is or not.
    pub(crate) fn matches_hash(&self, hash: &Bytes) -> bool {
        let own = self.hash();
        let differences =
            own.0.iter().zip(&hash.0).fold(0, |sum, (one, other)| sum | (one ^ other));
        own.0.len() == hash.0.len() && differences == 0
    }

    /// The secret, for its player.
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
    fn a_secret_is_known_by_its_hash_and_shown_to_nobody() {
        let player = PlayerId::new("p-1").unwrap();
        let secret = Secret::new(&player, &Chance::system()).unwrap();
        let read = Secret::read(secret.reveal()).unwrap();
        assert_eq!(
            (read.player(), read.matches_hash(&secret.hash())),
            (Some(player.clone()), true)
        );
        let other = Secret::new(&player, &Chance::system()).unwrap();
        assert!(!other.matches_hash(&secret.hash()) && !secret.matches_hash(&Bytes(Vec::new())));
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn what_cannot_be_a_secret_is_none() {
        for wrong in ["", ".", "a.", ".b", "ab", "a#b.c", &"x.".repeat(100)] {
            assert_eq!(Secret::read(wrong), None, "{wrong}");
        }
    }
}
