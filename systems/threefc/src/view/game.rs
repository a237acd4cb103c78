//! Games: the score, the goals, and what those who watch are sent.

use crate::design::{
    Abandoned, AuditAction, AuditRecord, EventId, Game, GameId, GameLink, GameResult, GameStatus,
    Goal, LeagueId, Player, PlayerId, Role, SeasonId, SessionId, TeamId, TeamScore, Third,
};
use crate::design::{Color, Team};
use crate::rules::{display_time, score_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use singlet::{Date, Timestamp};
use std::collections::BTreeMap;

/// A player by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerRef {
    /// The player.
    pub player_id: PlayerId,
    /// The player's nickname.
    pub nickname: String,
    /// The number on the shirt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u8>,
}

impl From<&Player> for PlayerRef {
    fn from(player: &Player) -> Self {
        Self {
            player_id: player.player_id.clone(),
            nickname: player.nickname.clone(),
            number: player.number,
        }
    }
}

/// Names by player.
pub(crate) type Names = BTreeMap<PlayerId, PlayerRef>;

/// A player by name. One who cannot be found is shown by the id.
pub(crate) fn name_of(names: &Names, player: &PlayerId) -> PlayerRef {
    names.get(player).cloned().unwrap_or_else(|| PlayerRef {
        player_id: player.clone(),
        nickname: player.to_string(),
        number: None,
    })
}

/// A goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalView {
    /// The entry.
    pub event_id: EventId,
    /// The third.
    pub third: u8,
    /// The minute of the game.
    pub game_minute: u16,
    /// The minute as it is shown, within the third: `20+3'`.
    pub display_time: String,
    /// The team that let it in.
    pub conceding_team_id: TeamId,
    /// The team that scored; null if it was an own goal.
    pub scoring_team_id: Option<TeamId>,
    /// Whether it was an own goal.
    pub own_goal: bool,
    /// Who scored; null if the name is not known.
    pub scorer: Option<PlayerRef>,
    /// Who helped.
    pub assists: Vec<PlayerRef>,
}

impl GoalView {
    /// The goal, with the names of its players.
    pub(crate) fn new(goal: &Goal, length_minutes: u8, names: &Names) -> Self {
        Self {
            event_id: goal.event_id.clone(),
            third: goal.third,
            game_minute: goal.game_minute,
            display_time: display_time(goal.third, length_minutes, goal.game_minute),
            conceding_team_id: goal.conceding_team_id.clone(),
            scoring_team_id: goal.scoring_team_id.clone(),
            own_goal: goal.own_goal,
            scorer: goal.scorer_player_id.as_ref().map(|player| name_of(names, player)),
            assists: goal.assist_player_ids.iter().map(|one| name_of(names, one)).collect(),
        }
    }
}

/// The kind of a change of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "events are what they are called")]
pub enum EventKind {
    ThirdStarted,
    ThirdFinished,
    ThirdCorrected,
    GoalAdded,
    GoalChanged,
    GoalRemoved,
    RosterChanged,
    GameChanged,
    GameFinished,
    GameAbandoned,
    GameReopened,
}

impl EventKind {
    /// Its name in a stream.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ThirdStarted => "thirdStarted",
            Self::ThirdFinished => "thirdFinished",
            Self::ThirdCorrected => "thirdCorrected",
            Self::GoalAdded => "goalAdded",
            Self::GoalChanged => "goalChanged",
            Self::GoalRemoved => "goalRemoved",
            Self::RosterChanged => "rosterChanged",
            Self::GameChanged => "gameChanged",
            Self::GameFinished => "gameFinished",
            Self::GameAbandoned => "gameAbandoned",
            Self::GameReopened => "gameReopened",
        }
    }
}

/// A change of a game, as those who watch get it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The kind of the change.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// The number of the change.
    pub sequence: u32,
    /// When.
    pub at: Timestamp,
    /// How far the game is.
    pub status: GameStatus,
    /// The thirds.
    pub thirds: Vec<Third>,
    /// The score.
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
    /// The team for which that player plays from now on; none if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// The result of a finished game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// Why the game does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<Abandoned>,
}

