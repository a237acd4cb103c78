//! Detects and serves images.

use crate::api::{Operation, Reply};
use crate::etag;
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use bytes::Bytes;

/// An image type that browsers show and that cannot contain scripts.
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

    /// The file name extension, for blob keys.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
        }
    }
}

/// Detects the image type by its first bytes, ignoring its name and `Content-Type`. `None` for
/// anything else, such as SVG, which can contain scripts.
///
/// Only the signature is checked. To know whether the image can be shown, and its dimensions,
/// decode it.
#[must_use]
pub fn sniff_image(bytes: &[u8]) -> Option<ImageType> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageType::Png),
        [0xff, 0xd8, 0xff, ..] => Some(ImageType::Jpeg),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageType::WebP),
        _ => None,
    }
}

/// Caching policy of a stored file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileCache {
    /// Cached by the reader's browser without revalidation: the content at its URL never changes.
    #[default]
    Private,
    /// Cached by anyone without revalidation: the file is public and the content at its URL never
    /// changes.
    Public,
    /// Cached by the reader's browser, revalidated each time.
    Revalidated,
}

/// 200 with a stored image, with headers that prevent scripts; 304 if the client has it.
///
/// ```
/// use singlet_web::blob::{FileCache, ImageType, StoredFile};
///
/// let avatar = StoredFile::new("bytes".into(), ImageType::Png).cache(FileCache::Public);
/// # drop(avatar);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    bytes: Bytes,
    kind: ImageType,
    cache: FileCache,
}

impl StoredFile {
    /// An image cached as [`FileCache::Private`].
    #[must_use]
    pub fn new(bytes: Bytes, kind: ImageType) -> Self {
        Self { bytes, kind, cache: FileCache::default() }
    }

    /// Sets the caching policy.
    #[must_use]
    pub fn cache(mut self, cache: FileCache) -> Self {
        self.cache = cache;
        self
    }
}

impl Reply for StoredFile {
    fn describe(operation: &mut Operation<'_>) {
        let media_types = [ImageType::Png, ImageType::Jpeg, ImageType::WebP];
        operation.replies_binary(200, &media_types.map(ImageType::media_type), "The image.");
        operation.replies_without_body(304, "The client has the image: If-None-Match is its ETag.");
    }
}

/// The ETag of a stored file, as a response extension.
#[derive(Clone)]
struct FileTag(HeaderValue);

impl IntoResponse for StoredFile {
    fn into_response(self) -> Response<Body> {
        let tag = etag::of_content(&self.bytes);
        let mut response = Response::new(Body::from(self.bytes));
        let headers = response.headers_mut();
        let cache = match self.cache {
            FileCache::Private => "private, max-age=31536000, immutable",
            FileCache::Public => "public, max-age=31536000, immutable",
            FileCache::Revalidated => "private, no-cache",
        };
        for (name, value) in [
            (CONTENT_TYPE, self.kind.media_type()),
            (CONTENT_DISPOSITION, "inline"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
            (CACHE_CONTROL, cache),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(ETAG, tag.clone());
        response.extensions_mut().insert(FileTag(tag));
        response
    }
}

/// The response, or 304 if it is a stored file that matches `If-None-Match`.
pub(crate) fn not_modified(
    mut response: Response<Body>,
    if_none_match: &HeaderValue,
) -> Response<Body> {
    let tag = response.extensions().get::<FileTag>();
    if tag.is_some_and(|FileTag(tag)| etag::is_known(Some(if_none_match), tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(CONTENT_TYPE);
    }
    response
}
