//! Images: what they are by their bytes, and how they are answered.

use crate::api::{Operation, Reply};
use axum::body::Body;
use axum::http::Response;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::IntoResponse;
use bytes::Bytes;

/// A kind of image that browsers show and that cannot contain a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageType {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    WebP,
}

impl ImageType {
    /// The media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
        }
    }

    /// The end of a file's name, for the key of a blob.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
        }
    }
}

/// What an image is by its first bytes, whatever its name or `Content-Type` say. `None` for
/// everything else, such as SVG, which can contain scripts.
///
/// The rest of the bytes is not looked at: who needs to know that an image can be shown, and how
/// large it is, decodes it.
#[must_use]
pub fn sniff_image(bytes: &[u8]) -> Option<ImageType> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageType::Png),
        [0xff, 0xd8, 0xff, ..] => Some(ImageType::Jpeg),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageType::WebP),
        _ => None,
    }
}

/// 200, with a stored image. A key is used for one content only, so browsers may keep it for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The image.
    pub bytes: Bytes,
    /// What it is.
    pub kind: ImageType,
}

impl Reply for StoredFile {
    fn describe(operation: &mut Operation<'_>) {
        operation.replies_without_body(200, "The image.");
    }
}

impl IntoResponse for StoredFile {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.bytes));
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, self.kind.media_type()),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
            (CACHE_CONTROL, "private, max-age=31536000, immutable"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
