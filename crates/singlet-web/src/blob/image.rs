//! Images: what they are by their bytes, and how they are answered.

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

/// Who may keep a stored file, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileCache {
    /// The browser of whoever may read it, for ever: its address is used for one content only.
    #[default]
    Private,
    /// Everybody, for ever: anybody may read it, and its address is used for one content only.
    Public,
    /// The browser of whoever may read it, which asks each time whether it has changed.
    Revalidated,
}

/// 200, with a stored image, which a browser shows and does not run. 304 for a client that has it.
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
    /// An image that is kept as [`FileCache::Private`] says.
    #[must_use]
    pub fn new(bytes: Bytes, kind: ImageType) -> Self {
        Self { bytes, kind, cache: FileCache::default() }
    }

    /// Says who may keep it.
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

/// The tag of a stored file, in the extensions of its response.
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

/// The response, or 304 if it is a stored file that the client has by its `If-None-Match`.
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
