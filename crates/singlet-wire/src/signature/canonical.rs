//! The canonical form of a request, which client and endpoint sign.

use super::authorization::Scope;
use super::date::Date;
use super::key::hex;
use super::{ALGORITHM, SignedParts};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;

/// The canonical request.
#[derive(Debug)]
pub(super) struct CanonicalRequest(Vec<u8>);

impl CanonicalRequest {
    pub(super) fn new(parts: SignedParts<'_>, signed_headers: &str) -> Self {
        let mut out = Vec::with_capacity(512);
        out.extend_from_slice(parts.method.as_bytes());
        out.push(b'\n');
        push_path(&mut out, parts.path);
        out.push(b'\n');
        push_query(&mut out, parts.query);
        out.push(b'\n');
        for name in signed_headers.split(';') {
            push_header(&mut out, &parts, &name.to_ascii_lowercase());
        }
        out.push(b'\n');
        out.extend_from_slice(signed_headers.to_ascii_lowercase().as_bytes());
        out.push(b'\n');
        out.extend_from_slice(hex(&Sha256::digest(parts.body)).as_bytes());
        Self(out)
    }

    pub(super) fn string_to_sign(&self, date: Date, scope: &Scope<'_>) -> String {
        let Scope { day, region, service, terminator, .. } = scope;
        let digest = hex(&Sha256::digest(&self.0));
        format!("{ALGORITHM}\n{date}\n{day}/{region}/{service}/{terminator}\n{digest}")
    }
}

impl fmt::Display for CanonicalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// The path without dot segments, with every byte percent-encoded once more than received.
fn push_path(out: &mut Vec<u8>, path: &str) {
    if path == "/" || path.is_empty() {
        out.push(b'/');
        return;
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => _ = segments.pop(),
            _ => segments.push(segment),
        }
    }
    for segment in &segments {
        out.push(b'/');
        push_encoded(out, segment.as_bytes());
    }
    let ends_in_folder = ["/", "/.", "/.."].iter().any(|end| path.ends_with(end));
    if segments.is_empty() || ends_in_folder {
        out.push(b'/');
    }
}

/// The query's pairs, sorted by name and value, in one encoding.
fn push_query(out: &mut Vec<u8>, query: &str) {
    let mut pairs: Vec<Vec<u8>> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let mut encoded = Vec::new();
            push_encoded(&mut encoded, &decoded(name));
            encoded.push(b'=');
            push_encoded(&mut encoded, &decoded(value));
            encoded
        })
        .collect();
    // A name sorts before longer names it is a prefix of, so `=` must sort before any byte of a
    // name.
    pairs.sort_by(|a, b| a.split(|byte| *byte == b'=').cmp(b.split(|byte| *byte == b'=')));
    for (place, pair) in pairs.iter().enumerate() {
        if place > 0 {
            out.push(b'&');
        }
        out.extend_from_slice(pair);
    }
}

/// A header with all its values. A missing header is written as empty, so the signature cannot
/// match.
fn push_header(out: &mut Vec<u8>, parts: &SignedParts<'_>, name: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    if name == "host" || name == ":authority" {
        push_collapsed(out, parts.host.as_bytes());
    } else {
        for (place, value) in parts.headers.get_all(name).iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            push_collapsed(out, value.as_bytes());
        }
    }
    out.push(b'\n');
}

/// Trims a value and collapses runs of spaces.
fn push_collapsed(out: &mut Vec<u8>, value: &[u8]) {
    let mut was_space = false;
    for byte in value.trim_ascii() {
        let is_space = *byte == b' ';
        if !(is_space && was_space) {
            out.push(*byte);
        }
        was_space = is_space;
    }
}

fn push_encoded(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(*byte),
            _ => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
}

/// Decodes percent escapes. Invalid ones are kept.
fn decoded(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('%') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
            u8::from_str_radix(digits, 16).ok()
        });
        match code.filter(|_| *byte == b'%') {
            Some(code) => {
                out.push(code);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    Cow::Owned(out)
}
