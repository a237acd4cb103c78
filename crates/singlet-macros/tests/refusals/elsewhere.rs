//! A second name without the environment in it: all other environments would share the table.

use singlet::prelude::*;

#[table(name = "table", elsewhere = "table-prod", key = (PK), entities())]
struct T;

fn main() {}
