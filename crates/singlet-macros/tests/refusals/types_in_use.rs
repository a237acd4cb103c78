//! Types that cannot do what is asked of them.

use singlet::prelude::*;
use std::collections::BTreeMap;

struct Opaque;

#[derive(Attribute)]
pub struct Page<T> {
    pub items: Vec<T>,
}

#[derive(Attribute, PartialEq, Eq, PartialOrd, Ord)]
pub struct Names(Vec<String>);

id!(Code);

#[table(name = "games", key = (PK), entities(Game))]
pub struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
pub struct Game {
    pub code: Code,
    pub stock: BTreeMap<u32, u32>,
    pub names: Names,
}

fn is_attribute<T: Attribute>() {}
fn is_key_part<T: singlet::KeyPart>() {}

#[derive(Attribute)]
struct WithOpaque {
    #[attribute(with = serde)]
    opaque: Opaque,
}

fn main() {
    is_attribute::<Page<Opaque>>();
    is_attribute::<BTreeMap<Names, u32>>();
    is_key_part::<Names>();
    let _ = Game::STOCK.entry("seven").gt(1);
    let _ = Game::NAMES.begins_with("1");
    let _ = Game::NAMES.eq("1");
    let _ = update(Game::key(Code::new("a").unwrap())).add(Game::NAMES, 1);
}
