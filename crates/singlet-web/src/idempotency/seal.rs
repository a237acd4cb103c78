//! Hashing and encryption with the client's key.

use super::attempt::RequestName;
use crate::random::Random;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac::{self, HMAC_SHA256};
use serde::{Deserialize, Serialize};
use singlet::Bytes;
use std::fmt::Write as _;

/// A stored response.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    /// Missing in responses stored by earlier versions.
    #[serde(default)]
    pub(super) etag: Option<String>,
    pub(super) body: String,
    /// Whether the body was too large to store, and is missing.
    #[serde(default)]
    pub(super) is_too_large: bool,
}

/// A client's key. Without it, the table reveals neither the key nor the responses.
pub(super) struct Seal(hmac::Key);

impl Seal {
    pub(super) fn of(key: &str) -> Self {
        Self(hmac::Key::new(HMAC_SHA256, key.as_bytes()))
    }

    /// The lookup name of a request.
    pub(super) fn name(&self, parts: &[&[u8]]) -> Option<RequestName> {
        let mut text = String::new();
        for byte in self.sign("name", parts).as_ref() {
            let _ = write!(text, "{byte:02x}");
        }
        RequestName::new(text).ok()
    }

    /// Identifies the content of a request.
    pub(super) fn fingerprint(&self, parts: &[&[u8]]) -> Bytes {
        Bytes(self.sign("fingerprint", parts).as_ref().to_vec())
    }

    pub(super) fn close(&self, kept: &Kept) -> Option<Bytes> {
        let nonce: [u8; NONCE_LEN] = Random::new().bytes().ok()?;
        let mut sealed = serde_json::to_vec(kept).ok()?;
        let unique = Nonce::assume_unique_for_key(nonce);
        self.cipher()?.seal_in_place_append_tag(unique, Aad::empty(), &mut sealed).ok()?;
        sealed.extend(nonce);
        Some(Bytes(sealed))
    }

    pub(super) fn open(&self, sealed: &Bytes) -> Option<Kept> {
        let (sealed, nonce) = sealed.0.split_last_chunk::<NONCE_LEN>()?;
        let mut opened = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.cipher()?.open_in_place(nonce, Aad::empty(), &mut opened).ok()?;
        serde_json::from_slice(opened).ok()
    }

    fn cipher(&self) -> Option<LessSafeKey> {
        let key = self.sign("cipher", &[]);
        Some(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key.as_ref()).ok()?))
    }

    /// Length-prefixes each part, so that different lists never collide.
    fn sign(&self, purpose: &str, parts: &[&[u8]]) -> hmac::Tag {
        let mut context = hmac::Context::with_key(&self.0);
        for part in [purpose.as_bytes()].iter().chain(parts) {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        context.sign()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_opened_by_its_key_alone() {
        let kept = Kept {
            status: 201,
            location: Some("/a".into()),
            etag: Some("\"1\"".into()),
            body: "{\"secret\":1}".into(),
            is_too_large: false,
        };
        let (seal, other) = (Seal::of("0123456789abcdef"), Seal::of("0123456789abcdeg"));
        let sealed = seal.close(&kept).unwrap();
        assert!(!String::from_utf8_lossy(&sealed.0).contains("secret"));
        assert_eq!(seal.open(&sealed), Some(kept));
        assert_eq!(other.open(&sealed), None);
        let mut damaged = sealed.clone();
        damaged.0[3] ^= 1;
        assert_eq!(seal.open(&damaged), None);
        assert_eq!(seal.open(&Bytes(vec![1; 5])), None);
    }

    #[test]
    fn where_one_part_ends_makes_a_difference() {
        let seal = Seal::of("0123456789abcdef");
        assert_ne!(seal.fingerprint(&[b"ab", b"c"]), seal.fingerprint(&[b"a", b"bc"]));
        assert_ne!(seal.name(&[b"ab"]), seal.name(&[b"ab", b""]));
    }
}
