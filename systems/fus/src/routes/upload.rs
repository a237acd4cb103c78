//! Pictures that come in and go out, and when a caller has signed in.

use crate::error::Error;
use crate::service::{SignIn, StoredImage};
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderName, Response};
use axum::response::IntoResponse;
use bytes::Bytes;
use singlet::Timestamp;
use singlet_picture::PictureUse;
use singlet_web::api::{Argument, Operation, RawBody, RawKind, Reply};
use singlet_web::blob::{FileCache, StoredFile};
use singlet_web::identity::Caller;
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

/// When the caller signed in, or else this moment, and from where.
pub(super) fn sign_in(caller: &Caller, client: &ClientLimits, now: Timestamp) -> SignIn {
    let at_ms = caller.signed_in_at_s.and_then(|at| i64::try_from(at).ok()?.checked_mul(1000));
    SignIn { at: at_ms.map_or(now, Timestamp::from_millis), ip: Some(client.address().to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_web::limit::Rate;

    #[test]
    fn without_a_time_that_can_be_stored_somebody_signed_in_just_now() {
        let rate = Rate { per_second: 1.0, burst: 1.0 };
        let client = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), rate);
        let now = Timestamp::from_millis(7);
        for (signed_in_at_s, at_ms) in [(Some(5), 5_000), (None, 7), (Some(u64::MAX), 7)] {
            let caller = Caller { signed_in_at_s, ..Caller::default() };
            let expected =
                SignIn { at: Timestamp::from_millis(at_ms), ip: Some("192.0.2.1".to_owned()) };
            assert_eq!(sign_in(&caller, &client, now), expected);
        }
    }
}
