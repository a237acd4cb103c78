//! Games and at-bats.

use super::{AtBatId, GameId, HackTracker, PlayerId, TeamId, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;
use std::collections::BTreeMap;

/// How far a game is.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GameStatus {
    /// It has not begun.
    Scheduled,
    /// It is played.
    InProgress,
    /// It is over.
    Final,
    /// It is to be played another day.
    Postponed,
}

/// Where a team plays. Who plays at home bats last.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum HomeAway {
    /// We bat last.
    Home,
    /// We bat first.
    Away,
}

/// Who bats.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum Half {
    /// We do.
    Team,
    /// The opponent does.
    Opponent,
}

/// Where a game is: derived from its at-bats and the position, in the same transaction.
#[derive(Attribute, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct GameState {
    /// The inning, from 1.
    pub inning: u8,
    /// Who bats.
    pub half: Half,
    /// How many are out, 0 to 2.
    pub outs: u8,
    /// Who is on first, second and third base: the at-bats that put them there.
    pub bases: Vec<Option<AtBatId>>,
    /// The slot that is up, from 1.
    pub next_batting_order: u8,
    /// How many at-bats this half has.
    pub at_bats: u8,
}

/// A score that somebody has set.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandScore {
    /// Our runs.
    pub team: u16,
    /// Their runs.
    pub opponent: u16,
}

/// What happened to a game.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum EventKind {
    /// It has begun, or goes on after it was postponed.
    GameStarted,
    /// An at-bat was recorded.
    AtBatRecorded,
    /// An at-bat was corrected or inserted.
    AtBatCorrected,
    /// An at-bat was removed, or something was undone.
    AtBatRemoved,
    /// Runners moved between at-bats.
    RunnersMoved,
    /// The opponent's runs of an inning were set.
    OpponentScored,
    /// Another half has begun, or was resumed.
    HalfChanged,
    /// The lineup was replaced.
    LineupChanged,
    /// Date, opponent, place or score by hand.
    GameChanged,
    /// It is to be played another day.
    GamePostponed,
    /// It is over.
    GameFinished,
    /// It goes on after all.
    GameReopened,
    /// It is gone.
    GameDeleted,
}

impl EventKind {
    /// The name, as it is stored and sent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GameStarted => "gameStarted",
            Self::AtBatRecorded => "atBatRecorded",
            Self::AtBatCorrected => "atBatCorrected",
            Self::AtBatRemoved => "atBatRemoved",
            Self::RunnersMoved => "runnersMoved",
            Self::OpponentScored => "opponentScored",
            Self::HalfChanged => "halfChanged",
            Self::LineupChanged => "lineupChanged",
            Self::GameChanged => "gameChanged",
            Self::GamePostponed => "gamePostponed",
            Self::GameFinished => "gameFinished",
            Self::GameReopened => "gameReopened",
            Self::GameDeleted => "gameDeleted",
        }
    }
}

/// The last change of a game: what the live feed sends.
#[derive(Attribute, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LastEvent {
    /// What happened.
    pub kind: EventKind,
    /// Who did it.
    pub by: UserId,
    /// When.
    pub at: Timestamp,
    /// The at-bat, as it was recorded.
    #[attribute(with = serde)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_bat: Option<Box<AtBat>>,
    /// The inning that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inning: Option<u8>,
}

