//! The language of DynamoDB: values, numbers, keys, sizes, expressions, requests, answers and
//! errors, exactly as the service has them.
//!
//! Everything here is a pure function of its arguments: no I/O, no clock, no randomness, no
//! dependency but the standard library. No input makes it panic.
//!
//! - [`Value`], [`Number`], [`Set`], [`Map`]: what attributes hold.
//! - [`json`]: DynamoDB's JSON, read and written without a tree in between.
//! - [`binary`]: the stored form of items, read where it lies.
//! - [`key`] and [`schema`]: keys that sort as bytes, and what tables look like.
//! - [`expression`]: conditions, key conditions, projections and updates.
//! - [`fuel`]: a budget of work for evaluating them.
//! - [`table`] and [`arn`]: what a table is besides its schema, and its full name.
//! - [`stream`]: what happened to items, and how clients read it.
//! - [`operation`]: requests and answers, one file each.
//! - [`calendar`]: days and their dates.
//! - [`error`], [`constraint`], [`limits`], [`capacity`]: what is refused, and what things cost.

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
