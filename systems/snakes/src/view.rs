//! What everybody may see of a game. Secrets are no part of it, and cannot be: a view is made
//! member by member.

use crate::board::Board;
use crate::design::{Connection, Event, EventKind, Game, Lobby, Player, PlayerId, Status};
use crate::rules::{Effect, Mode, Move};
use schemars::JsonSchema;
use serde::Serialize;

/// A game with its players.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Game")]
pub struct GameView {
    /// By which it is found and shared.
    pub code: String,
    /// How far it is.
    pub status: StatusView,
    /// How it is played.
    pub mode: Mode,
    /// The player who may start it.
    pub creator_id: String,
    /// What it is played on.
    pub board: Board,
    /// Who has won, once somebody has.
    pub winner_id: Option<String>,
    /// What the winner is called, also after they have left.
    pub winner_name: Option<String>,
    /// Whose turn it is, while it is played in turns.
    pub turn: Option<String>,
    /// The number of the last event. Pushes carry the numbers after it.
    pub sequence: u64,
    /// The last events, oldest first. Of a race nothing is kept.
    pub history: Vec<EventView>,
    /// The game that the same players play next, if somebody has offered one.
    pub rematch_code: Option<String>,
    /// The players in the order in which they joined.
    pub players: Vec<PlayerView>,
    /// When it was made.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GameSummary")]
pub struct GameSummary {
    /// By which it is found and shared.
    pub code: String,
    /// How far it is.
    pub status: StatusView,
    /// How it is played.
    pub mode: Mode,
    /// How many players it has.
    pub player_count: u32,
    /// How many it may have.
    pub player_count_max: u32,
    /// Whether players can join: it has not begun, and is not full.
    pub is_open: bool,
    /// When it was made.
    pub created_at: String,
}

/// How far a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Status")]
pub enum StatusView {
    /// Players may join.
    Waiting,
    /// Players may roll.
    Playing,
    /// Somebody has won, or everybody has left.
    Finished,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Player")]
pub struct PlayerView {
    /// By which everybody knows it.
    pub id: String,
    /// The code of its game.
    pub game_code: String,
    /// What it is called.
    pub name: String,
    /// The colour of its token.
    pub color: String,
    /// Its square; 0 before the first.
    pub position: u32,
    /// Whether it has a socket open.
    pub is_connected: bool,
    /// When it joined.
    pub joined_at: String,
}

/// Something that happened in a game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Event")]
pub struct EventView {
    /// Its number.
    pub sequence: u64,
    /// What happened: created, joined, left, started, moved or rematch.
    pub kind: &'static str,
    /// To whom.
    pub player_id: String,
    /// The name of that player.
    pub name: Option<String>,
    /// Of a move: what was thrown.
    pub roll: Option<u8>,
    /// Of a move: where the player was.
    pub from: Option<u16>,
    /// Of a move: where the player is now.
    pub to: Option<u16>,
    /// Of a move: what happened on the way.
    pub effect: Option<Effect>,
    /// Whether the game ended with it.
    pub ends_game: bool,
}

impl EventView {
    fn new(sequence: u64, event: Event) -> Self {
        Self {
            sequence,
            kind: match event.kind {
                EventKind::Created => "created",
                EventKind::Joined => "joined",
                EventKind::Left => "left",
                EventKind::Started => "started",
                EventKind::Moved => "moved",
                EventKind::Rematch => "rematch",
            },
            player_id: event.player_id.to_string(),
            name: event.name,
            roll: event.roll,
            from: event.from,
            to: event.to,
            effect: event.effect,
            ends_game: event.ends_game.unwrap_or_default(),
        }
    }
}

impl GameView {
    /// With players who are connected if they have one of these connections open. What their items
    /// say may be wrong after a server was killed.
    #[must_use]
    pub fn with_connections(mut self, connections: &[Connection]) -> Self {
        for player in &mut self.players {
            let is_of = |connection: &Connection| connection.player_id.as_str() == player.id;
            player.is_connected = connections.iter().any(is_of);
        }
        self
    }
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Move")]
pub struct MoveView {
    /// Who moved.
    pub player_id: String,
    /// What was thrown, 1 to 6.
    pub roll: u8,
    /// Where the player was.
    pub from: u16,
    /// Where the player is now.
    pub to: u16,
    /// What happened on the way.
    pub effect: Effect,
    /// Whether this won the game.
    pub wins: bool,
}

impl MoveView {
    /// A move of this player.
    #[must_use]
    pub fn new(player: &PlayerId, step: &Move) -> Self {
        let Move { roll, from, to, effect, wins } = *step;
        Self { player_id: player.to_string(), roll: roll.eyes(), from, to, effect, wins }
    }
}

impl From<Status> for StatusView {
    fn from(status: Status) -> Self {
        match status {
            Status::Waiting => Self::Waiting,
            Status::Playing => Self::Playing,
            Status::Finished => Self::Finished,
        }
    }
}

impl From<Lobby> for GameView {
    fn from(lobby: Lobby) -> Self {
        let Lobby { game, mut players } = lobby;
        players.sort_by(|one, other| (one.joined_at, &one.id).cmp(&(other.joined_at, &other.id)));
        // Games that an earlier version ended have no name of the winner.
        let is_winner = |player: &&Player| Some(&player.id) == game.winner_id.as_ref();
        let named = || players.iter().find(is_winner).map(|winner| winner.name.clone());
        let winner_name = game.winner_name.or_else(named);
        Self {
            code: game.code.to_string(),
            status: game.status.into(),
            mode: game.mode,
            creator_id: game.creator_id.to_string(),
            board: game.board,
            winner_id: game.winner_id.map(|id| id.to_string()),
            winner_name,
            turn: game.turn.map(|id| id.to_string()),
            sequence: game.sequence,
            history: history(game.sequence, game.history.unwrap_or_default()),
            rematch_code: game.rematch_code.map(|code| code.to_string()),
            players: players.into_iter().map(PlayerView::from).collect(),
            created_at: game.created_at.to_string(),
            updated_at: game.updated_at.to_string(),
        }
    }
}

/// Events with their numbers, of which the last one has this.
fn history(last: u64, events: Vec<Event>) -> Vec<EventView> {
    let first = (last + 1).saturating_sub(events.len() as u64);
    (first..).zip(events).map(|(number, event)| EventView::new(number, event)).collect()
}

impl From<Game> for GameSummary {
    fn from(game: Game) -> Self {
        Self {
            code: game.code.to_string(),
            status: game.status.into(),
            mode: game.mode,
            player_count: game.player_count,
            player_count_max: game.mode.players_max() as u32,
            is_open: game.status == Status::Waiting
                && (game.player_count as usize) < game.mode.players_max(),
            created_at: game.created_at.to_string(),
        }
    }
}

impl From<Player> for PlayerView {
    fn from(player: Player) -> Self {
        Self {
            id: player.id.to_string(),
            game_code: player.game_code.to_string(),
            name: player.name,
            color: player.color,
            position: player.position,
            is_connected: player.is_connected,
            joined_at: player.joined_at.to_string(),
        }
    }
}
