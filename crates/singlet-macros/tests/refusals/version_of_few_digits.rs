//! Each write counts the version up, and an item whose version no longer fits could not be read.

use singlet::prelude::*;

id!(Code);

#[derive(Attribute, Clone, Copy)]
struct Revision(u64);

#[table(name = "table", key = (PK), entities(Small, Optional, Wrapped))]
struct Counted;

#[derive(Entity)]
#[entity(Counted, key = ("SMALL#{code}"))]
struct Small {
    code: Code,
    #[attribute(version)]
    version: u8,
}

#[derive(Entity)]
#[entity(Counted, key = ("OPTIONAL#{code}"))]
struct Optional {
    code: Code,
    #[attribute(version)]
    version: Option<u64>,
}

/// This one is right.
#[derive(Entity)]
#[entity(Counted, key = ("WRAPPED#{code}"))]
struct Wrapped {
    code: Code,
    #[attribute(version)]
    version: Revision,
}

fn main() {}
