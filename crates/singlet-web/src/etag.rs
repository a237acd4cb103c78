//! Content tags: `ETag` and `If-None-Match`.

use axum::http::HeaderValue;
use ring::digest::{SHA256, digest};
use std::fmt::Write as _;

/// The tag of a content: its hash.
pub(crate) fn of_content(content: &[u8]) -> HeaderValue {
    let mut tag = String::from("\"");
    // 128 bits of the hash are enough.
    for byte in digest(&SHA256, content).as_ref().iter().take(16) {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether `If-None-Match` contains this tag.
pub(crate) fn is_known(if_none_match: Option<&HeaderValue>, tag: &HeaderValue) -> bool {
    let tags = if_none_match.and_then(|tags| tags.to_str().ok()).unwrap_or_default();
    tags.split(',').any(|known| known.trim().trim_start_matches("W/") == *tag)
}
