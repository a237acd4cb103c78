//! Entities as stored items, and back.

mod payload;
mod reader;
mod writer;

pub use payload::Payload;
pub use reader::{Corrupt, OnCorrupt, Reader};

pub(crate) use reader::{decode, has_passed, is_expired, is_of_sharing_entity, recognizes};
pub(crate) use writer::{Purpose, key_attributes, to_item};
