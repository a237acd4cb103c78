//! Games: the score, the thirds, the goals, the rosters, and later changes.

use super::{
    EventId, GameId, LeagueId, Message, PlayerId, SeasonId, SessionId, SessionMirror, TeamId,
    ThreeFc, UserId, items, values,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use singlet::prelude::*;

values! {
    "lowercase"
    #[derive(Copy)]
    pub enum GameStatus { Scheduled, Live, Finished, Abandoned }

    #[derive(Copy)]
    pub enum Outcome { Win, Draw }

    #[derive(Copy)]
    pub enum TeamOutcome { Win, Draw, Loss };

    "kebab-case"
    /// How many teams share the first rank.
    #[derive(Copy)]
    pub enum DrawKind { TwoWay, ThreeWay }

    #[derive(Copy)]
    pub enum AbandonReason { Weather, Light, Injury, NoShow, Other };

    "camelCase"
    pub struct Third {
        /// 1, 2 or 3.
        pub third: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub started_at: Option<Timestamp>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub finished_at: Option<Timestamp>,
    }

    pub struct TeamScore {
        pub team_id: TeamId,
        pub conceded: u32,
        pub scored: u32,
    }

    pub struct TeamResult {
        pub team_id: TeamId,
        /// 1 to 3; teams that are equal share a rank.
        pub rank: u8,
        pub outcome: TeamOutcome,
    }

    pub struct GameResult {
        pub outcome: Outcome,
        /// Left out for a draw.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub winner_team_id: Option<TeamId>,
        /// Left out for a win.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub draw_kind: Option<DrawKind>,
        /// All three teams, in the order of the game.
        pub teams: Vec<TeamResult>,
    }

    /// Why a game does not count.
    pub struct Abandoned {
        pub reason: AbandonReason,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        pub absent_team_ids: Vec<TeamId>,
    }

    #[derive(Copy)]
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
    };
}

items! {
    /// Everything that changes a game rewrites this item, so all changes have one order.
    #[item("game", key = ("GAME#{game_id}", "METADATA"))]
    pub struct Game {
        pub game_id: GameId,
        pub league_id: LeagueId,
        pub season_id: SeasonId,
        pub session_id: SessionId,
        pub game_start_ts: Timestamp,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pitch: Option<String>,
        pub team_ids: Vec<TeamId>,
        pub third_length_minutes: u8,
        pub status: GameStatus,
        pub thirds: Vec<Third>,
        /// In the order of the teams.
        pub score: Vec<TeamScore>,
        pub goals: u32,
        /// The number of the last change.
        pub sequence: u32,
        #[attribute(with = serde)]
        #[serde(skip)]
        pub last_event: Message,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub finished_at: Option<Timestamp>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub result: Option<GameResult>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub abandoned: Option<Abandoned>,
    }

    #[item("goal", key timeline = ("GAME#{game_id}", "GOAL#{third:01}#{game_minute:04}#{event_id}"))]
    pub struct Goal {
        pub game_id: GameId,
        pub event_id: EventId,
        pub third: u8,
        /// The minute of the game, counted from the first third on.
        pub game_minute: u16,
        /// Since the third began; only of goals that were entered by the clock.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub elapsed_seconds: Option<u32>,
        pub conceding_team_id: TeamId,
        /// None for an own goal.
        #[attribute(null)]
        pub scoring_team_id: Option<TeamId>,
        pub own_goal: bool,
        #[attribute(null)]
        pub scorer_player_id: Option<PlayerId>,
        pub assist_player_ids: Vec<PlayerId>,
        /// The sequence of the game when the goal was entered.
        pub entry: u32,
        pub entered_by_user_id: UserId,
    }

    #[item("roster", key roster = ("GAME#{game_id}", "ROSTER#{team_id}#{player_id}"))]
    pub struct RosterEntry {
        pub game_id: GameId,
        pub team_id: TeamId,
        pub player_id: PlayerId,
    }

    /// That a goal was entered, also after it was removed: a goal that is sent twice is one goal.
    #[item("goalEvent", key = ("GAME#{game_id}", "EVENT#{event_id}"))]
    pub struct GoalMarker {
        #[attribute(in_key)]
        pub game_id: GameId,
        pub event_id: EventId,
        pub goal_sk: String,
        pub removed: bool,
        /// SHA-256 of the request, in hexadecimal digits.
        pub fingerprint: String,
    }

    /// Who changed what, and when.
    #[item("audit", key of_game = ("GAME#{game_id}", "AUDIT#{sequence:06}"))]
    pub struct AuditRecord {
        #[serde(skip)]
        pub game_id: GameId,
        /// The number of the change in the game.
        pub sequence: u32,
        pub at: Timestamp,
        #[serde(skip)]
        pub by_user_id: UserId,
        /// The display name of the person at the time.
        #[serde(rename = "by")]
        pub by_name: String,
        pub action: AuditAction,
        #[serde(skip)]
        pub event_id: Option<EventId>,
        #[attribute(with = serde)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub before: Option<Value>,
        #[attribute(with = serde)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub after: Option<Value>,
    }

    /// A game in the list of its session, in the order of the start, with its score.
    #[item("sessionGame", key of_session = ("SESSION#{session_id}", "GAME#{game_start_ts}#{game_id}"))]
    pub struct GameLink {
        pub session_id: SessionId,
        pub game_id: GameId,
        pub game_start_ts: Timestamp,
        pub league_id: LeagueId,
        pub season_id: SeasonId,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pitch: Option<String>,
        pub team_ids: Vec<TeamId>,
        pub status: GameStatus,
        pub score: Vec<TeamScore>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outcome: Option<Outcome>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub winner_team_id: Option<TeamId>,
    }
}

/// A game with its goals and rosters: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct GameItems {
    /// In the order of the timeline.
    pub goals: Vec<Goal>,
    pub game: Game,
    /// By team and player.
    pub roster: Vec<RosterEntry>,
}

/// A session with its games, in the order of their start: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct SessionGames {
    pub games: Vec<GameLink>,
    pub session: SessionMirror,
}

impl Third {
    pub fn is_running(&self) -> bool {
        self.started_at.is_some() && self.finished_at.is_none()
    }
}

impl Game {
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

    pub fn third(&self, number: u8) -> Option<&Third> {
        self.thirds.iter().find(|third| third.third == number)
    }

    /// Whether a third has started.
    pub fn has_begun(&self) -> bool {
        self.thirds.iter().any(|third| third.started_at.is_some())
    }
}

impl Goal {
    /// The players whom it names.
    pub fn players(&self) -> impl Iterator<Item = &PlayerId> {
        self.scorer_player_id.iter().chain(&self.assist_player_ids)
    }
}