/// A game. Every change of it or of its at-bats counts its `revision` up.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    HackTracker,
    key = ("GAME#{game_id}", "METADATA"),
    GSI2 all = ("ENTITY#GAME", "METADATA#{game_id}"),
    GSI3 of_team = ("TEAM#{team_id}", "GAME#{game_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Game {
    /// By which it is known.
    pub game_id: GameId,
    /// The team.
    pub team_id: TeamId,
    /// How far it is.
    pub status: GameStatus,
    /// When it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_start: Option<Timestamp>,
    /// Against whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_name: Option<String>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The season that it counts for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season_id: Option<String>,
    /// Our runs.
    pub team_score: u16,
    /// Their runs.
    pub opponent_score: u16,
    /// Players in batting order.
    pub lineup: Vec<PlayerId>,
    /// Whether we bat last. Absent: we bat first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_away: Option<HomeAway>,
    /// How many innings it has. Absent: 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regulation_innings: Option<u8>,
    /// How often it was changed: the order of all changes, and the number of live messages.
    pub revision: u64,
    /// The last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event: Option<LastEvent>,
    /// How many at-bats it has.
    pub at_bat_count: u16,
    /// Where it is. Absent before the start, and in games of PERSONAL teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<GameState>,
    /// Our runs, one number per half begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_runs: Option<Vec<u16>>,
    /// Their runs, one number per half begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_runs: Option<Vec<u16>>,
    /// Innings whose team half was ended by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<Vec<u16>>,
    /// The score by hand: it counts while there is neither an at-bat nor a run of the opponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hand_score: Option<HandScore>,
    /// Tie-break runners, by inning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placed: Option<BTreeMap<u8, PlayerId>>,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// How an at-bat ended.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum AtBatResult {
    /// Strikeout.
    K,
    /// Walk.
    Bb,
    /// Hit by pitch.
    Hbp,
    /// Single.
    #[attribute(rename = "1B")]
    #[serde(rename = "1B")]
    Single,
    /// Double.
    #[attribute(rename = "2B")]
    #[serde(rename = "2B")]
    Double,
    /// Triple.
    #[attribute(rename = "3B")]
    #[serde(rename = "3B")]
    Triple,
    /// Home run.
    Hr,
    /// Out in the field.
    Out,
    /// Sacrifice: a bunt, or else a fly.
    Sac,
    /// Fielder's choice.
    Fc,
    /// Reached on an error.
    E,
}

/// How the ball was hit.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are those of the game")]
pub enum HitType {
    FlyBall,
    GroundOut,
    LineDrive,
    PopUp,
    Bunt,
}

/// Where the ball came down, in a square: x from left to right, y from top to bottom.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HitLocation {
    /// From 0 to 1, with up to three decimals.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub x: f64,
    /// From 0 to 1, with up to three decimals.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub y: f64,
}

/// How a runner moved between at-bats.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum How {
    /// Stolen base.
    Sb,
    /// Caught stealing.
    Cs,
    /// Wild pitch.
    Wp,
    /// Passed ball.
    Pb,
    /// Something else.
    Other,
}

/// What the batter or a runner did.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Move {
    /// Who: the at-bat that put him on base. `PLACED` for a tie-break runner.
    pub at_bat_id: AtBatId,
    /// From which base; 0 for the batter.
    pub from: u8,
    /// To which base; 0 is an out, and 4 is home.
    pub to: u8,
    /// How, if it was between at-bats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<How>,
    /// The same number for all who moved together between at-bats: they are undone together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u8>,
}

/// An at-bat.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[entity(
    HackTracker,
    key of_game = ("GAME#{game_id}", "ATBAT#{at_bat_id}"),
    GSI5 of_player = ("PLAYER#{player_id}", "ATBAT#{at_bat_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct AtBat {
    /// The game.
    pub game_id: GameId,
    /// By which it is known.
    pub at_bat_id: AtBatId,
    /// Who batted.
    pub player_id: PlayerId,
    /// The team.
    pub team_id: TeamId,
    /// The inning.
    pub inning: u8,
    /// How many were out before it, 0 to 2.
    pub outs: u8,
    /// How it ended.
    pub result: AtBatResult,
    /// Runs batted in.
    pub rbis: u8,
    /// Where the ball came down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit_location: Option<HitLocation>,
    /// How the ball was hit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit_type: Option<HitType>,
    /// The slot of the lineup. Absent in games of PERSONAL teams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batting_order: Option<u8>,
    /// The slot that was up, if it was not the one after the at-bat before: the lineup was changed in
    /// between. For undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_up: Option<u8>,
    /// The order within the inning, from 1.
    pub sequence: u8,
    /// What batter and runners did: in the play, and then until the next at-bat.
    pub moves: Vec<Move>,
    /// Whether the batter came home from this at-bat.
    pub scored: bool,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A game and its at-bats: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct Book {
    /// The game.
    pub game: Game,
    /// Its at-bats, by id.
    pub at_bats: Vec<AtBat>,
}
