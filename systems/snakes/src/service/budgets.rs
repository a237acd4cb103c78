//! How much people may have the game store. Nobody signs in to play, so anybody can ask for
//! anything as often as its address may; what all of it takes up has an end here.

use super::Service;
use crate::board::Board;
use crate::design::{Game, Player, Status};
use crate::error::Error;
use crate::rules::Mode;
use singlet::Retryable as _;
use singlet::prelude::*;
use singlet_web::Web;
use singlet_web::budget::Budget;
use std::time::Duration;

/// How many bytes are stored in an hour, in all: 25,000 moves in turns on the usual board, or
/// fourteen races of three hundred players. Games themselves take up little of it. But the stream of the table holds
/// both images of every change for a day, so a day of this is what the disk must have room for.
const BYTES_PER_HOUR_MAX: u64 = 512 << 20;
/// How many games are created in an hour before old ones have to go. A game that nobody touches is
/// kept for a day, so there are up to 50,000 of these.
const GAMES_PER_HOUR_MAX: u64 = 2_000;
/// How long a game may wait for a second player before it can go: long enough to tell others its
/// code.
const WAIT_MIN: Duration = Duration::from_secs(600);
/// How many games are tried when one has to go. Other servers may try the same ones.
const CANDIDATES_MAX: usize = 8;
/// How many bytes a change of a game takes up besides its board: a player, the indexes, and both
/// images of each in the stream.
const CHANGE_BYTES: u64 = 4_096;
/// How many bytes the history of a game in turns takes up in a change: both images of
/// [`HISTORY_LEN_MAX`](crate::design::HISTORY_LEN_MAX) events.
const HISTORY_BYTES: u64 = 14_336;
/// How many bytes a snake or a ladder takes up in a change: in both images of the game.
const JUMP_BYTES: u64 = 64;
/// How many bytes a change of a player or of a connection takes up.
const MEMBER_BYTES: u64 = 2_048;

/// What all players together may have stored in an hour. Servers on one store share it.
#[derive(Clone)]
pub struct Budgets {
    bytes: Budget,
    games: Budget,
}

impl Budgets {
    /// The usual budgets, counted in this database.
    #[must_use]
    pub fn new(db: Db<Web>) -> Self {
        Self::with_limits(db, BYTES_PER_HOUR_MAX, GAMES_PER_HOUR_MAX)
    }

    /// Other budgets, for tests.
    #[must_use]
    pub fn with_limits(db: Db<Web>, bytes_per_hour_max: u64, games_per_hour_max: u64) -> Self {
        Self {
            bytes: Budget::new(db.clone(), "snakes-bytes", bytes_per_hour_max),
            games: Budget::new(db, "snakes-games", games_per_hour_max),
        }
    }
}

