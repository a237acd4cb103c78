//! Declarations that contradict each other.

use singlet::prelude::*;

id!(Code);

#[table(name = "table", key = (PK), index(GSI1 = (GSI1PK), GSI2 = (GSI1PK)), entities(Shared))]
struct SharedAttribute;

#[derive(Entity)]
#[entity(SharedAttribute, key = ("GAME#{code}"), GSI1 one = ("ONE"), GSI2 other = ("OTHER"))]
struct Shared {
    code: Code,
}

#[table(name = "table", key = (PK), index(GSI1 = (PK: N)), entities())]
struct TwoTypes;

#[table(name = "table", key = (PK), entities(Twice, Twice))]
struct ListedTwice;

#[derive(Entity)]
#[entity(ListedTwice, key = ("GAME#{code}"))]
struct Twice {
    code: Code,
    #[attribute(rename = "code")]
    other: Code,
}

#[table(name = "table", key = (PK), entities(Mortal))]
struct Eternal;

#[derive(Entity)]
#[entity(Eternal, key = ("GAME#{code}"))]
struct Mortal {
    code: Code,
    #[attribute(ttl)]
    expires: Option<Expiry>,
}

#[table(name = "table", key = (PK), index(GSI1 = (GSI1PK) projecting(keys)), ttl = TTL, entities(Ghost))]
struct Haunted;

#[derive(Entity)]
#[entity(Haunted, key = ("GAME#{code}"), GSI1 all = ("GAMES"))]
struct Ghost {
    code: Code,
    #[attribute(ttl)]
    expires: Option<Expiry>,
}

#[table(name = "table", key = (PK), entities(Covered))]
struct Covering;

#[derive(Entity)]
#[entity(Covering, key = ("GAME#{code}"))]
struct Covered {
    code: Code,
    #[attribute(rename = "PK")]
    other: String,
}

fn main() {}
