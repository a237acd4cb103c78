//! The token with which we sign in to Apple: a JWT, signed with ES256.

use crate::lock;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use serde_json::json;
use std::sync::Mutex;

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

const NOT_A_KEY: &str = "the push key is not a private key of P-256 in PEM (PKCS #8)";

impl ProviderKey {
    /// The key of a `.p8` file, as Apple hands it out.
    pub fn from_pem(
        key_id: impl Into<String>,
        team_id: impl Into<String>,
        pem: &str,
    ) -> Result<Self, String> {
        let inside = pem.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
        let der = BASE64_STANDARD.decode(inside.collect::<String>());
        Self::from_der(key_id, team_id, &der.map_err(|_| NOT_A_KEY)?)
    }

    pub fn from_der(
        key_id: impl Into<String>,
        team_id: impl Into<String>,
        der: &[u8],
    ) -> Result<Self, String> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random);
        Ok(Self {
            key_id: key_id.into(),
            team_id: team_id.into(),
            pair: pair.map_err(|_| NOT_A_KEY)?,
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
        let mut last = lock(&self.last);
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
