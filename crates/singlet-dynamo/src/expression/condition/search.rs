//! Substring and list search, with the preparation cached.

use crate::Value;
use crate::binary::encode_value;
use crate::expression::operand::Found;

/// A string or binary to search for.
///
/// Uses the Knuth-Morris-Pratt algorithm: naive search is quadratic for repetitive inputs.
pub(super) struct Needle<'n> {
    part: &'n [u8],
    /// The failure function: for each position, the length of the longest border.
    borders: Vec<u32>,
}

impl<'n> Needle<'n> {
    pub(super) fn new(part: &'n [u8]) -> Self {
        let mut needle = Self { part, borders: Vec::with_capacity(part.len()) };
        for (place, &byte) in part.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|last| needle.borders.get(last)).copied();
            needle.borders.push(before.map_or(0, |len| needle.matched(len, byte)));
        }
        needle
    }

    /// The charge for searching these bytes.
    pub(super) fn searching_fuel(bytes: &[u8]) -> usize {
        2 * bytes.len()
    }

    /// The charge for preparing the search for this part.
    pub(super) fn preparing_fuel(part: &[u8]) -> usize {
        3 * part.len()
    }

    /// The length of the prefix matched after this byte, given the length before it.
    fn matched(&self, mut len: u32, byte: u8) -> u32 {
        while self.part.get(len as usize) != Some(&byte) {
            match len.checked_sub(1).and_then(|last| self.borders.get(last as usize)) {
                Some(&shorter) => len = shorter,
                None => return 0,
            }
        }
        len + 1
    }

    /// Whether the bytes contain the part.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        let Some(&first) = self.part.first() else { return true };
        let mut bytes = bytes;
        let mut len = 0;
        // While nothing is matched, skip to the next possible start.
        while let Some((&byte, rest)) = bytes.split_first() {
            if len == 0 && byte != first {
                match rest.iter().position(|&byte| byte == first) {
                    Some(place) => bytes = rest.get(place..).unwrap_or_default(),
                    None => return false,
                }
                continue;
            }
            len = self.matched(len, byte);
            if len as usize == self.part.len() {
                return true;
            }
            bytes = rest;
        }
        false
    }
}

/// The values of a list, indexed by their encoding, which is equal for equal values.
pub(super) struct ElementIndex {
    bytes: Vec<u8>,
    /// The position of each value, sorted by encoding.
    spans: Vec<(u32, u32)>,
}

impl ElementIndex {
    pub(super) fn new<'v>(values: impl Iterator<Item = &'v Value>) -> Self {
        let mut bytes = Vec::new();
        let mut spans = Vec::new();
        for value in values {
            let start = bytes.len() as u32;
            encode_value(value, &mut bytes);
            spans.push((start, bytes.len() as u32));
        }
        spans.sort_unstable_by(|a, b| at(&bytes, *a).cmp(at(&bytes, *b)));
        spans.dedup_by(|a, b| at(&bytes, *a) == at(&bytes, *b));
        Self { bytes, spans }
    }

    pub(super) fn has(&self, found: &Found<'_>) -> bool {
        let mut wanted = Vec::new();
        found.encode_to(&mut wanted);
        self.spans.binary_search_by(|span| at(&self.bytes, *span).cmp(&wanted)).is_ok()
    }
}

fn at(bytes: &[u8], (start, end): (u32, u32)) -> &[u8] {
    bytes.get(start as usize..end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kmp_search_agrees_with_naive_search() {
        let plain = |bytes: &[u8], part: &[u8]| {
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        };
        // All strings of two letters up to length 8, and all parts up to length 4.
        let strings = |len_max: u32| {
            (0..=len_max).flat_map(|len| {
                (0..1_u32 << len).map(move |bits| {
                    (0..len).map(|place| (bits >> place & 1) as u8).collect::<Vec<u8>>()
                })
            })
        };
        for part in strings(4) {
            let needle = Needle::new(&part);
            for bytes in strings(8) {
                assert_eq!(needle.is_in(&bytes), plain(&bytes, &part), "{bytes:?} {part:?}");
            }
        }
    }
}
