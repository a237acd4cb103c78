//! Rolling the die and moving.

use super::budgets::Cost;
use super::expiry::Expiries;
use super::{Service, authenticate, in_order, player_id};
use crate::design::{Code, Event, EventKind, Game, Player, PlayerId, Status};
use crate::error::Error;
use crate::rules::{Mode, Move, Roll, advance, next_turn};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::secret::Secret;

impl Service {
    /// 11: rolls the die and moves the caller, in one step that happens once or not at all.
    ///
    /// However many roll at the same moment, each roll is one move, the moves have an order, and
    /// one of them wins. In turns, a roll out of turn is refused. In a race everybody moves at any
    /// time, and two rolls of one player are two moves, the second from where the first ended.
    ///
    /// # Errors
    ///
    /// If the game is not being played, if it is somebody else's turn, or the secret is wrong.
    pub async fn roll(&self, code: &Code, secret: &Secret) -> Result<(PlayerId, Move), Error> {
        let caller = player_id(secret).ok_or(Error::WrongSecret)?;
        // Thrown once: whoever tries again must not get another throw.
        let roll = Roll::throw(&self.random)?;
        let game = self.game(code).await?;
        let queue = match game.mode {
            Mode::Turns => code.as_str(),
            Mode::Race => caller.as_str(),
        };
        let _inside = self.locks.lock(queue).await;
        let step = match game.mode {
            Mode::Turns => self.db.attempt(|_| self.try_turn(code, secret, roll)).await?,
            Mode::Race => self.db.attempt(|_| self.try_race(code, secret, roll)).await?,
        };
        Ok((caller, step))
    }

    async fn try_turn(&self, code: &Code, secret: &Secret, roll: Roll) -> Result<Move, Error> {
        let lobby = self.lobby(code).await?;
        let player = authenticate(&lobby, secret)?;
        let game = &lobby.game;
        check_playing(game)?;
        if game.turn.as_ref() != Some(&player.id) {
            return Err(Error::NotYourTurn);
        }
        self.charge(Cost::Roll(&game.board, game.mode)).await?;
        let expiries = self.renew(game).await?;
        let step = advance(&game.board, position(player)?, roll);
        let order = in_order(&lobby.players);
        let next = next_turn(&order, &player.id).filter(|_| !step.wins);
        // The number of the last event has not changed, so nothing else has either.
        let event = event_of(player, &step);
        let played = move_of(code, player, &step, &event, expiries)
            .set(Game::HISTORY, game.history_with(&event))
            .set(Game::TURN, next.cloned())
            .only_if(Game::SEQUENCE.eq(game.sequence));
        self.commit(played, code, player, &step).await?;
        Ok(step)
    }

    async fn try_race(&self, code: &Code, secret: &Secret, roll: Roll) -> Result<Move, Error> {
        let game = self.db.get(Game::key(code).consistent()).await?;
        let game = game.ok_or(Error::GameNotFound)?;
        let player = self.player_of(code, secret).await?;
        check_playing(&game)?;
        self.charge(Cost::Roll(&game.board, game.mode)).await?;
        let expiries = self.renew(&game).await?;
        let step = advance(&game.board, position(&player)?, roll);
        // Others may move in between, and only somebody's victory changes anything: the last
        // square is reached by whoever is the first to find the game still being played.
        let event = event_of(&player, &step);
        let played = move_of(code, &player, &step, &event, expiries)
            .only_if(Game::STATUS.eq(Status::Playing));
        self.commit(played, code, &player, &step).await?;
        Ok(step)
    }

    /// Writes the game and the player, both or none.
    async fn commit(
        &self,
        played: Update<Game>,
        code: &Code,
        player: &Player,
        step: &Move,
    ) -> Result<(), Error> {
        let moved = update(Player::key(code, &player.id))
            .set(Player::POSITION, u32::from(step.to))
            .only_if(Player::POSITION.eq(u32::from(step.from)));
        self.db.transact((played.or(Error::changed()), moved.or(Error::changed()))).await
    }
}

/// The event of a move.
fn event_of(player: &Player, step: &Move) -> Event {
    Event {
        name: Some(player.name.clone()),
        roll: Some(step.roll.eyes()),
        from: Some(step.from),
        to: Some(step.to),
        effect: Some(step.effect),
        ends_game: step.wins.then_some(true),
        ..Event::of(EventKind::Moved, &player.id)
    }
}

/// What a move changes in its game.
fn move_of(
    code: &Code,
    player: &Player,
    step: &Move,
    event: &Event,
    expiries: Expiries,
) -> Update<Game> {
    let played = update(Game::key(code))
        .add(Game::SEQUENCE, 1)
        .set(Game::LAST_EVENT, event)
        .set(Game::MEMBERS_TTL, expiries.members)
        .set(Game::EXPIRES, expiries.game);
    if !step.wins {
        return played;
    }
    played
        .set(Game::STATUS, Status::Finished)
        .set(Game::WINNER_ID, &player.id)
        .set(Game::WINNER_NAME, &player.name)
}

fn check_playing(game: &Game) -> Result<(), Error> {
    match game.status {
        Status::Waiting => Err(Error::NotStarted),
        Status::Playing => Ok(()),
        Status::Finished => Err(Error::GameOver),
    }
}

/// Where a player stands. The store counts further than any board.
fn position(player: &Player) -> Result<u16, Error> {
    u16::try_from(player.position).map_err(|_| Error::PlayerNotFound)
}
