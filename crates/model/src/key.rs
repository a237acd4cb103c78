//! What keys are made of.
//!
//! A key is text put together from literals and values: `GAME#{code}`. [`Segment`] describes one
//! piece of it, [`Form`] what a value looks like in there. Whether two such descriptions can give
//! the same key is decided by [`overlaps`], [`catches`] and [`is_ambiguous`]: constant functions,
//! so that the same code runs in the compiler, for types, and in `check`, for data.

mod overlap;
mod segment;

pub use overlap::{catches, is_ambiguous, overlaps};
pub use segment::{DELIMITER, Form, Segment};
