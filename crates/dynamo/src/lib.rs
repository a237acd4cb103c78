//! The language of DynamoDB.
pub mod base64;
pub mod binary;
pub mod error;
pub mod json;
pub mod limits;
mod map;
pub mod number;
mod set;
mod size;
mod value;

pub use error::{Error, ErrorKind, Result};
pub use map::{Item, Map};
pub use number::{Number, NumberError};
pub use set::{Set, SetError};
pub use value::{Type, Value};
