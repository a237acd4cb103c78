//! The signing key.

use super::authorization::Scope;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

type Sha256Mac = Hmac<Sha256>;

/// A key for one day, one region and one service.
pub(super) struct SigningKey([u8; 32]);

impl SigningKey {
    pub(super) fn derive(secret: &str, scope: &Scope<'_>) -> Self {
        let mut key = mac(&[b"AWS4", secret.as_bytes()].concat(), scope.day.as_bytes());
        for part in [scope.region, scope.service, scope.terminator] {
            key = mac(&key, part.as_bytes());
        }
        Self(key)
    }

    /// Whether this is the lower-case hexadecimal signature of a text. Compares in constant time.
    pub(super) fn has_signed(&self, text: &[u8], signature: &str) -> bool {
        let Some(signature) = unhex(signature) else { return false };
        Sha256Mac::new_from_slice(&self.0)
            .is_ok_and(|state| state.chain_update(text).verify_slice(&signature).is_ok())
    }

    #[cfg(test)]
    pub(super) fn sign(&self, text: &[u8]) -> String {
        hex(&mac(&self.0, text))
    }
}

fn mac(key: &[u8], text: &[u8]) -> [u8; 32] {
    // HMAC accepts keys of any length, so this cannot fail.
    Sha256Mac::new_from_slice(key)
        .map(|state| state.chain_update(text).finalize().into_bytes().into())
        .unwrap_or_default()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |four: u8| DIGITS.get(usize::from(four)).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let four = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    text.as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(four(*high)? << 4 | four(*low)?),
            _ => None,
        })
        .collect()
}
