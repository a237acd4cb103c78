//! Encodes values as bytes.

use super::{MapRef, ValueRef};
use crate::{Map, Type, Value};

/// The stored form of an item.
///
/// ```
/// use singlet_dynamo::{binary, Item, Value};
///
/// let item = Item::from([("PK", Value::from("GAME#1")), ("round", Value::from(7))]);
/// let bytes = binary::encode(&item);
/// let view = binary::ItemRef::new(&bytes)?;
/// assert_eq!(view.get("round").map(|v| v.to_value()), Some(Value::from(7)));
/// assert_eq!(view.to_item(), item);
/// # Ok::<(), binary::Malformed>(())
/// ```
#[must_use]
pub fn encode(item: &Map) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    entries(item, &mut out);
    out
}

impl MapRef<'_> {
    /// Encodes the item with only the wanted attributes, which are copied without decoding.
    pub(crate) fn encode_only(&self, wanted: impl Fn(&str) -> bool) -> Vec<u8> {
        let mut kept = 0;
        let mut body = Vec::with_capacity(self.as_bytes().len());
        for (name, kind, payload) in self.raw_entries() {
            if !std::str::from_utf8(name).is_ok_and(&wanted) {
                continue;
            }
            kept += 1;
            text(name, &mut body);
            body.push(kind as u8);
            match kind {
                Type::N | Type::Bool | Type::Null => body.extend_from_slice(payload),
                _ => text(payload, &mut body),
            }
        }
        let mut out = Vec::with_capacity(body.len() + 2);
        varint(kept, &mut out);
        out.extend_from_slice(&body);
        out
    }
}

impl ValueRef<'_> {
    /// Appends the encoding of the value: the same as [`encode_value`] of the tree.
    pub(crate) fn encode_to(&self, out: &mut Vec<u8>) {
        out.push(self.kind() as u8);
        match self {
            Self::S(string) => text(string.as_bytes(), out),
            Self::N(number) => out.extend_from_slice(number.as_bytes()),
            Self::B(bytes) => text(bytes, out),
            Self::Bool(truth) => out.push(u8::from(*truth)),
            Self::Null => {}
            Self::M(_) | Self::L(_) | Self::Ss(_) | Self::Ns(_) | Self::Bs(_) => {
                text(self.body(), out);
            }
        }
    }
}

/// Appends the encoding of a value.
pub(crate) fn encode_value(one: &Value, out: &mut Vec<u8>) {
    value(one, out);
}

fn entries(map: &Map, out: &mut Vec<u8>) {
    varint(map.len(), out);
    for (name, one) in map.iter() {
        text(name.as_bytes(), out);
        value(one, out);
    }
}

fn value(value: &Value, out: &mut Vec<u8>) {
    out.push(value.kind() as u8);
    match value {
        Value::S(string) => text(string.as_bytes(), out),
        Value::N(number) => out.extend_from_slice(number.as_bytes()),
        Value::B(bytes) => text(bytes, out),
        Value::Bool(truth) => out.push(u8::from(*truth)),
        Value::Null => {}
        Value::M(map) => with_length(out, |out| entries(map, out)),
        Value::L(values) => with_length(out, |out| {
            varint(values.len(), out);
            values.iter().for_each(|one| self::value(one, out));
        }),
        Value::Ss(set) => with_length(out, |out| {
            varint(set.len(), out);
            set.iter().for_each(|one| text(one.as_bytes(), out));
        }),
        Value::Ns(set) => with_length(out, |out| {
            varint(set.len(), out);
            set.iter().for_each(|one| out.extend_from_slice(one.as_bytes()));
        }),
        Value::Bs(set) => with_length(out, |out| {
            varint(set.len(), out);
            set.iter().for_each(|one| text(one, out));
        }),
    }
}

#[inline]
fn text(bytes: &[u8], out: &mut Vec<u8>) {
    varint(bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// Writes a body after its length, which is known only afterwards: one byte is reserved for it. A
/// longer length moves the body, which is rare and still cheaper than two passes.
fn with_length(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.push(0);
    body(out);
    let length = out.len() - start - 1;
    match u8::try_from(length) {
        Ok(short @ 0..0x80) => {
            if let Some(slot) = out.get_mut(start) {
                *slot = short;
            }
        }
        _ => {
            let mut prefix = Vec::with_capacity(5);
            varint(length, &mut prefix);
            out.splice(start..=start, prefix);
        }
    }
}

fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
