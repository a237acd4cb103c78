//! Authentication with JWTs.
//!
//! - `token` parses the header of a token; nothing in it is trusted.
//! - `key` is an issuer's public key. The key determines the signature algorithm, not the token.
//! - `provider` plugs ring into `jsonwebtoken` for signature checks.
//! - [`Issuer`] names an issuer and the expected audience, and checks claims.
//! - `jwks` fetches and caches an issuer's keys.
//! - [`Identity`] combines these: it turns a request into a [`Caller`].
//! - [`LocalIssuer`] signs tokens for development.

mod caller;
mod issuer;
mod jwks;
mod key;
mod local;
mod provider;
mod token;

pub(crate) use caller::TokenEnd;
pub use caller::{Caller, Identity};
pub use issuer::Issuer;
pub use local::LocalIssuer;
pub(crate) use local::is_forwarded;

use std::fmt;

/// Why a token was rejected. Logged only; the caller is not given the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// The token exceeds the size limit.
    TooLong,
    /// Not a well-formed signed token.
    Malformed,
    /// The token has a critical header parameter that is not supported.
    Unsupported,
    /// The token names a key that the issuer does not have.
    UnknownKey,
    /// The token's algorithm differs from the key's.
    WrongAlgorithm,
    /// The signature does not match.
    WrongSignature,
    /// The token has another issuer.
    WrongIssuer,
    /// The token is for another audience.
    WrongAudience,
    /// The token has expired.
    Expired,
    /// The token is not valid yet.
    NotYetValid,
    /// The issuer's keys could not be fetched.
    NoKeys,
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the token is too long",
            Self::Malformed => "the token is malformed",
            Self::Unsupported => "the token has critical members that are not understood",
            Self::UnknownKey => "no key of the issuer has the token's key id",
            Self::WrongAlgorithm => "the token's algorithm is not the key's",
            Self::WrongSignature => "the token's signature is wrong",
            Self::WrongIssuer => "the token is from another issuer",
            Self::WrongAudience => "the token is for another audience",
            Self::Expired => "the token has expired",
            Self::NotYetValid => "the token is not valid yet",
            Self::NoKeys => "the issuer's keys could not be fetched",
        })
    }
}

impl std::error::Error for TokenError {}
