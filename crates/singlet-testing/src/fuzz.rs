//! Fuzz targets, and a mutator to run them with.
//!
//! A [`Target`] takes arbitrary bytes and panics when a property fails. Tests run all targets
//! briefly with the seeded [`mutate`]; cargo-fuzz runs them with coverage guidance (see `qa/fuzz`).
//!
//! ```
//! use singlet_testing::fuzz::{Random, TARGETS, mutate};
//!
//! let mut random = Random::new(1);
//! for target in TARGETS {
//!     let seeds = (target.seeds)();
//!     for _ in 0..10 {
//!         (target.run)(&mutate(&seeds, &mut random));
//!     }
//! }
//! ```

mod expression;
mod growth;
mod mutation;
mod request;
mod targets;

pub use crate::random::Random;
pub use expression::expression;
pub use growth::{Growth, growth, processor_time};
pub use mutation::mutate;
pub use request::request;
pub use targets::{TARGETS, Target, binary, json, key, number};
