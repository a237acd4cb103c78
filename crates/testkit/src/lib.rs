//! What the tests of several crates share. Never a dependency of a product.
//!
//! - [`cases`] reads the validation cases: requests, and what the service says to them.

pub mod cases;
