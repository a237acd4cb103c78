//! Declarations that say too little, too much, or nonsense.

use singlet::prelude::*;

id!(Code);

#[table(key = (PK), entities())]
struct Nameless;

#[table(name = "table", key = (PK, SK, TK), entities())]
struct ThreeKeys;

#[table(name = "table", key = (PK: BOOL), entities())]
struct BoolKey;

#[table(name = "table", key = (PK), entities(), colour = red)]
struct Coloured;

#[table(name = "declarations", key = (PK), index(GSI1 = (GSI1PK, GSI1SK)), entities())]
struct T;

#[derive(Entity)]
struct NoTable {
    code: Code,
}

#[derive(Entity)]
#[entity(T, key = ("GAME#{code", "METADATA"))]
struct Unclosed {
    code: Code,
}

#[derive(Entity)]
#[entity(T, key = ("GAME#{code:4}"))]
struct Narrow {
    code: u32,
}

#[derive(Entity)]
#[entity(T, key = ("GAME#{code}"), GSI1 = ("GAMES"))]
struct Patternless {
    code: Code,
}

#[derive(Entity)]
#[entity(T, key = ("GAME#{code}"), GSI1 newest = ("{code}"))]
struct FieldCalledAsAPattern {
    code: Code,
    newest: String,
}

#[derive(Entity)]
#[entity(T, key = ("GAME#{code}"), rename_all = "Camel")]
struct UnknownCase {
    code: Code,
}

#[derive(Entity)]
#[entity(T, key = ("GAME#{code}"), GSI1 all = ("GAMES", "{status}#{updated}"))]
struct AlwaysStale {
    code: Code,
    status: Code,
    #[attribute(updated)]
    updated: Timestamp,
}

#[derive(Projection)]
struct OfNothing {
    code: Code,
}

fn main() {}
