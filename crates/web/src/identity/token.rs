//! A signed token in its compact form: head, claims and signature, in Base64, with dots between.

use super::TokenError;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value};

/// How long a token may be. Those of Cognito have one to two KB, and three with many groups.
pub(super) const BYTES_MAX: usize = 8 << 10;

/// A token that was taken apart. Nothing in it is trusted yet.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) head: Head,
    /// What was signed, byte for byte.
    pub(super) signed: &'a str,
    pub(super) signature: Vec<u8>,
    claims: &'a str,
}

/// What a token says about how it was signed.
#[derive(Debug, Deserialize)]
pub(super) struct Head {
    pub(super) alg: String,
    pub(super) kid: Option<String>,
    /// Members that must be understood. None are.
    crit: Option<Value>,
}

impl<'a> Token<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, TokenError> {
        if text.len() > BYTES_MAX {
            return Err(TokenError::TooLong);
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(TokenError::Malformed)?;
        // A further dot would be in the claims, and no Base64.
        let (head, claims) = signed.split_once('.').ok_or(TokenError::Malformed)?;
        let head: Head =
            serde_json::from_slice(&decode(head)?).map_err(|_| TokenError::Malformed)?;
        if head.crit.is_some() {
            return Err(TokenError::Unsupported);
        }
        Ok(Self { head, signed, signature: decode(signature)?, claims })
    }

    /// The claims. Ask for them after the signature has been checked.
    pub(super) fn claims(&self) -> Result<Map<String, Value>, TokenError> {
        serde_json::from_slice(&decode(self.claims)?).map_err(|_| TokenError::Malformed)
    }
}

/// Base64 as tokens have it, in its one right form.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, TokenError> {
    BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| TokenError::Malformed)
}

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
