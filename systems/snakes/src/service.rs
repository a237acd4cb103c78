//! What can be done: the operations of the design, each a function.
//!
//! Everything that changes a game goes through its one item: a condition there decides, and the
//! number of the event is counted there. Nothing is kept in memory that a restart may not lose;
//! the locks only keep callers of this process from running into each other, and the conditions
//! hold without them.

mod budgets;
mod connect;
mod create;
mod expiry;
mod join;
mod leave;
mod rematch;
mod roll;
mod skeletons;
mod start;

pub use budgets::Budgets;
pub use create::NewGame;
pub use join::{Joined, NAME_CODE_POINTS_MAX};

use crate::design::{Code, Connection, ConnectionId, Game, Lobby, Player, PlayerId, Snakes};
use crate::error::Error;
use crate::view::GameView;
use singlet::prelude::*;
use singlet::{Cursor, Page};
use singlet_web::keyed_mutex::KeyedMutex;
use singlet_web::limit::ClientLimits;
use singlet_web::random::{Random, RandomUnavailable};
use singlet_web::secret::Secret;
use skeletons::Skeletons;
use std::str::FromStr;

/// The game as others use it. Clones are one service.
#[derive(Clone)]
pub struct Service {
    db: Db<Snakes>,
    random: Random,
    locks: KeyedMutex,
    skeletons: Skeletons,
    /// What all players may have stored; without it, as much as they like.
    budgets: Option<Budgets>,
    /// What the client's address may have stored.
    client: Option<ClientLimits>,
}

impl Service {
    /// A service on a database that has the table.
    #[must_use]
    pub fn new(db: Db<Snakes>, random: Random) -> Self {
        let (locks, skeletons) = (KeyedMutex::default(), Skeletons::default());
        Self { db, random, locks, skeletons, budgets: None, client: None }
    }

    /// The same service, which stores no more than this.
    #[must_use]
    pub fn with_budgets(self, budgets: Budgets) -> Self {
        Self { budgets: Some(budgets), ..self }
    }

    /// The same service for one client, whose address is charged for what is stored.
    #[must_use]
    pub fn for_client(&self, client: &ClientLimits) -> Self {
        Self { client: Some(client.clone()), ..self.clone() }
    }

    /// The database, for those who follow its changes.
    #[must_use]
    pub fn db(&self) -> &Db<Snakes> {
        &self.db
    }

    /// 1: a game.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`] if there is none.
    pub async fn game(&self, code: &Code) -> Result<Game, Error> {
        self.db.get(Game::key(code)).await?.ok_or(Error::GameNotFound)
    }

    /// 2: all players of a game.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`] if there is no such game; one without players is none.
    pub async fn players_of(&self, code: &Code) -> Result<Vec<Player>, Error> {
        let players = self.db.query(Player::of(code)).all().await?;
        if players.is_empty() { Err(Error::GameNotFound) } else { Ok(players) }
    }

    /// 3: a game and all its players, in one Query.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`] if there is none.
    pub async fn lobby(&self, code: &Code) -> Result<Lobby, Error> {
        // Who reads a game may be about to decide something, or to follow what happens next: both
        // need what is true now.
        self.db.load(Lobby::of(code).consistent()).await?.ok_or(Error::GameNotFound)
    }

    /// A game as everybody may see it: with its players, and who of them is connected.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`] if there is none.
    pub async fn view(&self, code: &Code) -> Result<GameView, Error> {
        let (lobby, connections) = (self.lobby(code).await?, self.connections_of(code).await?);
        Ok(GameView::from(lobby).with_connections(&connections))
    }

    /// 4: a player by its id.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`] if there is none, or its game is gone.
    pub async fn player(&self, id: &PlayerId) -> Result<Player, Error> {
        let found = self.db.query(Player::by_id(id)).first().await?;
        let player = found.ok_or(Error::PlayerNotFound)?;
        // A player's item is kept a little longer than its game's.
        match self.game(&player.game_code).await {
            Ok(_) => Ok(player),
            Err(Error::GameNotFound) => Err(Error::PlayerNotFound),
            Err(other) => Err(other),
        }
    }

    /// The player of a game whose secret this is.
    ///
    /// # Errors
    ///
    /// [`Error::WrongSecret`] if there is none.
    pub async fn player_of(&self, code: &Code, secret: &Secret) -> Result<Player, Error> {
        let id = player_id(secret).ok_or(Error::WrongSecret)?;
        let player = self.db.get(Player::key(code, &id).consistent()).await?;
        player.filter(|player| secret.matches_hash(&player.secret_hash)).ok_or(Error::WrongSecret)
    }

    /// 5: a connection; `None` if it is not open.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn connection(&self, id: &ConnectionId) -> Result<Option<Connection>, Error> {
        Ok(self.db.get(Connection::key(id)).await?)
    }

    /// 6: all connections of a game.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn connections_of(&self, code: &Code) -> Result<Vec<Connection>, Error> {
        Ok(self.db.query(Connection::of_game(code)).all().await?)
    }

    /// 7: games, newest first, a page at a time.
    ///
    /// # Errors
    ///
    /// [`INVALID`](singlet_web::problem::INVALID) if the cursor was not given out for this list.
    pub async fn newest_games(
        &self,
        limit: usize,
        cursor: Option<Cursor<Game>>,
    ) -> Result<Page<Game>, Error> {
        let games = self.db.query(Game::newest().descending().limit(limit));
        // One game that a newer version of this program has made must not hide all others.
        Ok(games.skip_corrupt().page(cursor).await?)
    }
}

impl Service {
    /// A new random id.
    fn new_id<I: FromStr>(&self) -> Result<I, Error> {
        Ok(self.random.uuid_v4()?.parse().map_err(|_| RandomUnavailable)?)
    }
}

/// The player who a secret is of, or claims to be of.
#[must_use]
pub fn player_id(secret: &Secret) -> Option<PlayerId> {
    PlayerId::new(secret.id()).ok()
}

/// The player of the lobby whose secret this is.
fn authenticate<'a>(lobby: &'a Lobby, secret: &Secret) -> Result<&'a Player, Error> {
    let id = player_id(secret).ok_or(Error::WrongSecret)?;
    let player = lobby.players.iter().find(|player| player.id == id);
    player.filter(|player| secret.matches_hash(&player.secret_hash)).ok_or(Error::WrongSecret)
}

/// The ids of players in the order in which they joined, which is the order of turns.
fn in_order(players: &[Player]) -> Vec<PlayerId> {
    let mut players: Vec<&Player> = players.iter().collect();
    players.sort_by(|one, other| (one.joined_at, &one.id).cmp(&(other.joined_at, &other.id)));
    players.into_iter().map(|player| player.id.clone()).collect()
}
