//! The program in README.md, with a main function that runs it.
#![allow(missing_docs, reason = "the README shows the declarations as a user would write them")]

use singlet::prelude::*;

id!(GameId, PlayerId);

#[table(name = "games", key = (PK, SK), entities(Game, Player))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{game}", "METADATA"))]
struct Game {
    game: GameId,
    status: String,
    turn: u32,
}

#[derive(Entity)]
#[entity(Games, key = ("GAME#{game}", "PLAYER#{player}"))]
struct Player {
    game: GameId,
    player: PlayerId,
    square: u32,
}

async fn roll(db: &Db<Games>, game: &GameId, player: &PlayerId) -> singlet::Result<Vec<Player>> {
    db.transact((
        update(Game::key(game)).add(Game::TURN, 1).only_if(Game::STATUS.eq("playing")),
        update(Player::key(game, player)).add(Player::SQUARE, 6),
    ))
    .await?;
    db.query(Player::of(game)).all().await
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    singlet::block_on(async {
        let db = Db::<Games>::memory().await?;
        let (game, ada) = (GameId::new("1")?, PlayerId::new("ada")?);
        let new_game = Game { game: game.clone(), status: "playing".to_owned(), turn: 0 };
        let new_player = Player { game: game.clone(), player: ada.clone(), square: 1 };
        db.transact((create(&new_game), create(&new_player))).await?;

        let players = roll(&db, &game, &ada).await?;
        assert_eq!(players.len(), 1, "one player");
        assert!(players.iter().all(|player| player.square == 7), "the player moved");

        db.run(update(Game::key(&game)).set(Game::STATUS, "over")).await?;
        assert!(roll(&db, &game, &ada).await.is_err(), "the condition is checked");
        Ok(())
    })
}
