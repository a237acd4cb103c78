//! A second meaning of expressions, written for plainness alone: over trees, with clones
//! everywhere, by the words of the developer guide. It shares no code with the first.
//!
//! It has trees of its own, [`Claim`] and [`Change`], which the language's are built from and
//! can be taken apart into. So the constructors of the language are tested as well.

mod condition;
mod document;
mod update;

pub use condition::{Claim, Side};
pub use document::{lookup, project};
pub use update::{Change, Given, NewValue, build_update, changes_of, update};
