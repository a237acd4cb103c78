//! Keys of stored files.

use super::BlobError;
use std::fmt;

/// Maximum number of segments.
const SEGMENTS_MAX: usize = 8;
/// Maximum size of a segment. File systems allow 255.
const SEGMENT_BYTES_MAX: usize = 128;

/// The key of a file: segments of letters, digits, `-` and `_`, with dots inside. A key cannot
/// escape its folder.
///
/// ```
/// use singlet_web::blob::BlobKey;
///
/// let key = BlobKey::new(["avatars", "user-1", "0192.png"]).unwrap();
/// assert_eq!(key.to_string(), "avatars/user-1/0192.png");
/// assert!(BlobKey::new(["avatars", "..", "secrets"]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobKey(String);

impl BlobKey {
    /// A key of one to eight segments.
    ///
    /// # Errors
    ///
    /// [`BlobError::Key`] if a segment has other characters, begins or ends with a dot, or is empty
    /// or longer than 128 bytes.
    pub fn new<'a>(segments: impl IntoIterator<Item = &'a str>) -> Result<Self, BlobError> {
        let segments: Vec<&str> = segments.into_iter().take(SEGMENTS_MAX + 1).collect();
        let is_key = (1..=SEGMENTS_MAX).contains(&segments.len())
            && segments.iter().copied().all(is_segment);
        if is_key { Ok(Self(segments.join("/"))) } else { Err(BlobError::Key) }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_segment(segment: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=SEGMENT_BYTES_MAX).contains(&segment.len())
        && segment.bytes().all(is_plain)
        && !segment.starts_with('.')
        && !segment.ends_with('.')
}
