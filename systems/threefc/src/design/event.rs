//! The last change of a game, as its item stores it and watchers get it.

use super::{
    Abandoned, EventId, Game, GameResult, GameStatus, Player, PlayerId, TeamId, TeamScore, Third,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Timestamp;

macro_rules! event_kinds {
    ($($kind:ident = $name:literal),+ $(,)?) => {
        /// The kind of a change of a game.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum EventKind {
            $(#[serde(rename = $name)] $kind),+
        }

        impl EventKind {
            /// Its name in a stream.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name),+
                }
            }
        }
    };
}

event_kinds! {
    ThirdStarted = "thirdStarted",
    ThirdFinished = "thirdFinished",
    ThirdCorrected = "thirdCorrected",
    GoalAdded = "goalAdded",
    GoalChanged = "goalChanged",
    GoalRemoved = "goalRemoved",
    RosterChanged = "rosterChanged",
    GameChanged = "gameChanged",
    GameFinished = "gameFinished",
    GameAbandoned = "gameAbandoned",
    GameReopened = "gameReopened",
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerRef {
    pub player_id: PlayerId,
    pub nickname: String,
    /// The number on the shirt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u8>,
}

impl From<&Player> for PlayerRef {
    fn from(player: &Player) -> Self {
        let Player { player_id, nickname, number, .. } = player.clone();
        Self { player_id, nickname, number }
    }
}

/// A goal with the names of its players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalView {
    pub event_id: EventId,
    pub third: u8,
    /// The minute of the game, counted from the first third on.
    pub game_minute: u16,
    /// The minute as it is shown, within the third: `20+3'`.
    pub display_time: String,
    pub conceding_team_id: TeamId,
    /// Null for an own goal.
    pub scoring_team_id: Option<TeamId>,
    pub own_goal: bool,
    /// Null if the name is not known.
    pub scorer: Option<PlayerRef>,
    pub assists: Vec<PlayerRef>,
}

/// A change of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    #[serde(rename = "type")]
    pub kind: EventKind,
    pub sequence: u32,
    pub at: Timestamp,
    pub status: GameStatus,
    pub thirds: Vec<Third>,
    pub score: Vec<TeamScore>,
    /// The goal that was entered or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalView>,
    /// The goal that was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The player whose roster has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerRef>,
    /// The new team of that player; left out for a player who was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<Abandoned>,
}

impl Message {
    /// The message of a game that was just created.
    pub(crate) fn first(thirds: &[Third], score: &[TeamScore], at: Timestamp) -> Self {
        Self {
            kind: EventKind::GameChanged,
            sequence: 1,
            at,
            status: GameStatus::Scheduled,
            thirds: thirds.to_vec(),
            score: score.to_vec(),
            goal: None,
            event_id: None,
            player: None,
            team_id: None,
            result: None,
            abandoned: None,
        }
    }

    pub(crate) fn new(kind: EventKind, game: &Game, at: Timestamp) -> Self {
        Self {
            kind,
            sequence: game.sequence,
            status: game.status,
            result: game.result.clone(),
            abandoned: game.abandoned.clone(),
            ..Self::first(&game.thirds, &game.score, at)
        }
    }
}
