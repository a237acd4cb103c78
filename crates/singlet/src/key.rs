//! The building blocks of keys.
//!
//! A key is text made of literals and values: `GAME#{code}`. A [`Segment`] describes one piece of
//! it, and a [`Form`] the text of a value. [`overlaps`], [`catches`] and [`is_ambiguous`] decide
//! whether two such descriptions can give the same key. They are `const` functions, so the same
//! code runs in the compiler, for types, and in `check`, for data.

mod handle;
mod id;
mod overlap;
mod part;
mod segment;

pub(crate) use handle::{Given, KeyValues};
pub use handle::{GivenPart, Key};
pub use id::{ID_CHARS_MAX, IdError};
#[doc(hidden)]
pub use id::{check_id, read_id};
pub(crate) use overlap::{Pattern, begin_differently};
pub use overlap::{catches, is_ambiguous, overlaps};
pub use part::{KeyArgument, KeyPart, Shape};
pub use segment::{DELIMITER, Form, Segment};
