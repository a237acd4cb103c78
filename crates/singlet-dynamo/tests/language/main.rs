//! All tests of the language that can share a process: one program, linked once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a panic here is a failing test, and figures are worth a line"
)]

mod cases;
mod expression_laws;
mod fuel_laws;
mod legacy_laws;
mod number_laws;
mod page_laws;
mod table_laws;
#[path = "../tables_and_items/mod.rs"]
mod tables_and_items;
mod value_laws;
