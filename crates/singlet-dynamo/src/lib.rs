//! The language of DynamoDB: values, numbers, keys, sizes, expressions, requests, responses and
//! errors, exactly as in the service.
//!
//! Everything here is a pure function of its arguments: no I/O, no clock, no randomness, and no
//! dependency but the standard library. No input causes a panic.
//!
//! - [`Value`], [`Number`], [`Set`], [`Map`]: attribute values.
//! - [`json`]: DynamoDB's JSON, read and written without an intermediate tree.
//! - [`binary`]: the stored form of items, read without decoding.
//! - [`key`] and [`schema`]: keys that sort as bytes, and the schemas of tables.
//! - [`expression`]: conditions, key conditions, projections and updates.
//! - [`fuel`]: a work budget for evaluating them.
//! - [`table`] and [`arn`]: table descriptions and ARNs.
//! - [`stream`]: stream records, and how clients read them.
//! - [`operation`]: requests and responses, one file each.
//! - [`calendar`]: days and dates.
//! - [`error`], [`constraint`], [`limits`], [`capacity`]: errors, limits and costs.

pub mod arn;
pub mod base64;
pub mod binary;
pub mod calendar;
pub mod capacity;
pub mod constraint;
pub mod error;
mod excerpt;
pub mod expression;
pub mod fuel;
pub mod json;
pub mod key;
mod legacy;
pub mod limits;
mod map;
pub mod measure;
pub mod number;
pub mod operation;
pub mod schema;
mod set;
mod size;
pub mod stored;
pub mod stream;
pub mod table;
mod timestamp;
mod value;
mod weight;

pub use error::{Error, ErrorKind, Result};
pub use map::{Item, Map};
pub use number::{Number, NumberError};
pub use set::{Set, SetError};
pub use timestamp::Timestamp;
pub use value::{Type, Value};
