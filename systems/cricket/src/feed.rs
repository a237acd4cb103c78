//! Where scores come from: a port, and two adapters.
//!
//! - `shape`: the shapes of SportMonks v2.0, read leniently.
//! - `port`: what a feed can be asked.

mod lenient;
pub mod shape;
