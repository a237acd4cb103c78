//! Types that cannot do what is asked of them.

use singlet::prelude::*;
use std::collections::BTreeMap;

struct Opaque;

#[derive(Attribute)]
pub struct Page<T> {
    pub items: Vec<T>,
}

#[derive(Attribute)]
pub struct Price(f64);

#[derive(Attribute)]
pub struct Names(Vec<String>);

id!(Code);

#[table(name = "games", key = (PK), entities(Game, ByNames))]
pub struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
pub struct Game {
    pub code: Code,
    pub page: Page<Opaque>,
    pub prices: BTreeMap<Price, u32>,
    pub stock: BTreeMap<u32, u32>,
    pub price: Price,
    pub names: Names,
    #[attribute(with = serde)]
    pub opaque: Opaque,
}

#[derive(Entity)]
#[entity(Games, key = ("NAMES#{names}"))]
pub struct ByNames {
    pub names: Names,
}

fn main() {
    let _ = Game::stock.entry("seven").gt(1);
    let _ = Game::price.begins_with("1");
    let _ = Game::price.eq(1.5);
    let _ = update(Game::key(Code::new("a").unwrap())).add(Game::names, 1);
}
