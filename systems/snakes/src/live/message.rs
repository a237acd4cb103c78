//! What is said on a socket.

use crate::design::{EventKind, Game, Status};
use crate::rules::Effect;
use crate::service::{Joined, NAME_CODE_POINTS_MAX};
use crate::view::{GameView, PlayerView, StatusView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a client says.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Incoming {
    /// Joins the game as a new player.
    JoinGame {
        /// What the player is called: 1 to 24 characters as people count them.
        #[schemars(length(min = 1, max = NAME_CODE_POINTS_MAX))]
        name: String,
    },
    /// Goes on as a player who has joined before.
    RejoinGame {
        /// What the player was given on joining.
        #[schemars(length(max = 160))]
        secret: String,
    },
    /// Starts the game.
    StartGame,
    /// Rolls the die.
    RollDice,
}

/// What the server says. Refusals are said by [`Socket::refuse`](singlet_web::live::Socket::refuse).
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Outgoing {
    /// The game as it is. Everything with a higher number comes after it.
    GameState {
        /// The number of the last event in it.
        sequence: u64,
        /// The game.
        game: GameView,
    },
    /// The client is this player from now on. To this client alone.
    JoinedGame {
        /// The player.
        player: PlayerView,
        /// By which it acts, if it is new.
        #[serde(skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
    },
    /// Somebody has joined.
    PlayerJoined {
        /// The number of this event.
        sequence: u64,
        /// Who it is.
        player_id: String,
        /// What it is called.
        name: String,
        /// The colour of its token.
        color: String,
    },
    /// Somebody has left.
    PlayerLeft {
        /// The number of this event.
        sequence: u64,
        /// Who it was.
        player_id: String,
        /// Who may start the game now.
        creator_id: String,
        /// Whose turn it is now.
        turn: Option<String>,
        /// How far the game is now.
        status: StatusView,
        /// Who has won, if somebody has.
        winner_id: Option<String>,
    },
    /// Somebody has rolled and moved.
    PlayerMoved {
        /// The number of this event.
        sequence: u64,
        /// Who it was.
        player_id: String,
        /// What was thrown.
        roll: u8,
        /// Where the player was.
        from: u16,
        /// Where the player is now.
        to: u16,
        /// What happened on the way.
        effect: Effect,
        /// Whose turn it is now.
        turn: Option<String>,
        /// How far the game is now.
        status: StatusView,
        /// Who has won, if somebody has.
        winner_id: Option<String>,
    },
    /// Somebody has created the game that follows this one. Play again to join it.
    RematchOffered {
        /// The number of this event.
        sequence: u64,
        /// Who it was.
        player_id: String,
        /// The code of that game.
        code: String,
    },
    /// The game has begun.
    GameStarted {
        /// The number of this event.
        sequence: u64,
        /// Whose turn it is.
        turn: Option<String>,
    },
    /// The game is over.
    GameEnded {
        /// The number of this event, which is that of the last move.
        sequence: u64,
        /// Who has won; nobody if everybody has left.
        winner_id: Option<String>,
    },
}

impl Outgoing {
    /// What the last event of a game is on the socket. One that wins is two messages.
    #[must_use]
    pub fn of_event(game: &Game) -> Vec<Self> {
        let (sequence, event) = (game.sequence, &game.last_event);
        let player_id = event.player_id.to_string();
        let turn = game.turn.as_ref().map(ToString::to_string);
        let winner_id = game.winner_id.as_ref().map(ToString::to_string);
        let status = StatusView::from(game.status);
        let mut messages = match event.kind {
            // Nobody can be watching yet.
            EventKind::Created => Vec::new(),
            EventKind::Joined => vec![Self::PlayerJoined {
                sequence,
                player_id,
                name: event.name.clone().unwrap_or_default(),
                color: event.color.clone().unwrap_or_default(),
            }],
            EventKind::Left => {
                let creator_id = game.creator_id.to_string();
                let winner_id = winner_id.clone();
                vec![Self::PlayerLeft { sequence, player_id, creator_id, turn, status, winner_id }]
            }
            EventKind::Started => vec![Self::GameStarted { sequence, turn }],
            EventKind::Moved => vec![Self::PlayerMoved {
                sequence,
                player_id,
                roll: event.roll.unwrap_or_default(),
                from: event.from.unwrap_or_default(),
                to: event.to.unwrap_or_default(),
                effect: event.effect.unwrap_or(Effect::None),
                turn,
                status,
                winner_id: winner_id.clone(),
            }],
            EventKind::Rematch => {
                let code = game.rematch_code.as_ref().map(ToString::to_string).unwrap_or_default();
                vec![Self::RematchOffered { sequence, player_id, code }]
            }
        };
        // Events that were stored by an earlier version do not say whether they end the game.
        let is_last_move = event.kind == EventKind::Moved && game.status == Status::Finished;
        if event.ends_game.unwrap_or(is_last_move) {
            messages.push(Self::GameEnded { sequence, winner_id });
        }
        messages
    }

    /// The game as it is.
    #[must_use]
    pub fn state(game: GameView) -> Self {
        Self::GameState { sequence: game.sequence, game }
    }

    /// For a player who has just joined.
    #[must_use]
    pub fn joined(joined: Joined) -> Self {
        let secret = Some(joined.secret.reveal().to_owned());
        Self::JoinedGame { player: joined.player.into(), secret }
    }

    /// The name of its kind, as in its member `type`.
    pub(super) fn event_name(&self) -> &'static str {
        match self {
            Self::GameState { .. } => "gameState",
            Self::JoinedGame { .. } => "joinedGame",
            Self::PlayerJoined { .. } => "playerJoined",
            Self::PlayerLeft { .. } => "playerLeft",
            Self::PlayerMoved { .. } => "playerMoved",
            Self::RematchOffered { .. } => "rematchOffered",
            Self::GameStarted { .. } => "gameStarted",
            Self::GameEnded { .. } => "gameEnded",
        }
    }
}
