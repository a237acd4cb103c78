//! The token with which we sign in to Apple: a JWT, signed with ES256.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use serde_json::json;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Age at which a token is replaced: Apple wants them 20 to 60 minutes old at most.
const RENEWED_AFTER_SECONDS: i64 = 40 * 60;
/// And not more often than this.
const KEPT_AT_LEAST_SECONDS: i64 = 20 * 60;

/// Our key, and the token that was made with it last.
pub struct ProviderKey {
    key_id: String,
    team_id: String,
    pair: EcdsaKeyPair,
    random: SystemRandom,
    last: Mutex<Option<(i64, String)>>,
}

/// A key that is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderKeyError;

impl fmt::Display for ProviderKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the push key is not a private key of P-256 in PEM (PKCS #8)")
    }
}

impl std::error::Error for ProviderKeyError {}

impl ProviderKey {
    /// The key of a `.p8` file, as Apple hands it out.
    ///
    /// # Errors
    ///
    /// If it is not a private key of P-256.
    pub fn from_pem(
        key_id: impl Into<String>,
        team_id: impl Into<String>,
        pem: &str,
    ) -> Result<Self, ProviderKeyError> {
        let inside = pem.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
        let der = BASE64_STANDARD.decode(inside.collect::<String>());
        Self::from_der(key_id, team_id, &der.map_err(|_| ProviderKeyError)?)
    }

    /// The key in PKCS #8.
    ///
    /// # Errors
    ///
    /// If it is not a private key of P-256.
    pub fn from_der(
        key_id: impl Into<String>,
        team_id: impl Into<String>,
        der: &[u8],
    ) -> Result<Self, ProviderKeyError> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random);
        Ok(Self {
            key_id: key_id.into(),
            team_id: team_id.into(),
            pair: pair.map_err(|_| ProviderKeyError)?,
            random,
            last: Mutex::default(),
        })
    }

    /// The token for now; `None` if it cannot be signed.
    pub fn token(&self, now_seconds: i64) -> Option<String> {
        self.token_not_older(now_seconds, RENEWED_AFTER_SECONDS)
    }

    /// A new token, if the last one is older than 20 minutes; else the last one.
    pub fn renewed(&self, now_seconds: i64) -> Option<String> {
        self.token_not_older(now_seconds, KEPT_AT_LEAST_SECONDS)
    }

    fn token_not_older(&self, now: i64, age_max: i64) -> Option<String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made_at, token)) = &*last
            && (0..age_max).contains(&(now - made_at))
        {
            return Some(token.clone());
        }
        let encode = |value: serde_json::Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let header = encode(json!({"alg": "ES256", "kid": self.key_id}));
        let claims = encode(json!({"iss": self.team_id, "iat": now}));
        let signed = format!("{header}.{claims}");
        let signature = self.pair.sign(&self.random, signed.as_bytes()).ok()?;
        let token = format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature.as_ref()));
        *last = Some((now, token.clone()));
        Some(token)
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderKey").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}
