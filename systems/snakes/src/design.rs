//! The table: games, their players, and the connections over which they play.
//!
//! As the source shows it. Four attributes of a game are ours: `mode`; `turn`, whose turn it is;
//! `sequence` and `lastEvent`, which make the game's item the place where everything that happens
//! gets its order, so that whoever follows the changes of that one item sees all of it. Four more:
//! `membersTTL` says how long the items around a game are kept, `history` has the last events,
//! `winnerName` outlives the winner's own item, and `rematchCode` is the game that follows.

use crate::board::Board;
use crate::rules::{Effect, Mode};
use singlet::prelude::*;

id! {
    /// Six letters and digits by which a game is known.
    Code,
    /// A player of one game.
    PlayerId,
    /// A socket that is open.
    ConnectionId,
}

/// How many events are kept with a game that is played in turns.
pub const HISTORY_LEN_MAX: usize = 20;

/// The one table.
#[table(
    name = "snakes-{env}",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK)),
    ttl = TTL,
    stream,
    entities(Game, Player, Connection)
)]
pub struct Snakes;

/// A game.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Snakes,
    key = ("GAME#{code}", "METADATA"),
    GSI1 newest = ("GAMES", "{created_at}"),
    rename_all = "camelCase"
)]
pub struct Game {
    /// By which it is found and shared.
    pub code: Code,
    /// How far it is.
    pub status: Status,
    /// How it is played.
    pub mode: Mode,
    /// The player who may start it.
    pub creator_id: PlayerId,
    /// What it is played on.
    pub board: Board,
    /// Who has won.
    #[attribute(null)]
    pub winner_id: Option<PlayerId>,
    /// What the winner is called. Kept here, because the winner's item is gone once they leave.
    pub winner_name: Option<String>,
    /// Whose turn it is, while it is played in turns.
    pub turn: Option<PlayerId>,
    /// How many players there are, so that the last place is not given away twice.
    pub player_count: u32,
    /// The number of the last event.
    pub sequence: u64,
    /// The last event.
    pub last_event: Event,
    /// The last events, oldest first. In a race nothing is kept: many move at the same moment, and
    /// none of them knows the others' moves.
    pub history: Option<Vec<Event>>,
    /// The game that the same players play next.
    pub rematch_code: Option<Code>,
    /// Until when the items of its players and connections are kept: never shorter than the game.
    #[attribute(rename = "membersTTL")]
    pub members_ttl: Expiry,
    /// When it was made.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
    /// When it is gone unless it changes.
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

impl Game {
    /// The history of this game after one more event.
    pub(crate) fn history_with(&self, event: &Event) -> Option<Vec<Event>> {
        if self.mode == Mode::Race {
            return None;
        }
        let mut events = self.history.clone().unwrap_or_default();
        events.push(event.clone());
        let surplus = events.len().saturating_sub(HISTORY_LEN_MAX);
        events.drain(..surplus);
        Some(events)
    }
}

/// A player of one game.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Snakes,
    key = ("GAME#{game_code}", "PLAYER#{id}"),
    GSI1 by_id = ("PLAYER#{id}", "{joined_at}"),
    rename_all = "camelCase"
)]
pub struct Player {
    /// By which everybody knows it.
    pub id: PlayerId,
    /// The game.
    pub game_code: Code,
    /// What it is called.
    pub name: String,
    /// The colour of its token.
    pub color: String,
    /// Its square; 0 before the first.
    pub position: u32,
    /// The socket over which it plays.
    #[attribute(null)]
    pub connection_id: Option<ConnectionId>,
    /// Whether that is open.
    pub is_connected: bool,
    /// SHA-256 of the secret by which it acts. The secret itself is stored nowhere.
    pub secret_hash: Bytes,
    /// When it joined.
    pub joined_at: Timestamp,
    /// When it is gone.
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

/// A socket over which a player plays.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Snakes,
    key = ("CONNECTION#{connection_id}", "METADATA"),
    GSI1 of_game = ("GAME#{game_code}", "CONNECTION#{connection_id}"),
    rename_all = "camelCase"
)]
pub struct Connection {
    /// Its own name.
    pub connection_id: ConnectionId,
    /// The player.
    pub player_id: PlayerId,
    /// The game.
    pub game_code: Code,
    /// When it was opened.
    pub connected_at: Timestamp,
    /// When it is gone, if nobody closes it.
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

/// A game and all its players: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct Lobby {
    /// The game.
    pub game: Game,
    /// Its players, by id.
    pub players: Vec<Player>,
}

/// How far a game is.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum Status {
    /// Players may join.
    Waiting,
    /// Players may roll.
    Playing,
    /// Somebody has won, or everybody has left.
    Finished,
}

/// What happened to a game. Which members are there follows from the kind.
#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// To whom.
    pub player_id: PlayerId,
    /// Of one who joined.
    pub name: Option<String>,
    /// Of one who joined.
    pub color: Option<String>,
    /// Of a move.
    pub roll: Option<u8>,
    /// Of a move.
    pub from: Option<u16>,
    /// Of a move.
    pub to: Option<u16>,
    /// Of a move.
    pub effect: Option<Effect>,
    /// Whether the game ended with this event.
    pub ends_game: Option<bool>,
}

impl Event {
    /// An event about which there is nothing more to say.
    pub(crate) fn of(kind: EventKind, player: &PlayerId) -> Self {
        Self {
            kind,
            player_id: player.clone(),
            name: None,
            color: None,
            roll: None,
            from: None,
            to: None,
            effect: None,
            ends_game: None,
        }
    }
}

/// What can happen to a game.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "camelCase")]
pub enum EventKind {
    /// The creator made it.
    Created,
    /// Somebody joined.
    Joined,
    /// Somebody left.
    Left,
    /// The creator started it.
    Started,
    /// Somebody rolled and moved.
    Moved,
    /// Somebody created the game that follows this one.
    Rematch,
}
