//! Tables that DynamoDB does not make, and identifiers for another delimiter.

use singlet::prelude::*;

id!(Code);

#[table(
    name = "table",
    key = (PK, SK),
    index(
        local one = (PK, a), local two = (PK, b), local three = (PK, c), local four = (PK, d),
        local five = (PK, e), local six = (PK, f)
    ),
    entities()
)]
struct SixLocalIndexes;

#[table(name = "table", key = (PK, SK), index(local byOther = (other, a)), entities())]
struct LocalElsewhere;

#[table(name = "table", key = (PK), index(local byOther = (PK, a)), entities())]
struct LocalWithoutSort;

#[table(name = "table", key = (PK), delimiter = "|", entities(Game))]
struct Piped;

#[derive(Entity)]
#[entity(Piped, key = ("GAME|{code}"))]
struct Game {
    code: Code,
}

fn main() {}
