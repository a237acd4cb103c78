//! The public keys of an issuer, as a JSON Web Key Set lists them.

use super::TokenError;
use super::token::{Token, decode};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use std::fmt;

/// How many keys a set may have. Issuers have two or three: one in use, one to come.
const KEYS_MAX: usize = 64;

/// The keys of an issuer by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySet(Vec<(Option<String>, Key)>);

/// One public key, which is good for one algorithm.
#[derive(Clone)]
enum Key {
    /// RS256.
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    /// ES256: the point, uncompressed.
    P256(Vec<u8>),
}

/// One entry of a key set. Members that are not listed here do not matter.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    n: Option<String>,
    e: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Deserialize)]
struct Jwks {
    keys: Vec<serde_json::Value>,
}

impl KeySet {
    /// Reads a key set. Keys of other kinds or for other purposes are passed over, as RFC 7517
    /// wants it, so that an issuer can add new ones.
    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        let jwks: Jwks = serde_json::from_slice(json).ok()?;
        let keys = jwks.keys.into_iter().take(KEYS_MAX).filter_map(|entry| {
            let jwk: Jwk = serde_json::from_value(entry).ok()?;
            let kid = jwk.kid.clone();
            Some((kid, Key::from_jwk(jwk)?))
        });
        Some(Self(keys.collect()))
    }

    /// A set of one.
    pub(super) fn of_point(kid: &str, point: &[u8]) -> Self {
        Self(vec![(Some(kid.to_owned()), Key::P256(point.to_vec()))])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks a token's signature with the key that it names; if it names none, with the only one
    /// there is.
    pub(super) fn verify(&self, token: &Token<'_>) -> Result<(), TokenError> {
        let key = match (&token.head.kid, self.0.as_slice()) {
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
    fn from_jwk(jwk: Jwk) -> Option<Self> {
        if jwk.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let part = |text: &Option<String>| decode(text.as_deref()?).ok();
        let (key, algorithm) = match jwk.kty.as_str() {
            "RSA" => (Self::Rsa { modulus: part(&jwk.n)?, exponent: part(&jwk.e)? }, "RS256"),
            "EC" if jwk.crv.as_deref() == Some("P-256") => {
                let (x, y) = (part(&jwk.x)?, part(&jwk.y)?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                (Self::P256([&[4], x.as_slice(), &y].concat()), "ES256")
            }
            _ => return None,
        };
        jwk.alg.is_none_or(|declared| declared == algorithm).then_some(key)
    }

    /// Which algorithm is used is the key's choice. A token that wants another one, or none at
    /// all, is wrong, whatever its signature.
    fn verify(&self, token: &Token<'_>) -> Result<(), TokenError> {
        let (algorithm, message) = (token.head.alg.as_str(), token.signed.as_bytes());
        let verified = match self {
            Self::Rsa { modulus, exponent } if algorithm == "RS256" => {
                RsaPublicKeyComponents { n: modulus, e: exponent }.verify(
                    &RSA_PKCS1_2048_8192_SHA256,
                    message,
                    &token.signature,
                )
            }
            Self::P256(point) if algorithm == "ES256" => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                    .verify(message, &token.signature)
            }
            _ => return Err(TokenError::WrongAlgorithm),
        };
        verified.map_err(|_| TokenError::WrongSignature)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rsa { .. } => "RS256",
            Self::P256(_) => "ES256",
        })
    }
}
