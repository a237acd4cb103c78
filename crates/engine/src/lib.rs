//! The embedded store with DynamoDB's semantics.
//!
//! - [`store`]: the bottom layer, sorted bytes in memory or on disk. Everything above it is
//!   written against this one seam.

pub mod store;
