//! Writes stored items as DynamoDB's JSON, without decoding them.

use super::cursor::Cursor;
use super::view::{ListRef, MapRef, ValueRef, from_payload};
use crate::Type;
use crate::json::Writer;
use crate::json::value::write_number;

impl MapRef<'_> {
    /// Writes the attributes as DynamoDB's JSON.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            for (name, kind, payload) in self.raw_entries() {
                object.member_bytes(name, |writer| write_payload(kind, payload, writer));
            }
        });
    }
}

impl ListRef<'_> {
    fn write_json(&self, writer: &mut Writer) {
        writer.array(self.raw_values(), |writer, (kind, payload)| {
            write_payload(kind, payload, writer)
        });
    }
}

impl ValueRef<'_> {
    /// Writes the value as DynamoDB's JSON.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member(self.kind().as_str(), |writer| match *self {
                Self::S(text) => writer.string(text),
                Self::N(number) => write_number(number, writer),
                Self::B(bytes) => writer.blob(bytes),
                Self::Bool(truth) => writer.boolean(truth),
                Self::Null => writer.boolean(true),
                Self::M(map) => map.write_json(writer),
                Self::L(list) => list.write_json(writer),
                Self::Ss(set) | Self::Ns(set) | Self::Bs(set) => {
                    writer.array(set.iter(), |writer, element| match element {
                        ValueRef::S(text) => writer.string(text),
                        ValueRef::N(number) => write_number(number, writer),
                        ValueRef::B(bytes) => writer.blob(bytes),
                        _ => writer.boolean(true),
                    });
                }
            });
        });
    }
}

/// Writes a value. Strings and numbers, the most common types, come first.
fn write_payload(kind: Type, payload: &[u8], writer: &mut Writer) {
    match kind {
        Type::S => {
            writer.buffer().extend_from_slice(b"{\"S\":");
            writer.string_bytes(payload);
            writer.buffer().push(b'}');
        }
        Type::N => {
            writer.buffer().extend_from_slice(b"{\"N\":");
            write_number(Cursor(payload).number().unwrap_or(crate::Number::ZERO), writer);
            writer.buffer().push(b'}');
        }
        _ => from_payload(kind, payload).unwrap_or(ValueRef::Null).write_json(writer),
    }
}
