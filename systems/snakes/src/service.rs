//! The operations of the design, each a function.
//!
//! Everything that changes a game goes through its item: a condition there decides, and the event
//! gets its number there. The locks only save retries within this process; the conditions hold
//! without them.

mod budgets;
mod connect;
mod create;
mod event;
mod join;
mod leave;
mod rematch;
mod roll;
mod skeletons;
mod start;

pub use budgets::Budgets;
pub use create::NewGame;
pub use join::{Joined, PlayerName};

use crate::design::{Code, Connection, ConnectionId, Game, Lobby, Player, PlayerId, Snakes};
use crate::error::{Error, Result};
use budgets::CREATION_RATE;
use singlet::prelude::*;
use singlet::{Cursor, Page};
use singlet_web::keyed_mutex::KeyedMutex;
use singlet_web::limit::{ClientLimits, Limiter};
use singlet_web::random::Random;
use singlet_web::secret::Secret;
use skeletons::Skeletons;
use std::net::IpAddr;
use std::sync::Arc;

/// Clones are one service.
#[derive(Clone)]
pub struct Service {
    db: Db<Snakes>,
    random: Random,
    locks: KeyedMutex,
    skeletons: Skeletons,
    creations: Arc<Limiter<IpAddr>>,
    /// The bound for all players together, if there is one.
    budgets: Option<Budgets>,
    /// The bound for the client's address.
    client: Option<ClientLimits>,
}

impl Service {
    pub fn new(db: Db<Snakes>, random: Random) -> Self {
        let (locks, skeletons) = (KeyedMutex::default(), Skeletons::default());
        let creations = Arc::new(Limiter::new(CREATION_RATE));
        Self { db, random, locks, skeletons, creations, budgets: None, client: None }
    }

    pub fn with_budgets(self, budgets: Budgets) -> Self {
        Self { budgets: Some(budgets), ..self }
    }

    /// The same service for a client. Its address is charged for the bytes it stores.
    pub fn for_client(&self, client: &ClientLimits) -> Self {
        Self { client: Some(client.clone()), ..self.clone() }
    }

    pub fn db(&self) -> &Db<Snakes> {
        &self.db
    }

    /// 1: a game.
    pub async fn game(&self, code: &Code) -> Result<Game> {
        self.db.get(Game::key(code)).await?.ok_or(Error::GameNotFound)
    }

    /// 2: all players of a game, in no particular order.
    pub async fn players_of(&self, code: &Code) -> Result<Vec<Player>> {
        let players = self.db.query(Player::of(code)).all().await?;
        if players.is_empty() { Err(Error::GameNotFound) } else { Ok(players) }
    }

    /// 3: a game and all its players, in one Query.
    pub async fn lobby(&self, code: &Code) -> Result<Lobby> {
        // Consistent, because callers decide something on it, or follow the events after it.
        let lobby = self.db.load(Lobby::of(code).consistent()).await?;
        let mut lobby = lobby.ok_or(Error::GameNotFound)?;
        sort(&mut lobby.players);
        Ok(lobby)
    }

    /// A game for clients. A player is connected if it has an open connection: what its item says
    /// is wrong after a server was killed.
    pub async fn view(&self, code: &Code) -> Result<Lobby> {
        let (mut lobby, connections) = (self.lobby(code).await?, self.connections_of(code).await?);
        for player in &mut lobby.players {
            player.is_connected = connections.iter().any(|one| one.player_id == player.id);
        }
        Ok(lobby)
    }

    /// 4: a player by its id.
    pub async fn player(&self, id: &PlayerId) -> Result<Player> {
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
    pub async fn player_of(&self, code: &Code, secret: &Secret) -> Result<Player> {
        let id = player_id(secret).ok_or(Error::WrongSecret)?;
        let player = self.db.get(Player::key(code, &id).consistent()).await?;
        player.filter(|player| secret.matches_hash(&player.secret_hash)).ok_or(Error::WrongSecret)
    }

    /// 5: a connection; `None` if it is not open.
    pub async fn connection(&self, id: &ConnectionId) -> Result<Option<Connection>> {
        Ok(self.db.get(Connection::key(id)).await?)
    }

    /// 6: all connections of a game.
    pub async fn connections_of(&self, code: &Code) -> Result<Vec<Connection>> {
        Ok(self.db.query(Connection::of_game(code)).all().await?)
    }

    /// 7: games, newest first, a page at a time.
    pub async fn newest_games(
        &self,
        limit: usize,
        cursor: Option<Cursor<Game>>,
    ) -> Result<Page<Game>> {
        let games = self.db.query(Game::newest().descending().limit(limit));
        // A game that a newer version of this program has made does not hide the others.
        Ok(games.skip_corrupt().page(cursor).await?)
    }
}

/// The player that a secret claims to be of.
pub fn player_id(secret: &Secret) -> Option<PlayerId> {
    PlayerId::new(secret.id()).ok()
}

/// The player whose secret this is.
fn authenticate<'a>(players: &'a [Player], secret: &Secret) -> Result<&'a Player> {
    let id = player_id(secret).ok_or(Error::WrongSecret)?;
    let player = players.iter().find(|player| player.id == id);
    player.filter(|player| secret.matches_hash(&player.secret_hash)).ok_or(Error::WrongSecret)
}

/// Sorts players by the order of play.
fn sort(players: &mut [Player]) {
    let key = |player: &Player| (player.seat, player.joined_at);
    players.sort_by(|one, other| key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id)));
}
