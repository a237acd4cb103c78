//! Pictures that come in and go out, and when a caller has signed in.

use crate::error::Error;
use crate::picture::PictureUse;
use crate::service::{SignIn, StoredImage};
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use axum::http::request::Parts;
use axum::http::{HeaderName, Response};
use axum::response::IntoResponse;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde_json::Value;
use singlet::Timestamp;
use singlet_web::api::{Argument, Operation, RawBody, RawKind, Reply};
use singlet_web::blob::{FileCache, StoredFile};
use singlet_web::limit::ClientLimits;
use singlet_web::problem::{ApiError as _, Problem, TOO_LARGE};

/// What a picture may be. What it says it is does not matter: its bytes are looked at.
pub(super) trait Upload: RawKind {
    const USE: PictureUse;
}

pub(super) struct Avatar;
pub(super) struct Logo;

/// Above this no server reads on; between this and what the use allows, it says so.
const READ_BYTES_MAX: usize = 16 << 20;
const ANY_TYPE: &str = "application/octet-stream";
const MEDIA_TYPES: &[&str] = &["image/png", "image/jpeg", "image/webp", ANY_TYPE];

impl RawKind for Avatar {
    const BYTES_MAX: usize = READ_BYTES_MAX;
    const MEDIA_TYPES: &'static [&'static str] = MEDIA_TYPES;
}

impl RawKind for Logo {
    const BYTES_MAX: usize = READ_BYTES_MAX;
    const MEDIA_TYPES: &'static [&'static str] = MEDIA_TYPES;
}

impl Upload for Avatar {
    const USE: PictureUse = PictureUse::Avatar;
}

impl Upload for Logo {
    const USE: PictureUse = PictureUse::Logo;
}

/// The file of an upload.
pub(super) struct Uploaded<K: Upload>(RawBody<K>);

impl<K: Upload> Uploaded<K> {
    pub(super) fn bytes(&self) -> Bytes {
        self.0.bytes.clone()
    }
}

impl<K: Upload> Argument for Uploaded<K> {
    fn describe(operation: &mut Operation<'_>) {
        RawBody::<K>::describe(operation);
        for error in [Error::ImageTooLarge, Error::ImageType, Error::ImageDimensions] {
            operation.add_problem(error.problem_type());
        }
    }
}

impl<K: Upload, S: Send + Sync> FromRequest<S> for Uploaded<K> {
    type Rejection = Problem;

    async fn from_request(mut request: Request, state: &S) -> Result<Self, Problem> {
        // Whatever it says: only the bytes count.
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(ANY_TYPE));
        let too_large = || Problem::from(Error::ImageTooLarge);
        let body = RawBody::from_request(request, state).await.map_err(|problem| {
            if problem.problem_type() == &TOO_LARGE { too_large() } else { problem }
        })?;
        if body.bytes.len() > K::USE.bytes_max() {
            return Err(too_large());
        }
        Ok(Self(body))
    }
}

/// 200, with a picture. Every upload has a new address, so everybody may keep it for ever.
pub(super) struct ImageReply(pub(super) StoredImage);

impl Reply for ImageReply {
    fn describe(operation: &mut Operation<'_>) {
        StoredFile::describe(operation);
    }
}

impl IntoResponse for ImageReply {
    fn into_response(self) -> Response<Body> {
        let StoredImage { bytes, kind } = self.0;
        let mut response = StoredFile::new(bytes, kind).cache(FileCache::Public).into_response();
        let resource_policy = HeaderName::from_static("cross-origin-resource-policy");
        response.headers_mut().insert(resource_policy, HeaderValue::from_static("same-origin"));
        response
    }
}

/// When the caller signed in, and from where. Stands beside a `Caller`, which has checked the
/// token.
pub(super) struct SignedIn {
    at: Option<Timestamp>,
    ip: Option<String>,
}

impl SignedIn {
    /// The time of the token, or else this moment.
    pub(super) fn or_at(self, now: Timestamp) -> SignIn {
        SignIn { at: self.at.unwrap_or(now), ip: self.ip }
    }
}

impl Argument for SignedIn {
    fn describe(_: &mut Operation<'_>) {}
}

impl<S: Send + Sync> FromRequestParts<S> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let client = parts.extensions.get::<ClientLimits>();
        let ip = client.map(|client| client.address().to_string());
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        Ok(Self { at: header.and_then(time_of_token), ip })
    }
}

/// The claim `auth_time` of a token that was checked already, or else `iat`.
fn time_of_token(header: &str) -> Option<Timestamp> {
    let claims = header.split('.').nth(1)?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    let seconds = claims.get("auth_time").or_else(|| claims.get("iat"))?.as_i64()?;
    Some(Timestamp::from_millis(seconds.checked_mul(1000)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_of_ipv6_is_noted_as_it_is() {
        use axum::http::Request;
        use singlet_web::limit::Rate;
        let rate = Rate { per_second: 1.0, burst: 1.0 };
        for text in ["192.0.2.7", "2001:db8:1:2:3:4:5:6"] {
            let client = ClientLimits::with_stored_rate(text.parse().unwrap(), rate);
            let (mut parts, ()) =
                Request::builder().extension(client).body(()).unwrap().into_parts();
            let signed_in = SignedIn::from_request_parts(&mut parts, &()).await;
            let ip = signed_in.ok().and_then(|signed_in| signed_in.ip);
            assert_eq!(ip.as_deref(), Some(text));
        }
    }

    #[test]
    fn the_time_of_a_token_is_when_its_owner_signed_in() {
        let token =
            |claims: &str| format!("Bearer e30.{}.x", BASE64_URL_SAFE_NO_PAD.encode(claims));
        let at = |seconds: i64| Some(Timestamp::from_millis(seconds * 1000));
        assert_eq!(time_of_token(&token(r#"{"auth_time": 5, "iat": 9}"#)), at(5));
        assert_eq!(time_of_token(&token(r#"{"iat": 9}"#)), at(9));
        for other in ["{}", r#"{"iat": "9"}"#, r#"{"iat": 9223372036854775807}"#, "no JSON"] {
            assert_eq!(time_of_token(&token(other)), None, "{other}");
        }
        for other in ["", "Bearer", "Bearer a", "Bearer a.%.c", "Bearer ..."] {
            assert_eq!(time_of_token(other), None, "{other}");
        }
    }
}
