//! JSON schemas of the model's types, for HTTP interfaces (feature `schemars`).

use crate::{Date, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

macro_rules! text_schema {
    ($($name:ident $format:literal $example:literal;)+) => {
        $(
            impl JsonSchema for $name {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    Cow::Borrowed(stringify!($name))
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({"type": "string", "format": $format, "examples": [$example]})
                }
            }
        )+
    };
}

text_schema! {
    Date "date" "2026-11-16";
    Timestamp "date-time" "2026-11-16T12:00:00.000Z";
}
