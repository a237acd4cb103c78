//! Picture uploads.

use crate::error::Error;
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use bytes::Bytes;
use singlet_web::api::{Argument, Operation};
use singlet_web::prelude::*;
use singlet_web::problem::TOO_LARGE;

const ANY_TYPE: &str = "application/octet-stream";

struct PictureFile;

impl RawKind for PictureFile {
    /// Above this no server reads on; between this and what the use allows, it says so.
    const BYTES_MAX: usize = 16 << 20;
    const MEDIA_TYPES: &'static [&'static str] =
        &["image/png", "image/jpeg", "image/webp", ANY_TYPE];
}

/// An uploaded file. Its declared type is ignored: the bytes are inspected.
pub(super) struct Uploaded(pub(super) Bytes);

impl Argument for Uploaded {
    fn describe(operation: &mut Operation<'_>) {
        RawBody::<PictureFile>::describe(operation);
        for error in [Error::ImageTooLarge, Error::ImageType, Error::ImageDimensions] {
            operation.add_problem(error.problem_type());
        }
    }
}

impl<S: Send + Sync> FromRequest<S> for Uploaded {
    type Rejection = Problem;

    async fn from_request(mut request: Request, state: &S) -> Result<Self, Problem> {
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(ANY_TYPE));
        match RawBody::<PictureFile>::from_request(request, state).await {
            Ok(body) => Ok(Self(body.bytes.clone())),
            Err(problem) if problem.problem_type() == &TOO_LARGE => {
                Err(Error::ImageTooLarge.into())
            }
            Err(problem) => Err(problem),
        }
    }
}
