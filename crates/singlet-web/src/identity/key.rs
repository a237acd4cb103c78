//! The public keys of an issuer: a JSON Web Key Set.

use super::TokenError;
use super::provider;
use super::token::Token;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, Validation};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fmt;

/// Maximum number of keys in a set. Issuers have two or three.
const KEYS_MAX: usize = 64;
/// An uncompressed P-256 point.
const POINT_BYTES: usize = 65;

/// An issuer's keys by key id.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySet(Vec<(Option<String>, Key)>);

/// A public key for one algorithm.
#[derive(Clone)]
struct Key {
    algorithm: Algorithm,
    key: DecodingKey,
}

#[derive(Deserialize)]
struct Jwks {
    keys: Vec<Value>,
}

impl KeySet {
    /// Parses a key set. Keys of other types or uses are ignored, as RFC 7517 requires.
    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        let jwks: Jwks = serde_json::from_slice(json).ok()?;
        let keys = jwks.keys.into_iter().take(KEYS_MAX).filter_map(|entry| {
            let jwk: Jwk = serde_json::from_value(entry).ok()?;
            Some((jwk.common.key_id.clone(), Key::from_jwk(&jwk)?))
        });
        Some(Self(keys.collect()))
    }

    /// A set with a single key.
    pub(super) fn of_point(kid: &str, point: &[u8]) -> Self {
        let key = Key { algorithm: Algorithm::ES256, key: DecodingKey::from_ec_der(point) };
        Self(vec![(Some(kid.to_owned()), key)])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Verifies a token's signature with the key it names, or with the only key if it names none.
    /// Returns the claims unchecked.
    pub(super) fn verify(&self, token: &Token<'_>) -> Result<Map<String, Value>, TokenError> {
        let key = match (&token.kid, self.0.as_slice()) {
            (None, [(_, key)]) => key,
            (Some(kid), keys) => {
                let named = keys.iter().find(|(name, _)| name.as_ref() == Some(kid));
                named.map(|(_, key)| key).ok_or(TokenError::UnknownKey)?
            }
            (None, _) => return Err(TokenError::UnknownKey),
        };
        key.verify(token)
    }
}

impl Key {
    fn from_jwk(jwk: &Jwk) -> Option<Self> {
        let purpose = jwk.common.public_key_use.as_ref();
        if purpose.is_some_and(|purpose| *purpose != PublicKeyUse::Signature) {
            return None;
        }
        let key = DecodingKey::from_jwk(jwk).ok()?;
        let (algorithm, declared) = match (&jwk.algorithm, key.kind()) {
            (AlgorithmParameters::RSA(_), _) => (Algorithm::RS256, KeyAlgorithm::RS256),
            (AlgorithmParameters::EllipticCurve(curve), DecodingKeyKind::SecretOrDer(point))
                if curve.curve == EllipticCurve::P256 && point.len() == POINT_BYTES =>
            {
                (Algorithm::ES256, KeyAlgorithm::ES256)
            }
            _ => return None,
        };
        jwk.common
            .key_algorithm
            .is_none_or(|other| other == declared)
            .then_some(Self { algorithm, key })
    }

    /// The key determines the algorithm. A token with another one, or none, is rejected.
    fn verify(&self, token: &Token<'_>) -> Result<Map<String, Value>, TokenError> {
        provider::install();
        let mut validation = Validation::new(self.algorithm);
        // `Issuer` checks the claims, with a clock that tests can set and Cognito's `client_id` in
        // place of an audience.
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_aud = false;
        Ok(jsonwebtoken::decode(token.text, &self.key, &validation)?.claims)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.algorithm, f)
    }
}
