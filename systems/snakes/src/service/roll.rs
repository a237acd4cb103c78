//! Rolling the die and moving.

use super::budgets::change_bytes;
use super::event::save;
use super::{Service, authenticate, player_id};
use crate::design::{Code, Event, EventKind, Game, Lobby, Player, PlayerId, Status};
use crate::error::{Error, Result};
use crate::rules::{Mode, Move, advance, next_turn, throw_die};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::problem::ApiError as _;
use singlet_web::secret::Secret;

impl Service {
    /// 11: rolls the die and moves the caller, once or not at all.
    ///
    /// However many roll at the same moment, each roll is one move, the moves have an order, and
    /// one of them wins. In turns, a roll out of turn is refused. In a race two rolls of one
    /// player are two moves, the second from where the first ended.
    pub async fn roll(&self, code: &Code, secret: &Secret) -> Result<(PlayerId, Move)> {
        let caller = player_id(secret).ok_or(Error::WrongSecret)?;
        // Thrown once: a retry must not throw again.
        let roll = throw_die(&self.random)?;
        let mode = self.game(code).await?.mode;
        let queue = match mode {
            Mode::Turns => code.as_str(),
            Mode::Race => caller.as_str(),
        };
        let _inside = self.locks.lock(queue).await;
        let step = match mode {
            Mode::Turns => self.db.attempt(|_| self.try_turn(code, secret, roll)).await?,
            Mode::Race => self.db.attempt(|_| self.try_race(code, secret, roll)).await?,
        };
        Ok((caller, step))
    }

    async fn try_turn(&self, code: &Code, secret: &Secret, roll: u8) -> Result<Move> {
        let Lobby { mut game, players } = self.lobby(code).await?;
        let player = authenticate(&players, secret)?;
        check_playing(&game)?;
        if game.turn.as_ref() != Some(&player.id) {
            return Err(Error::NotYourTurn);
        }
        self.charge(change_bytes(&game.board, game.mode)).await?;
        let step = advance(&game.board, player.position, roll);
        if step.wins {
            game.end(Some(player));
        } else {
            game.turn = next_turn(&players, player).map(|next| next.id.clone());
        }
        self.record(&mut game, event_of(player, &step)).await?;
        self.db
            .transact((save(&game).or(Error::changed()), moved(player, &step).or(Error::changed())))
            .await?;
        Ok(step)
    }

    async fn try_race(&self, code: &Code, secret: &Secret, roll: u8) -> Result<Move> {
        let game = self.db.get(Game::key(code).consistent()).await?;
        let game = game.ok_or(Error::GameNotFound)?;
        let player = self.player_of(code, secret).await?;
        check_playing(&game)?;
        self.charge(change_bytes(&game.board, game.mode)).await?;
        let expiries = self.renew(&game).await?;
        let step = advance(&game.board, player.position, roll);
        // Moves of others do not conflict. The game is won by the first move to the last square
        // that finds it still being played.
        let mut played = update(Game::key(code))
            .add(Game::SEQUENCE, 1)
            .set(Game::LAST_EVENT, event_of(&player, &step))
            .set(Game::MEMBERS_TTL, expiries.members)
            .set(Game::EXPIRES, expiries.game)
            .only_if(Game::STATUS.eq(Status::Playing));
        if step.wins {
            played = played
                .set(Game::STATUS, Status::Finished)
                .set(Game::WINNER_ID, &player.id)
                .set(Game::WINNER_NAME, &player.name);
        }
        self.db
            .transact((played.or(Error::changed()), moved(&player, &step).or(Error::changed())))
            .await?;
        Ok(step)
    }
}

fn moved(player: &Player, step: &Move) -> Update<Player> {
    update(Player::key(&player.game_code, &player.id))
        .set(Player::POSITION, step.to)
        .only_if(Player::POSITION.eq(step.from))
}

fn event_of(player: &Player, step: &Move) -> Event {
    Event {
        roll: Some(step.roll),
        from: Some(step.from),
        to: Some(step.to),
        effect: Some(step.effect),
        ends_game: step.wins,
        ..Event::new(EventKind::Moved, player)
    }
}

fn check_playing(game: &Game) -> Result<()> {
    match game.status {
        Status::Waiting => Err(Error::NotStarted),
        Status::Playing => Ok(()),
        Status::Finished => Err(Error::GameOver),
    }
}
