//! The operations, one file each: request, answer, and checks in the service's order.
//!
//! A request comes into being in one of two ways. `from_json` reads a body and refuses what
//! the service refuses before it has looked at any table: first what is not of the right
//! shape, then all violated constraints together, then parameters that do not go together,
//! then values, then expressions. Or it is built in Rust, from parts that cannot be wrong in
//! those ways. Either way it holds expressions as ASTs with their names and values resolved.
//!
//! `check` then says, given the table's schema, what the service refuses once it has found the
//! table. Deciding what a write does to what is stored is a pure function of the request and
//! the stored item.

mod get_item;
mod parameter;

pub use get_item::{GetItem, GetItemAnswer};