/// Something that is stored.
#[derive(Clone, Copy)]
pub(super) enum Cost<'a> {
    /// A new game, which may be started once, and whose creator may leave once.
    Create(&'a Board, Mode),
    /// A new player, who may leave once.
    Join(&'a Board, Mode),
    /// A move.
    Roll(&'a Board, Mode),
    /// A connection, which is closed once.
    Connect,
    /// So many players and connections that are kept for longer.
    Renew(usize),
    /// An old game that goes.
    Evict(&'a Board),
}

impl Cost<'_> {
    fn bytes(self) -> u64 {
        let change = |board: &Board, mode: Mode| {
            let history = if mode == Mode::Turns { HISTORY_BYTES } else { 0 };
            CHANGE_BYTES + history + JUMP_BYTES * board.jumps().len() as u64
        };
        match self {
            Self::Create(board, mode) => 3 * change(board, mode),
            Self::Join(board, mode) => 2 * change(board, mode),
            Self::Roll(board, mode) => change(board, mode),
            Self::Evict(board) => change(board, Mode::Turns),
            Self::Connect => 4 * MEMBER_BYTES,
            Self::Renew(members) => MEMBER_BYTES * members as u64,
        }
    }
}

impl Service {
    /// Charges something before it is stored: the account of the client's address, and the budget
    /// of all.
    pub(super) async fn charge(&self, cost: Cost<'_>) -> Result<(), Error> {
        self.charge_client(cost)?;
        self.charge_budget(cost).await
    }

    /// Charges the account of the client's address.
    pub(super) fn charge_client(&self, cost: Cost<'_>) -> Result<(), Error> {
        match &self.client {
            Some(client) => Ok(client.charge_stored(cost.bytes())?),
            None => Ok(()),
        }
    }

    /// Charges the budget of all.
    pub(super) async fn charge_budget(&self, cost: Cost<'_>) -> Result<(), Error> {
        match &self.budgets {
            Some(budgets) => Ok(budgets.bytes.charge(cost.bytes()).await?),
            None => Ok(()),
        }
    }

    /// Makes room for a new game. When the games of this hour are spent, the oldest game that nobody
    /// plays goes: one that has waited for a second player long enough, or that is over.
    ///
    /// # Errors
    ///
    /// [`UNAVAILABLE`](singlet_web::problem::UNAVAILABLE) if there is none among the oldest games.
    pub(super) async fn make_room(&self) -> Result<(), Error> {
        let Some(budgets) = &self.budgets else { return Ok(()) };
        let Err(spent) = budgets.games.charge(1).await else { return Ok(()) };
        // Otherwise all who ask at once would find the same game.
        let _inside = self.locks.lock("make room").await;
        let is_alone = Game::STATUS.eq(Status::Waiting).and(Game::PLAYER_COUNT.le(1_u32));
        let is_idle = is_alone.or(Game::STATUS.eq(Status::Finished));
        let long_ago = self.db.now().before(WAIT_MIN);
        let oldest = Game::newest().until(long_ago).filter(is_idle).limit(CANDIDATES_MAX);
        // A page ends after eight requests, so that games which are played cannot make this dear.
        for game in self.db.query(oldest).skip_corrupt().page(None).await?.items {
            self.charge(Cost::Evict(&game.board)).await?;
            match self.evict(&game).await {
                Ok(()) => return Ok(()),
                // Somebody has joined it, or another server was faster.
                Err(error) if error.is_retryable() => {}
                Err(error) => return Err(error),
            }
        }
        Err(spent.into())
    }

    /// Deletes a game that nobody plays, unless it has changed.
    async fn evict(&self, game: &Game) -> Result<(), Error> {
        let gone = delete(Game::key(&game.code)).only_if(Game::SEQUENCE.eq(game.sequence));
        // Other players of a game that is over stay until they expire: without their game they
        // count as gone.
        let creator = delete(Player::key(&game.code, &game.creator_id));
        self.db.transact((gone.or(Error::changed()), creator)).await
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a panic here is a failing test")]

    use super::*;
    use crate::board::Jump;
    use crate::design::{HISTORY_LEN_MAX, Snakes};
    use crate::service::NewGame;
    use singlet::dynamo::binary;
    use singlet::dynamo::operation::{Answer, Scan};
    use singlet_web::random::Random;

    /// What the items of a game with two players, a connection and a full history take up in the
    /// store.
    async fn stored_bytes(board: Board) -> u64 {
        let service = Service::new(Db::<Snakes>::memory().await.unwrap(), Random::new());
        let new = NewGame { name: "\u{1f40d}".repeat(24), board, ..NewGame::default() };
        let joined = service.create_game(new).await.unwrap();
        let code = joined.lobby.game.code;
        service.connect(&code, &joined.secret).await.unwrap();
        let other = service.join(&code, &"\u{1f9ae}".repeat(24)).await.unwrap().secret;
        service.start(&code, &joined.secret).await.unwrap();
        for secret in [&joined.secret, &other].into_iter().cycle().take(HISTORY_LEN_MAX) {
            // Somebody may have won before.
            let _ = service.roll(&code, secret).await;
        }
        let scan = Scan::new(service.db().table_name::<Snakes>());
        let Ok(Answer::Page(page)) = service.db().execute(scan).await else { panic!("no page") };
        let items = page.items.unwrap();
        assert_eq!(items.len(), 4);
        items.iter().map(|item| binary::encode(&item.to_item()).len() as u64).sum()
    }

    /// The stream has both images of each item. Half as much again is for what holds them: keys,
    /// index rows, and pages that are not full.
    #[tokio::test]
    async fn a_change_is_charged_with_more_than_it_stores() {
        let jumps = (1..=200).map(|from| Jump { from, to: 399 - from / 2 }).collect();
        for board in [Board::default(), Board::new(400, jumps).unwrap()] {
            let charged = Cost::Roll(&board, Mode::Turns).bytes();
            let stored = 2 * stored_bytes(board).await;
            assert!(charged >= stored + stored / 2, "{charged} for {stored}");
        }
    }
}
