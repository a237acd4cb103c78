//! Names that DynamoDB does not take.

use singlet::prelude::*;

#[table(name = "t", key = (PK), entities())]
struct TooShort;

#[table(name = "my games", key = (PK), entities())]
struct WithASpace;

#[table(name = "games/{env}", key = (PK), entities())]
struct WithASlash;

#[table(name = "games", key = (PK), index(by = (other)), entities())]
struct ShortIndex;

/// One letter and the environment can be enough.
#[table(name = "t{env}", key = (PK), entities())]
struct ShortWithEnvironment;

fn main() {}
