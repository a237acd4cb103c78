//! How long things are kept: everything of a game is gone a day after the last thing that happened.
//!
//! Each change gives the game's own item a day from then on, in the same write. To write all its
//! players and connections each time would make every move as dear as the game is large, so they
//! are kept an hour longer than the game and written once in that hour, before the game's item
//! says so. A player or a connection whose game is gone counts as gone, so nobody sees the
//! difference; the store may have them for an hour more.

use super::Service;
use super::budgets::Cost;
use crate::design::{Code, Game, Player};
use crate::error::Error;
use futures_util::future::try_join_all;
use singlet::prelude::*;
use std::time::Duration;

/// How long a game is kept after its last change.
pub(super) const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// How much longer its players and connections are kept.
const SURPLUS: Duration = Duration::from_secs(3600);
/// How many items are written at once.
const CONCURRENT_MAX: usize = 25;

/// Until when things are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expiries {
    pub(super) game: Expiry,
    pub(super) members: Expiry,
}

impl Expiries {
    /// The expiries of a new game.
    pub(super) fn from(now: Timestamp) -> Self {
        let game = now.after(LIFETIME);
        Self { game: Expiry::at(game), members: Expiry::at(game.after(SURPLUS)) }
    }
}

impl Service {
    /// 14: the expiries of a game that changes now. If its players and connections would be gone
    /// before it, they are given more time first.
    pub(super) async fn renew(&self, game: &Game) -> Result<Expiries, Error> {
        let expiries = Expiries::from(self.db.now());
        if game.members_ttl.as_seconds() >= expiries.game.as_seconds() {
            return Ok(Expiries { members: game.members_ttl, ..expiries });
        }
        self.extend_members(&game.code, expiries.members).await?;
        Ok(expiries)
    }

    async fn extend_members(&self, code: &Code, until: Expiry) -> Result<(), Error> {
        let players = self.db.query(Player::of(code)).all().await?;
        self.charge(Cost::Renew(players.len())).await?;
        for some in players.chunks(CONCURRENT_MAX) {
            try_join_all(some.iter().map(async |player| {
                let key = Player::key(code, &player.id);
                gone_is_fine(self.db.run(update(key).set(Player::EXPIRES, until)).await)
            }))
            .await?;
        }
        Ok(())
    }
}

/// One who has left in the meantime needs no more time.
pub(super) fn gone_is_fine(written: singlet::Result<()>) -> singlet::Result<()> {
    match written {
        Err(singlet::Error::ConditionFailed { .. }) => Ok(()),
        other => other,
    }
}
