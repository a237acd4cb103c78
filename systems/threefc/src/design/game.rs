//! Games: the score, the thirds, the goals, the rosters, and what was changed afterwards.

use super::{
    EventId, GameId, LeagueId, PlayerId, SeasonId, SessionId, SessionMirror, TeamId, ThreeFc,
    UserId,
};
use crate::view::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use singlet::prelude::*;

/// How far a game is.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum GameStatus {
    /// No third has started.
    Scheduled,
    /// The first third has started.
    Live,
    /// It counts.
    Finished,
    /// It does not count.
    Abandoned,
}

/// One of the three thirds of a game.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Third {
    /// 1, 2 or 3.
    pub third: u8,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

impl Third {
    /// Whether it has begun and not ended.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.started_at.is_some() && self.finished_at.is_none()
    }
}

/// What a team has conceded and scored.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TeamScore {
    /// The team.
    pub team_id: TeamId,
    /// Goals it has let in.
    pub conceded: u32,
    /// Goals it has scored.
    pub scored: u32,
}

/// Win or draw.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// One team has won.
    Win,
    /// Two or three teams share the first rank.
    Draw,
}

/// How many teams share the first rank.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum DrawKind {
    /// Two; the third team has lost.
    TwoWay,
    /// All.
    ThreeWay,
}

/// The outcome of a game for one team.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum TeamOutcome {
    /// Alone on the first rank.
    Win,
    /// On the first rank with others.
    Draw,
    /// Behind.
    Loss,
}

/// The result of a team.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TeamResult {
    /// The team.
    pub team_id: TeamId,
    /// 1 to 3; teams that are equal share a rank.
    pub rank: u8,
    /// Win, draw or loss.
    pub outcome: TeamOutcome,
}

/// The result of a finished game.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct GameResult {
    /// Win or draw.
    pub outcome: Outcome,
    /// The winner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner_team_id: Option<TeamId>,
    /// How many teams share the first rank, if nobody has won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw_kind: Option<DrawKind>,
    /// All three teams, in the order of the game.
    pub teams: Vec<TeamResult>,
}

/// Why a game was abandoned.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "reasons are what they are called")]
pub enum AbandonReason {
    Weather,
    Light,
    Injury,
    NoShow,
    Other,
}

/// Why a game does not count.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Abandoned {
    /// Why.
    pub reason: AbandonReason,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Teams that did not come.
    pub absent_team_ids: Vec<TeamId>,
}

/// The action in an audit record.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "actions are what they are called")]
pub enum AuditAction {
    GoalAddedAfterFinish,
    GoalEdited,
    GoalDeleted,
    GoalUndone,
    ThirdCorrected,
    GameChanged,
    RosterChanged,
    GameFinished,
    GameAbandoned,
    GameReopened,
}

