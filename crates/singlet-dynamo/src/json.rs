//! JSON, read by pulling and written by pushing, with no tree in between.
//!
//! [`Reader`] walks a request and refuses what does not fit with the service's own
//! `SerializationException` texts; [`Writer`] appends an answer to a buffer. DynamoDB's JSON
//! for values is in [`value`].

pub(crate) mod kept;
mod plain;
mod reader;
pub mod value;
mod writer;

pub use reader::Reader;
pub use writer::{Object, Writer};
