//! All tests of the language that need no process of their own: one program, which is linked once.

mod cases;
mod expression_laws;
mod fuel_laws;
mod legacy_laws;
mod number_laws;
mod page_laws;
mod table_laws;
mod value_laws;
#[path = "../world/mod.rs"]
mod world;
