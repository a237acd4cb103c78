//! Tags of contents: `ETag` and `If-None-Match`.

use axum::http::HeaderValue;
use ring::digest::{SHA256, digest};
use std::fmt::Write as _;

/// The tag of a content: a hash of it.
pub(crate) fn of_content(content: &[u8]) -> HeaderValue {
    let mut tag = String::from("\"");
    // Half of the hash tells any two contents apart.
    for byte in digest(&SHA256, content).as_ref().iter().take(16) {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether a client has what this tag stands for, by its header `If-None-Match`.
pub(crate) fn is_known(if_none_match: Option<&HeaderValue>, tag: &HeaderValue) -> bool {
    let tags = if_none_match.and_then(|tags| tags.to_str().ok()).unwrap_or_default();
    tags.split(',').any(|known| known.trim().trim_start_matches("W/") == *tag)
}
