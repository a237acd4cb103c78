//! The stored form of an item: compact bytes that can be read without decoding.
//!
//! ```text
//! item    := entries
//! entries := count (name-length name value)*          names ascending, each once
//! value   := tag payload
//! payload := length bytes                              S, B
//!          | number                                    N: its sortable bytes
//!          | 0 or 1                                    BOOL
//!          |                                           NULL
//!          | length entries                            M
//!          | length count value*                       L
//!          | length count (length bytes)*              SS, BS    ascending
//!          | length count number*                      NS        ascending
//! ```
//!
//! Counts and lengths are LEB128 varints in their shortest form; tags are indexes into
//! [`Type::ALL`]. Every value has exactly one encoding, so equal values are equal bytes. Containers
//! have a length prefix, so readers can skip them.

mod cursor;
mod encode;
mod json;
mod view;

pub use encode::encode;
pub(crate) use encode::encode_value;
pub(crate) use view::from_payload;
pub use view::{Entries, ItemRef, ListRef, Malformed, MapRef, SetRef, ValueRef};

#[cfg(doc)]
use crate::Type;

#[cfg(test)]
mod tests;
