//! Events: what happens in a game is recorded in its item, and renews its expiry.
//!
//! A game expires a day after its last event. Writing all its players each time would make moves
//! in large games expensive, so players are kept an hour longer than the game and written once in
//! that hour. A player without a game counts as absent.

use super::Service;
use super::budgets::MEMBER_BYTES;
use crate::design::{Event, Game, HISTORY_LEN_MAX, Player, Status};
use crate::error::Result;
use crate::rules::Mode;
use futures_util::future::try_join_all;
use singlet::operation::Put;
use singlet::prelude::*;
use std::time::Duration;

const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// How much longer players are kept.
const SURPLUS: Duration = Duration::from_secs(3600);
const CONCURRENT_WRITES_MAX: usize = 25;

/// Until when things are kept.
#[derive(Clone, Copy)]
pub(super) struct Expiries {
    pub(super) game: Expiry,
    pub(super) members: Expiry,
}

impl Expiries {
    pub(super) fn from(now: Timestamp) -> Self {
        let game = now.after(LIFETIME);
        Self { game: Expiry::at(game), members: Expiry::at(game.after(SURPLUS)) }
    }
}

impl Service {
    /// Records an event in a game. Write the game with [`save`].
    pub(super) async fn record(&self, game: &mut Game, event: Event) -> Result<()> {
        let expiries = self.renew(game).await?;
        game.record(event, expiries, self.db.now());
        Ok(())
    }

    /// 14: the expiries of a game that changes now. If its players would expire before the game,
    /// they are renewed first.
    pub(super) async fn renew(&self, game: &Game) -> Result<Expiries> {
        let expiries = Expiries::from(self.db.now());
        if game.members_ttl >= expiries.game {
            return Ok(Expiries { members: game.members_ttl, ..expiries });
        }
        let players = self.db.query(Player::of(&game.code)).all().await?;
        self.charge(MEMBER_BYTES * players.len() as u64).await?;
        for some in players.chunks(CONCURRENT_WRITES_MAX) {
            try_join_all(some.iter().map(async |player| {
                let key = Player::key(&game.code, &player.id);
                let renewed = update(key).set(Player::EXPIRES, expiries.members);
                gone_is_fine(self.db.run(renewed).await)
            }))
            .await?;
        }
        Ok(expiries)
    }
}

/// Writes a game with one more event, unless another event was recorded since the game was read.
pub(super) fn save(game: &Game) -> Put<'_, Game> {
    put(game).only_if(Game::SEQUENCE.eq(game.sequence - 1))
}

impl Game {
    pub(super) fn record(&mut self, event: Event, expiries: Expiries, now: Timestamp) {
        self.sequence += 1;
        self.last_event = Event { sequence: Some(self.sequence), ..event };
        if self.mode == Mode::Turns {
            self.history.push(self.last_event.clone());
            self.history.drain(..self.history.len().saturating_sub(HISTORY_LEN_MAX));
        }
        self.members_ttl = expiries.members;
        self.expires = Some(expiries.game);
        self.updated_at = now;
    }

    pub(super) fn end(&mut self, winner: Option<&Player>) {
        self.status = Status::Finished;
        self.turn = None;
        self.winner_id = winner.map(|winner| winner.id.clone());
        self.winner_name = winner.map(|winner| winner.name.clone());
    }
}

/// An item that was deleted meanwhile needs no update.
pub(super) fn gone_is_fine(written: singlet::Result<()>) -> singlet::Result<()> {
    match written {
        Err(singlet::Error::ConditionFailed { .. }) => Ok(()),
        other => other,
    }
}
