//! Who is calling: a JWT that an issuer has signed.
//!
//! - `token` reads the head of a token, and trusts nothing in it.
//! - `key` is a public key of an issuer. The key says with which algorithm a token must be
//!   signed; what the token says about that only has to agree.
//! - `provider` has `jsonwebtoken` check signatures with ring.
//! - [`Issuer`] says whose tokens are good and for whom they are meant, and checks their claims.
//! - `jwks` keeps the issuer's keys, fetched over HTTPS, fresh enough and not too often.
//! - [`Identity`] joins these, and makes a [`Caller`] of a request.
//! - [`LocalIssuer`] signs tokens for people who try things out on their own machine.

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

/// Why a token was not accepted. It goes into the log; the caller is only told that it was not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// It is longer than any token that an issuer makes.
    TooLong,
    /// It does not have the form of a signed token.
    Malformed,
    /// It demands something that is not understood here.
    Unsupported,
    /// No key of the issuer has the name that the token gives.
    UnknownKey,
    /// The token wants to be checked in another way than the key is meant for.
    WrongAlgorithm,
    /// The signature is not one that the key has made.
    WrongSignature,
    /// Somebody else has issued it.
    WrongIssuer,
    /// It is meant for somebody else.
    WrongAudience,
    /// Its time is over.
    Expired,
    /// Its time has not come.
    NotYetValid,
    /// The keys of the issuer could not be fetched.
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
