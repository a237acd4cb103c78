//! Text in a key of type N, and a field in the place of a key attribute.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), index(byStars = (stars: N)), entities(Game, Site))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"), byStars with_stars = ("STARS#{count}"))]
struct Game {
    code: Code,
    count: u8,
}

#[derive(Entity)]
#[entity(Games, key = ("SITE#{code}"))]
struct Site {
    code: Code,
    // A string under the name of the key attribute.
    stars: String,
}

fn main() {}
