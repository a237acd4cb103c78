//! Fuzzing: inputs that are nearly right, and what must hold for every one of them.
//!
//! A [`Target`] is a function that takes any bytes whatever and panics when something that
//! must hold does not. The same targets are run in two ways: by a seeded [`mutate`] in the
//! tests, for a moment and on every machine, and by cargo-fuzz, for as long as one likes and
//! with the code's coverage as a guide (see the folder `fuzz` at the root).
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
