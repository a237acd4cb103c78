//! A signed token in compact form: header, claims and signature in Base64, separated by dots.

use super::TokenError;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// Maximum token size. Cognito's have one to two KB, and three with many groups.
const BYTES_MAX: usize = 8 << 10;

/// A token with a parsed header. Nothing in it is trusted yet.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// The id of the key it names.
    pub(super) kid: Option<String>,
}

impl<'a> Token<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, TokenError> {
        if text.len() > BYTES_MAX {
            return Err(TokenError::TooLong);
        }
        let head = jsonwebtoken::decode_header(text)?;
        // Critical parameters are not supported, and the library ignores the list.
        if head.crit.is_some() {
            return Err(TokenError::Unsupported);
        }
        Ok(Self { text, kid: head.kid })
    }
}

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
