//! Responses that are not entities.

use crate::design::{Code, Game, PlayerId, Status};
use crate::rules::{Mode, Move};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;

/// A game in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameSummary {
    pub code: Code,
    pub status: Status,
    pub mode: Mode,
    pub creator_name: Option<String>,
    pub player_count: u32,
    pub player_count_max: u32,
    /// Whether players can join: it has not begun, and is not full.
    pub is_open: bool,
    pub created_at: Timestamp,
}

impl From<Game> for GameSummary {
    fn from(game: Game) -> Self {
        let player_count_max = game.mode.players_max() as u32;
        Self {
            code: game.code,
            status: game.status,
            mode: game.mode,
            creator_name: game.creator_name,
            player_count: game.player_count,
            player_count_max,
            is_open: game.status == Status::Waiting && game.player_count < player_count_max,
            created_at: game.created_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Move")]
pub struct PlayerMove {
    pub player_id: PlayerId,
    #[serde(flatten)]
    pub step: Move,
}
