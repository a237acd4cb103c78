//! A second evaluator of expressions, written from the developer guide for simplicity: it works on
//! trees and clones everywhere. It shares no code with `singlet_dynamo`.
//!
//! [`Claim`] and [`Change`] convert to and from the expressions of `singlet_dynamo`, which tests
//! its constructors as well.

mod condition;
mod document;
mod update;

pub use condition::{Claim, Side};
pub use document::{lookup, project};
pub use update::{Change, Given, NewValue, build_update, changes_of, update};
