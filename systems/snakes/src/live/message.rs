//! The messages on a socket.

use crate::design::{EventKind, Game};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Incoming {
    JoinGame {
        // The service knows what a name must be: serde has no path into tagged variants.
        #[schemars(length(min = 1, max = 384))]
        name: String,
    },
    /// Goes on as a player of the game.
    RejoinGame {
        #[schemars(length(max = 160))]
        secret: String,
    },
    StartGame,
    RollDice,
    /// The kit answers pings, unless there are too many.
    Ping,
}

/// The last event of a game, for its watchers. An event that ends the game is two messages.
pub fn event_messages(game: &Game) -> Vec<Value> {
    let Game { sequence, status, turn, winner_id, last_event: event, .. } = game;
    let message = match event.kind {
        // The game has no watchers yet.
        EventKind::Created => return Vec::new(),
        EventKind::Joined => json!({
            "type": "playerJoined", "sequence": sequence, "playerId": event.player_id,
            "name": event.name, "color": event.color, "seat": event.seat,
        }),
        EventKind::Left => json!({
            "type": "playerLeft", "sequence": sequence, "playerId": event.player_id,
            "creatorId": game.creator_id, "turn": turn, "status": status, "winnerId": winner_id,
        }),
        EventKind::Started => json!({"type": "gameStarted", "sequence": sequence, "turn": turn}),
        EventKind::Moved => json!({
            "type": "playerMoved", "sequence": sequence, "playerId": event.player_id,
            "roll": event.roll, "from": event.from, "to": event.to, "effect": event.effect,
            "turn": turn, "status": status, "winnerId": winner_id,
        }),
        EventKind::Rematch => json!({
            "type": "rematchOffered", "sequence": sequence, "playerId": event.player_id,
            "code": game.rematch_code,
        }),
    };
    let ended = json!({"type": "gameEnded", "sequence": sequence, "winnerId": winner_id});
    [message].into_iter().chain(event.ends_game.then_some(ended)).collect()
}
