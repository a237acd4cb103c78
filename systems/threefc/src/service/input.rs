//! Request bodies. Their types check each value; rules between values are checked by the
//! operations.

use crate::design::*;
pub use crate::text::{Line, NewEventId, NewId, TeamCode, ThirdLength};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::{Date, Timestamp};
use singlet_web::api::Change;
use singlet_web::validate::{Distinct, PlannedTime};

singlet_web::inputs! {
    NewLeague {
        league_id: Option<NewId<LeagueId>>,
        name: Line<60>,
        city: Option<Line<40>>,
        /// Public by default.
        visibility: Option<Visibility>,
    }

    LeagueChange {
        name: Option<Line<60>>,
        /// Up to 40 characters; null removes it.
        #[serde(default)]
        city: Change<Line<40>>,
        visibility: Option<Visibility>,
    }

    NewSeason {
        season_id: Option<NewId<SeasonId>>,
        name: Line<40>,
        /// The first day.
        starts_on: Option<Date>,
        /// The last day.
        ends_on: Option<Date>,
        /// 20 by default.
        third_length_minutes: Option<ThirdLength>,
        /// Red, Blue and Yellow by default.
        #[schemars(length(min = 3, max = 24))]
        teams: Option<Vec<NewTeam>>,
    }

    SeasonChange {
        name: Option<Line<40>>,
        /// The first day; null removes it.
        #[serde(default)]
        starts_on: Change<Date>,
        /// The last day; null removes it.
        #[serde(default)]
        ends_on: Change<Date>,
        /// For games that are created from now on.
        third_length_minutes: Option<ThirdLength>,
    }

    NewTeam {
        team_id: Option<NewId<TeamId>>,
        name: Line<30>,
        /// 2 or 3 capitals and digits, unique in the season.
        code: TeamCode,
        color: Color,
    }

    #[derive(Default)]
    TeamChange {
        name: Option<Line<30>>,
        /// 2 or 3 capitals and digits, unique in the season.
        code: Option<TeamCode>,
        color: Option<Color>,
        /// Its usual players.
        squad_player_ids: Option<Distinct<PlayerId, 0, ROSTER_MAX>>,
        /// A retired team gets no new games.
        retired: Option<bool>,
    }

    NewSession {
        session_id: Option<NewId<SessionId>>,
        session_date: Date,
        venue: Option<Line<60>>,
    }

    SessionChange {
        session_date: Option<Date>,
        /// Up to 60 characters; null removes it.
        #[serde(default)]
        venue: Change<Line<60>>,
    }

    NewGame {
        game_id: Option<NewId<GameId>>,
        game_start_ts: PlannedTime,
        /// Three teams of the season.
        team_ids: Distinct<TeamId, 3, 3>,
        pitch: Option<Line<20>>,
        /// That of the season by default.
        third_length_minutes: Option<ThirdLength>,
    }

    #[derive(Default)]
    GameChange {
        game_start_ts: Option<PlannedTime>,
        /// Another session of the season.
        session_id: Option<SessionId>,
        /// Up to 20 characters; null removes it.
        #[serde(default)]
        pitch: Change<Line<20>>,
        /// Three teams of the season.
        team_ids: Option<Distinct<TeamId, 3, 3>>,
        third_length_minutes: Option<ThirdLength>,
    }

    /// When a third starts or finishes.
    ThirdTime {
        /// By the clock of a phone; now, if it is left out.
        at: Option<Timestamp>,
    }

    /// Corrections of a third. Omitted times stay.
    ThirdChange {
        /// Null takes the start back.
        #[serde(default)]
        started_at: Change<Timestamp>,
        /// Null takes the finish back.
        #[serde(default)]
        finished_at: Change<Timestamp>,
    }

    #[derive(Serialize)]
    NewGoal {
        /// A UUIDv7 that the client makes: the same goal sent twice is one goal.
        event_id: NewEventId,
        conceding_team_id: TeamId,
        /// Null for an own goal.
        scoring_team_id: Option<TeamId>,
        #[serde(default)]
        own_goal: bool,
        /// Null if the name is not known.
        scorer_player_id: Option<PlayerId>,
        #[serde(default)]
        assist_player_ids: Distinct<PlayerId, 0, 3>,
        /// The running third by default.
        #[schemars(range(min = 1, max = 3))]
        third: Option<u8>,
        /// By the clock of a phone; now, if it is left out.
        occurred_at: Option<Timestamp>,
        /// The minute of the game, by hand; with `third` and without `occurredAt`.
        #[schemars(range(max = 999))]
        game_minute: Option<u16>,
    }

    #[derive(Default)]
    GoalChange {
        conceding_team_id: Option<TeamId>,
        /// Null for an own goal.
        #[serde(default)]
        scoring_team_id: Change<TeamId>,
        own_goal: Option<bool>,
        /// Null if the name is not known.
        #[serde(default)]
        scorer_player_id: Change<PlayerId>,
        assist_player_ids: Option<Distinct<PlayerId, 0, 3>>,
        #[schemars(range(min = 1, max = 3))]
        third: Option<u8>,
        /// By the clock of a phone.
        occurred_at: Option<Timestamp>,
        /// The minute of the game, by hand.
        #[schemars(range(max = 999))]
        game_minute: Option<u16>,
    }

    UndoGoal {
        /// The goal that the caller believes to be the latest.
        expected_event_id: EventId,
    }

    FinishGame {
        /// Finishes the game with open thirds: for admins.
        #[serde(default)]
        force: bool,
    }

    AbandonGame {
        reason: AbandonReason,
        note: Option<Line<120>>,
        #[serde(default)]
        absent_team_ids: Distinct<TeamId, 0, 3>,
    }

    AssignRoster {
        team_id: TeamId,
    }

    NewPlayer {
        player_id: Option<NewId<PlayerId>>,
        nickname: Line<24>,
        /// The number on the shirt.
        #[schemars(range(max = 99))]
        number: Option<u8>,
    }

    PlayerChange {
        nickname: Option<Line<24>>,
        /// The number on the shirt; null removes it.
        #[serde(default)]
        #[schemars(range(max = 99))]
        number: Change<u8>,
        /// Archived players join no rosters.
        archived: Option<bool>,
    }

    GrantRole {
        role: Role,
        /// 1 to 40 characters. Needed for a new grant.
        display_name: Option<Line<40>>,
    }

    NewInvite {
        role: Role,
    }

    InviteCode {
        /// 26 letters and digits.
        #[schemars(length(min = 1, max = 64))]
        code: String,
    }

    AcceptInvite {
        /// 26 letters and digits.
        #[schemars(length(min = 1, max = 64))]
        code: String,
        display_name: Line<40>,
    }
}
