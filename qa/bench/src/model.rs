//! The suite `model`: the cost of typed access over handwritten requests.
//!
//! Both do the same on the same engine in memory: build a request from ids or a struct, execute it,
//! and turn the answer into a struct. Where the answer stays in its stored form, it is not decoded:
//! that is the lower bound.

mod by_hand;

use crate::contest::Contest;
use singlet::backend::Embedded;
use singlet::engine::Engine;
use singlet::prelude::*;
use singlet::{Settings, block_on};
use std::rc::Rc;

/// The number of games, and of players in each.
const GAMES: u32 = 1_000;
const PLAYERS: u32 = 10;

id!(Code, PlayerId, ConnectionId);

#[table(name = "games", key = (PK, SK), entities(Player))]
struct Games;

/// A player of about 400 bytes.
#[derive(Entity, Clone)]
#[entity(Games, key = ("GAME#{code}", "PLAYER#{id}"), rename_all = "camelCase")]
struct Player {
    code: Code,
    id: PlayerId,
    name: String,
    color: String,
    position: u32,
    connection_id: Option<ConnectionId>,
    is_connected: bool,
    joined_at: Timestamp,
    about: String,
    badges: Vec<String>,
}

fn player(game: u32, number: u32) -> Player {
    let id = |text: String| text.parse().expect("no delimiter");
    Player {
        code: format!("G{game:05}").parse().expect("no delimiter"),
        id: id(format!("player-{number:02}-3f0c9a52-4b1e")),
        name: "Ada Lovelace".into(),
        color: "#3B82F6".into(),
        position: 42,
        connection_id: format!("connection-{number}").parse().ok(),
        is_connected: true,
        joined_at: Timestamp::from_millis(1_767_225_600_000),
        about: "plays every day, mostly against the same three people ".repeat(3),
        badges: vec!["first win".into(), "ten games".into(), "snake charmer".into()],
    }
}

/// The data of both contenders.
struct Stage {
    db: Db<Games>,
    engine: Engine,
    player: Player,
}

fn stage() -> Rc<Stage> {
    let engine = Engine::memory().expect("an engine in memory");
    let db = Db::<Games>::on(Embedded::new(engine.clone()), Settings::default());
    block_on(async {
        db.provision().await.expect("a new table");
        for game in 0..GAMES {
            for number in 0..PLAYERS {
                db.run(create(&player(game, number))).await.expect("a new player");
            }
        }
    });
    Rc::new(Stage { db, engine, player: player(GAMES / 2, PLAYERS / 2) })
}

pub(crate) fn contests() -> Vec<Contest> {
    let stage = stage();
    vec![get(&stage), query(&stage), put_again(&stage)]
}

fn get(stage: &Rc<Stage>) -> Contest {
    let [typed, read, unread] = [stage, stage, stage].map(Rc::clone);
    Contest::new("get a player")
        .contender("types", move || {
            let key = Player::key(&typed.player.code, &typed.player.id);
            block_on(typed.db.get(key)).expect("a player")
        })
        .contender("by hand", move || by_hand::read(&by_hand::get(&read).expect("a player")))
        .contender("by hand, unread", move || by_hand::get(&unread))
}

fn query(stage: &Rc<Stage>) -> Contest {
    let [typed, read, unread] = [stage, stage, stage].map(Rc::clone);
    Contest::new("query ten players")
        .contender("types", move || {
            block_on(typed.db.query(Player::of(&typed.player.code)).all()).expect("players")
        })
        .contender("by hand", move || {
            by_hand::query(&read).iter().map(by_hand::read).collect::<Vec<_>>()
        })
        .contender("by hand, unread", move || by_hand::query(&unread))
}

fn put_again(stage: &Rc<Stage>) -> Contest {
    let [typed, manual] = [stage, stage].map(Rc::clone);
    Contest::new("put a player")
        .contender("types", move || block_on(typed.db.run(put(&typed.player))).expect("written"))
        .contender("by hand", move || by_hand::put(&manual))
}