impl Message {
    /// A message about a game as it is now.
    pub(crate) fn new(kind: EventKind, game: &Game, at: Timestamp) -> Self {
        Self {
            kind,
            sequence: game.sequence,
            at,
            status: game.status,
            thirds: game.thirds.clone(),
            score: game.score.clone(),
            goal: None,
            event_id: None,
            player: None,
            team_id: None,
            result: game.result.clone(),
            abandoned: game.abandoned.clone(),
        }
    }
}

/// A league by name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeagueRef {
    /// Its id.
    pub league_id: LeagueId,
    /// Its name.
    pub name: String,
}

/// A season by name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeasonRef {
    /// Its id.
    pub season_id: SeasonId,
    /// Its name.
    pub name: String,
}

/// A session by date.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRef {
    /// Its id.
    pub session_id: SessionId,
    /// The day.
    pub session_date: Date,
    /// Where it is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
}

/// What a team has conceded and scored in one third.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ThirdScore {
    /// Goals it has let in.
    pub conceded: u32,
    /// Goals it has scored.
    pub scored: u32,
}

/// A team in a game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamView {
    /// Its id.
    pub team_id: TeamId,
    /// Its name.
    pub name: String,
    /// Two or three letters and digits that stand for it.
    pub code: String,
    /// Its colour.
    pub color: Color,
    /// Goals it has let in.
    pub conceded: u32,
    /// Goals it has scored.
    pub scored: u32,
    /// The same for each third.
    pub by_third: Vec<ThirdScore>,
    /// Its players in this game.
    pub roster: Vec<PlayerRef>,
}

impl TeamView {
    /// A team with its goals.
    pub(crate) fn new(
        team_id: &TeamId,
        team: Option<&Team>,
        goals: &[Goal],
        roster: Vec<PlayerRef>,
    ) -> Self {
        let score = |goals: &mut dyn Iterator<Item = &Goal>| {
            let score = score_of(std::slice::from_ref(team_id), goals);
            score.first().map_or((0, 0), |team| (team.conceded, team.scored))
        };
        let (conceded, scored) = score(&mut goals.iter());
        let by_third = (1..=3)
            .map(|third| score(&mut goals.iter().filter(|goal| goal.third == third)))
            .map(|(conceded, scored)| ThirdScore { conceded, scored })
            .collect();
        Self {
            team_id: team_id.clone(),
            name: team.map_or_else(|| team_id.to_string(), |team| team.name.clone()),
            code: team.map_or_else(|| "???".to_owned(), |team| team.code.clone()),
            color: team.map_or(Color::White, |team| team.color),
            conceded,
            scored,
            by_third,
            roster,
        }
    }
}

/// A game with all that its page shows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameView {
    /// Its id.
    pub game_id: GameId,
    /// The league.
    pub league: LeagueRef,
    /// The season.
    pub season: SeasonRef,
    /// The session.
    pub session: SessionRef,
    /// When it is to begin.
    pub game_start_ts: Timestamp,
    /// Where on the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<String>,
    /// How far it is.
    pub status: GameStatus,
    /// How long a third is.
    pub third_length_minutes: u8,
    /// The thirds.
    pub thirds: Vec<Third>,
    /// The server's time, for clocks that run in pages.
    pub server_now: Timestamp,
    /// The number of the last change.
    pub sequence: u32,
    /// The three teams.
    pub teams: Vec<TeamView>,
    /// The goals, in the order of the timeline.
    pub goals: Vec<GoalView>,
    /// The goal that was entered last: the one that can be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_event_id: Option<EventId>,
    /// The result, once it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// Why it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<Abandoned>,
    /// The caller's role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub my_role: Option<Role>,
}

/// A game in the list of its session, as season pages are sent it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameRow {
    /// A page ignores a row that is older than the one it shows.
    pub updated_at: Timestamp,
    /// The game.
    #[serde(flatten)]
    pub link: GameLink,
}

/// Who changed what, and when.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditView {
    /// The number of the change.
    pub sequence: u32,
    /// When.
    pub at: Timestamp,
    /// The display name of the person who made the change.
    pub by: String,
    /// The action.
    pub action: AuditAction,
    /// The state before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The state after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

impl From<AuditRecord> for AuditView {
    fn from(record: AuditRecord) -> Self {
        let AuditRecord { sequence, at, by_name, action, before, after, .. } = record;
        Self { sequence, at, by: by_name, action, before, after }
    }
}
