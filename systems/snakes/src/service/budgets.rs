//! Bounds on storage. Players do not sign in, so storage is bounded for each address and for all
//! together.

use super::{NewGame, Service};
use crate::board::Board;
use crate::design::{Game, Player, Status};
use crate::error::{Error, Result};
use crate::rules::Mode;
use singlet::Retryable as _;
use singlet::prelude::*;
use singlet_web::Web;
use singlet_web::budget::Budget;
use singlet_web::limit::Rate;
use singlet_web::problem::ApiError as _;
use std::time::Duration;

/// How many games one address may create.
pub(super) const CREATION_RATE: Rate = Rate { per_second: 0.1, burst: 60.0 };
/// 25,000 moves in turns on the usual board, or fourteen races of three hundred players. The
/// table's stream keeps both images of every change for a day, so the disk must hold a day of this.
const BYTES_PER_HOUR_MAX: u64 = 512 << 20;
/// How many games are created in an hour before old ones are deleted for new ones. Idle games are
/// kept for a day, so there are at most 50,000.
const GAMES_PER_HOUR_MAX: u64 = 2_000;
/// How long a game may wait for a second player before it can be deleted for another one.
const WAIT_MIN: Duration = Duration::from_secs(600);
/// How many idle games are tried: other servers may delete the same ones.
const CANDIDATES_MAX: usize = 8;
/// The size of a change without its board: a game, a player, the indexes, and both images of each
/// in the stream.
const CHANGE_BYTES: u64 = 4_096;
/// Both images of [`HISTORY_LEN_MAX`](crate::design::HISTORY_LEN_MAX) events.
const HISTORY_BYTES: u64 = 14_336;
/// Both images of a snake or ladder.
const JUMP_BYTES: u64 = 64;
/// What a change of a player or a connection stores.
pub(super) const MEMBER_BYTES: u64 = 2_048;

/// What all players together may store in an hour. Servers on one store share it.
#[derive(Clone)]
pub struct Budgets {
    bytes: Budget,
    games: Budget,
}

impl Budgets {
    pub fn new(db: Db<Web>) -> Self {
        Self::with_limits(db, BYTES_PER_HOUR_MAX, GAMES_PER_HOUR_MAX)
    }

    /// Other budgets, for tests.
    pub fn with_limits(db: Db<Web>, bytes_per_hour_max: u64, games_per_hour_max: u64) -> Self {
        Self {
            bytes: Budget::new(db.clone(), "snakes-bytes", bytes_per_hour_max),
            games: Budget::new(db, "snakes-games", games_per_hour_max),
        }
    }
}

/// What a change of a game stores at worst.
pub(super) fn change_bytes(board: &Board, mode: Mode) -> u64 {
    let history = if mode == Mode::Turns { HISTORY_BYTES } else { 0 };
    CHANGE_BYTES + history + JUMP_BYTES * board.jumps().len() as u64
}

impl Service {
    /// Charges bytes to the client's address and to the budget of all, before they are stored.
    pub(super) async fn charge(&self, bytes: u64) -> Result<()> {
        self.charge_client(bytes)?;
        self.charge_budget(bytes).await
    }

    pub(super) fn charge_client(&self, bytes: u64) -> Result<()> {
        let charged = self.client.as_ref().map(|client| client.charge_stored(bytes));
        Ok(charged.transpose().map(|_| ())?)
    }

    pub(super) async fn charge_budget(&self, bytes: u64) -> Result<()> {
        match &self.budgets {
            Some(budgets) => Ok(budgets.bytes.charge(bytes).await?),
            None => Ok(()),
        }
    }

    /// Charges a new game. It is paid for once that it is started and that its creator leaves.
    pub(super) async fn charge_creation(&self, new: &NewGame) -> Result<()> {
        if let Some(client) = &self.client {
            client.charge_by(&self.creations)?;
        }
        self.charge(3 * change_bytes(&new.board, new.mode)).await?;
        self.make_room().await
    }

    /// When the games of this hour are used up, deletes the oldest idle one: a game that is over,
    /// or that has waited for a second player long enough.
    async fn make_room(&self) -> Result<()> {
        let Some(budgets) = &self.budgets else { return Ok(()) };
        let Err(spent) = budgets.games.charge(1).await else { return Ok(()) };
        // Otherwise concurrent requests would find the same game.
        let _inside = self.locks.lock("make room").await;
        let is_alone = Game::STATUS.eq(Status::Waiting).and(Game::PLAYER_COUNT.le(1_u32));
        let is_idle = is_alone.or(Game::STATUS.eq(Status::Finished));
        let long_ago = self.db.now().before(WAIT_MIN);
        let oldest = Game::newest().until(long_ago).filter(is_idle).limit(CANDIDATES_MAX);
        // A page takes eight requests at most, however many games are being played.
        for game in self.db.query(oldest).skip_corrupt().page(None).await?.items {
            self.charge(change_bytes(&game.board, Mode::Turns)).await?;
            match self.evict(&game).await {
                // Another player has joined, or another server was faster.
                Err(error) if error.is_retryable() => {}
                evicted => return evicted,
            }
        }
        Err(spent.into())
    }

    async fn evict(&self, game: &Game) -> Result<()> {
        let gone = delete(Game::key(&game.code)).only_if(Game::SEQUENCE.eq(game.sequence));
        // Other players of a game that is over stay until they expire: without their game they
        // count as gone.
        let creator = delete(Player::key(&game.code, &game.creator_id));
        self.db.transact((gone.or(Error::changed()), creator)).await
    }
}
