//! What the tests of several crates share. Never a dependency of a product.
//!
//! - [`cases`] reads the validation cases: requests, and what the service says to them.
//! - [`differential`] tells whether a system does what the reference does.
//! - [`disk`] is a disk that loses power, fails, and flips bits, as a test tells it to.
//! - [`fuzz`] holds the fuzz targets, and runs them without cargo-fuzz.
//! - [`generator`] makes random sequences of commands.
//! - [`history`] tells whether one order explains what concurrent callers saw.
//! - [`naive`] is a second, plain meaning of expressions.
//! - [`random`] is randomness that comes out the same each time.
//! - [`mod@reference`] is what the engine should do, in the plainest way.
//! - [`strategy`] makes values, items and expressions for property tests.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test, which is what this crate is for"
)]

pub mod cases;
pub mod differential;
pub mod disk;
pub mod fuzz;
pub mod generator;
pub mod history;
pub mod naive;
pub mod random;
pub mod reference;
pub mod strategy;