/// A game. Everything that changes it rewrites this item, so all changes have one order.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("GAME#{game_id}", "METADATA"),
    discriminator = ("entityType", "game"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Game {
    /// Its id.
    pub game_id: GameId,
    /// The league.
    pub league_id: LeagueId,
    /// The season.
    pub season_id: SeasonId,
    /// The session.
    pub session_id: SessionId,
    /// When it is to begin.
    pub game_start_ts: Timestamp,
    /// Where on the ground.
    pub pitch: Option<String>,
    /// The three teams.
    pub team_ids: Vec<TeamId>,
    /// How long a third is.
    pub third_length_minutes: u8,
    /// How far it is.
    pub status: GameStatus,
    /// The three thirds.
    pub thirds: Vec<Third>,
    /// The score, in the order of the teams.
    pub score: Vec<TeamScore>,
    /// How many goals it has.
    pub goals: u32,
    /// The number of the last change.
    pub sequence: u32,
    /// The last change, as it is sent to those who watch.
    #[attribute(with = serde)]
    pub last_event: Message,
    /// When it was finished.
    pub finished_at: Option<Timestamp>,
    /// Its result, once it is finished.
    pub result: Option<GameResult>,
    /// Why it does not count.
    pub abandoned: Option<Abandoned>,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A goal.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key timeline = ("GAME#{game_id}", "GOAL#{third:01}#{game_minute:04}#{event_id}"),
    discriminator = ("entityType", "goal"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Goal {
    /// The game.
    pub game_id: GameId,
    /// The entry.
    pub event_id: EventId,
    /// The third.
    pub third: u8,
    /// The minute of the game, counted from the first third on.
    pub game_minute: u16,
    /// Seconds since the third began, if it was entered by the clock.
    pub elapsed_seconds: Option<u32>,
    /// The team that let it in.
    pub conceding_team_id: TeamId,
    /// The team that scored; nobody, if it was an own goal.
    #[attribute(null)]
    pub scoring_team_id: Option<TeamId>,
    /// Whether it was an own goal.
    pub own_goal: bool,
    /// Who scored; nobody, if the name is not known.
    #[attribute(null)]
    pub scorer_player_id: Option<PlayerId>,
    /// Who helped.
    pub assist_player_ids: Vec<PlayerId>,
    /// The sequence of the game when it was entered.
    pub entry: u32,
    /// Who entered it.
    pub entered_by_user_id: UserId,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A player of a team in one game.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key roster = ("GAME#{game_id}", "ROSTER#{team_id}#{player_id}"),
    discriminator = ("entityType", "roster"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct RosterEntry {
    /// The game.
    pub game_id: GameId,
    /// The team.
    pub team_id: TeamId,
    /// The player.
    pub player_id: PlayerId,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A game in the list of its session, in the order of the start, with its score.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key of_session = ("SESSION#{session_id}", "GAME#{game_start_ts}#{game_id}"),
    discriminator = ("entityType", "sessionGame"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct GameLink {
    /// The session.
    pub session_id: SessionId,
    /// The game.
    pub game_id: GameId,
    /// When it is to begin.
    pub game_start_ts: Timestamp,
    /// The league.
    pub league_id: LeagueId,
    /// The season.
    pub season_id: SeasonId,
    /// Where on the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<String>,
    /// The three teams.
    pub team_ids: Vec<TeamId>,
    /// How far it is.
    pub status: GameStatus,
    /// The score.
    pub score: Vec<TeamScore>,
    /// Win or draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The winner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner_team_id: Option<TeamId>,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// That a goal was entered, also after it was removed: a goal that is sent twice is one goal.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("GAME#{game_id}", "EVENT#{event_id}"),
    discriminator = ("entityType", "goalEvent"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct GoalMarker {
    /// The game.
    #[attribute(in_key)]
    pub game_id: GameId,
    /// The entry.
    pub event_id: EventId,
    /// The sort key of the goal.
    pub goal_sk: String,
    /// Whether the goal was removed.
    pub removed: bool,
    /// SHA-256 of what was sent, in hexadecimal digits.
    pub fingerprint: String,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// Who changed what, and when.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_game = ("GAME#{game_id}", "AUDIT#{sequence:06}"),
    discriminator = ("entityType", "audit"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct AuditRecord {
    /// The game.
    pub game_id: GameId,
    /// The sequence of the game.
    pub sequence: u32,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by_user_id: UserId,
    /// Their display name at the time.
    pub by_name: String,
    /// The action.
    pub action: AuditAction,
    /// The goal that it is about.
    pub event_id: Option<EventId>,
    /// The state before the change.
    #[attribute(with = serde)]
    pub before: Option<Value>,
    /// The state after the change.
    #[attribute(with = serde)]
    pub after: Option<Value>,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A game with its goals and rosters: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct GameItems {
    /// In the order of the timeline.
    pub goals: Vec<Goal>,
    /// The game.
    pub game: Game,
    /// By team and player.
    pub roster: Vec<RosterEntry>,
}

/// A session with its games, in the order of their start: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct SessionGames {
    /// The games.
    pub games: Vec<GameLink>,
    /// The session.
    pub session: SessionMirror,
}

impl Game {
    /// The entry of the game in the list of its session.
    #[must_use]
    pub fn link(&self) -> GameLink {
        GameLink {
            session_id: self.session_id.clone(),
            game_id: self.game_id.clone(),
            game_start_ts: self.game_start_ts,
            league_id: self.league_id.clone(),
            season_id: self.season_id.clone(),
            pitch: self.pitch.clone(),
            team_ids: self.team_ids.clone(),
            status: self.status,
            score: self.score.clone(),
            outcome: self.result.as_ref().map(|result| result.outcome),
            winner_team_id: self.result.as_ref().and_then(|one| one.winner_team_id.clone()),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// A third by its number, if there is one.
    #[must_use]
    pub fn third(&self, number: u8) -> Option<&Third> {
        self.thirds.iter().find(|third| third.third == number)
    }

    /// Whether a third has started.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.thirds.iter().any(|third| third.started_at.is_some())
    }
}

impl Goal {
    /// Its sort key.
    #[must_use]
    pub fn sort_key(&self) -> String {
        format!("GOAL#{}#{:04}#{}", self.third, self.game_minute, self.event_id)
    }
}
