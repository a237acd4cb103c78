//! Authentication: verifies AWS Signature Version 4.
//!
//! Client and endpoint share a secret. The client writes the request in a canonical form and signs
//! it with a key derived from the secret, the day, the region and the service. The endpoint
//! computes the same signature and compares. Verification is a pure function of the request, the
//! credentials and the time.

mod authorization;
mod canonical;
mod credentials;
mod date;
mod key;

pub use credentials::{Credentials, CredentialsError};

use authorization::{Authorization, Scope};
use canonical::CanonicalRequest;
use date::Date;
use hyper::HeaderMap;
use hyper::header::HeaderName;
use key::SigningKey;
use singlet_dynamo::{Error, ErrorKind, Timestamp};

/// Maximum clock skew between client and endpoint, in minutes. The service's limit.
const SKEW_MINUTES_MAX: i64 = 5;
const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const SERVICE: &str = "dynamodb";
const TERMINATOR: &str = "aws4_request";
/// Without these, a signature could be reused for another operation or at another time.
const MUST_BE_SIGNED: [&str; 2] = ["x-amz-target", "x-amz-date"];
/// Typical number of headers that SDKs sign.
const SIGNED_HEADERS_USUAL: usize = 8;
const SECURITY_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");

/// How much of a header an error message repeats. Real headers are shorter, even session tokens.
const REPEATED_BYTES_MAX: usize = 8 << 10;

/// The signed parts of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedParts<'a> {
    pub(crate) method: &'a str,
    /// As received.
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    /// `Host`, or HTTP/2's `:authority`, which is not among the headers.
    pub(crate) host: &'a str,
    pub(crate) headers: &'a HeaderMap,
    /// As received, before decompression.
    pub(crate) body: &'a [u8],
}

/// Checks that one of the credentials signed the request recently.
///
/// # Errors
///
/// The service's errors, in the service's order.
pub(crate) fn verify(
    parts: SignedParts<'_>,
    credentials: &Credentials,
    now: Timestamp,
) -> Result<(), Error> {
    let authorization = Authorization::read(parts.headers, parts.query)?;
    let date = Date::parse(authorization.date).ok_or_else(|| {
        incomplete(format!(
            "Date must be in ISO-8601 'basic format'. Got '{}'. See http://en.wikipedia.org/wiki/ISO_8601",
            repeated(authorization.date)
        ))
    })?;
    check_skew(date, Date::of(now))?;
    check_signed_headers(&authorization, parts.headers)?;
    if authorization.algorithm != ALGORITHM {
        return Err(incomplete(format!(
            "Unsupported AWS 'algorithm': '{}' (only {ALGORITHM} for now). ",
            repeated(authorization.algorithm)
        )));
    }
    let scope = authorization.scope()?;
    check_scope(&scope, date)?;
    let credential = credentials
        .get(scope.access_key_id)
        .ok_or_else(|| unrecognized("The security token included in the request is invalid."))?;

    let canonical = CanonicalRequest::new(parts, authorization.signed_headers);
    let to_sign = canonical.string_to_sign(date, &scope);
    let key = SigningKey::derive(credential.secret_access_key(), &scope);
    if !key.has_signed(to_sign.as_bytes(), authorization.signature) {
        return Err(invalid(format!(
            "The request signature we calculated does not match the signature you provided. Check \
             your AWS Secret Access Key and signing method. Consult the service documentation for \
             details.\n\nThe Canonical String for this request should have been\n'{}'\n\n\
             The String-to-Sign should have been\n'{}'\n",
            repeated(&canonical.to_string()),
            repeated(&to_sign)
        )));
    }
    let token = parts.headers.get(SECURITY_TOKEN).map(|token| token.as_bytes());
    if token != credential.session_token().map(str::as_bytes) {
        return Err(unrecognized("The security token included in the request is invalid"));
    }
    Ok(())
}

/// Limits the replay of captured or pre-dated signatures.
fn check_skew(date: Date, now: Date) -> Result<(), Error> {
    let (oldest, newest) =
        (now.minus_minutes(SKEW_MINUTES_MAX), now.minus_minutes(-SKEW_MINUTES_MAX));
    if date < oldest {
        return Err(invalid(format!(
            "Signature expired: {date} is now earlier than {oldest} ({now} - {SKEW_MINUTES_MAX} min.)"
        )));
    }
    if date > newest {
        return Err(invalid(format!(
            "Signature not yet current: {date} is still later than {newest} ({now} + {SKEW_MINUTES_MAX} min.)"
        )));
    }
    Ok(())
}

/// Every signed header must exist and be listed once: each listing adds the header's value to the
/// canonical request, which must not become longer than the request. Headers that determine the
/// destination, operation and time must be signed.
fn check_signed_headers(
    authorization: &Authorization<'_>,
    headers: &HeaderMap,
) -> Result<(), Error> {
    let mut seen: Vec<&str> = Vec::with_capacity(SIGNED_HEADERS_USUAL);
    for name in authorization.signed_headers.split(';') {
        if seen.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Err(invalid(format!(
                "'{}' is named more than once in 'SignedHeaders' in the AWS Authorization.",
                repeated(name)
            )));
        }
        let is_host = ["host", ":authority"].iter().any(|host| host.eq_ignore_ascii_case(name));
        if !is_host && !headers.contains_key(name) {
            return Err(invalid(format!(
                "'{}' is a 'SignedHeader' in the AWS Authorization, but is not a header of the request.",
                repeated(name)
            )));
        }
        seen.push(name);
    }
    let is_signed = |name: &str| {
        authorization.signed_headers.split(';').any(|signed| signed.eq_ignore_ascii_case(name))
    };
    if !is_signed("host") && !is_signed(":authority") {
        return Err(invalid(
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
        ));
    }
    for name in MUST_BE_SIGNED {
        if headers.contains_key(name) && !is_signed(name) {
            return Err(invalid(format!(
                "'{name}' must be a 'SignedHeader' in the AWS Authorization."
            )));
        }
    }
    Ok(())
}

/// A key is valid for one day and one service. Any region is accepted, because the endpoint stands
/// in for the one its clients are configured for.
fn check_scope(scope: &Scope<'_>, date: Date) -> Result<(), Error> {
    let mut faults = String::new();
    if scope.region.is_empty() {
        faults.push_str("Credential should be scoped to a valid region, not ''. ");
    }
    if scope.service != SERVICE {
        faults.push_str("Credential should be scoped to correct service: 'dynamodb'. ");
    }
    if scope.terminator != TERMINATOR {
        faults.push_str(&format!(
            "Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{}'. ",
            repeated(scope.terminator)
        ));
    }
    if scope.day != date.day() {
        faults.push_str(&format!(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: \
             '{}' != '{}', from '{date}'.",
            repeated(scope.day),
            date.day()
        ));
    }
    if faults.is_empty() { Ok(()) } else { Err(invalid(faults)) }
}

/// The part of a client's text that an error message repeats.
fn repeated(text: &str) -> &str {
    text.get(..text.floor_char_boundary(REPEATED_BYTES_MAX)).unwrap_or(text)
}

fn incomplete(message: String) -> Error {
    Error::with_message(ErrorKind::IncompleteSignature, message)
}

fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::with_message(ErrorKind::InvalidSignature, message)
}

fn unrecognized(message: &'static str) -> Error {
    Error::with_message(ErrorKind::UnrecognizedClient, message)
}

#[cfg(test)]
mod tests;
