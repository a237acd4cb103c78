//! A first walk through the model: declared types, on the embedded engine.

#[path = "designs/snakes.rs"]
mod snakes;

use singlet::prelude::*;
use snakes::{Board, Code, Game, Jump, Player, PlayerId, Snakes, Status};
use std::error::Error;

#[derive(Debug)]
enum Refused {
    CodeTaken,
    Stale,
    Other(singlet::Error),
}

impl From<singlet::Error> for Refused {
    fn from(error: singlet::Error) -> Self {
        Self::Other(error)
    }
}

fn game(code: &Code, creator: &PlayerId, now: Timestamp) -> Game {
    Game {
        code: code.clone(),
        status: Status::BoxFuture,
        creator_id: creator.clone(),
        board: Board { size: 100, snakes_and_ladders: vec![Jump { from: 2, to: 38 }] },
        winner_id: None,
        created_at: now,
        updated_at: now,
        expires: None,
    }
}

fn player(code: &Code, id: &PlayerId, now: Timestamp) -> Player {
    Player {
        id: id.clone(),
        game_code: code.clone(),
        name: "Ada".into(),
        color: "#3B82F6".into(),
        position: 0,
        connection_id: None,
        is_connected: false,
        joined_at: now,
        expires: None,
    }
}

async fn walk() -> Result<(), Box<dyn Error>> {
    let db = Db::<Snakes>::memory().await?;
    let (code, me) = (Code::new("ABC123")?, PlayerId::new("p1")?);
    let (game, player) = (game(&code, &me, db.now()), player(&code, &me, db.now()));

    let create_both = || (create(&game).or(Refused::CodeTaken), create(&player));
    assert!(db.transact(create_both()).await.is_ok());
    assert!(matches!(db.transact(create_both()).await, Err(Refused::CodeTaken)));
    let swapped = db.transact((create(&player), create(&game).or(Refused::CodeTaken))).await;
    let blamed = match &swapped {
        Err(Refused::Other(singlet::Error::ConditionFailed { entity, .. })) => Some(*entity),
        _ => None,
    };
    assert_eq!(blamed, Some("Player"), "{swapped:?}");

    let stored = db.get(Game::key(&code)).await?.ok_or("no game")?;
    assert_eq!(stored.board, game.board);
    assert_eq!(db.query(Player::of(&code)).all().await?, std::slice::from_ref(&player));
    assert_eq!(db.query(Player::by_id(&me)).first().await?, Some(player.clone()));
    let page = db.query(Game::newest().descending().limit(20)).page(None).await?;
    assert_eq!(page.items, [stored]);

    let roll = || {
        let unmoved = Player::POSITION.eq(0);
        update(Player::key(&code, &me)).set(Player::POSITION, 5).only_if(unmoved).returning_new()
    };
    assert_eq!(db.run(roll()).await?.position, 5);
    assert!(matches!(db.run(roll().or(Refused::Stale)).await, Err(Refused::Stale)));

    let gone = db.run(delete(Player::key(&code, &me)).returning_old()).await?;
    assert_eq!(gone.map(|player| player.position), Some(5));
    assert_eq!(db.get(Player::key(&code, &me)).await?, None);
    Ok(())
}

#[test]
fn a_game_is_created_read_changed_and_deleted() {
    singlet::block_on(walk()).unwrap();
}
