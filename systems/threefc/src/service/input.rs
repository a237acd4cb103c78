//! Request bodies. The schemas are shown by the API and checked by the kit; what no
//! schema can say, the operations check.

use crate::design::{AbandonReason, Color, Role, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::{Date, Timestamp};
use singlet_web::api::Change;

macro_rules! inputs {
    ($(
        $(#[$attribute:meta])*
        $name:ident {
            $($(#[$field_attribute:meta])* $field:ident: $type:ty,)+
        }
    )+) => {
        $(
            $(#[$attribute])*
            #[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
            #[serde(rename_all = "camelCase", deny_unknown_fields)]
            pub struct $name {
                $($(#[$field_attribute])* pub $field: $type,)+
            }
        )+
    };
}

inputs! {
    /// A league to be created.
    NewLeague {
        /// 2 to 40 small letters, digits and `-`.
        league_id: Option<String>,
        /// 1 to 60 characters.
        #[schemars(length(min = 1, max = 960))]
        name: String,
        /// Up to 40 characters.
        #[schemars(length(min = 1, max = 640))]
        city: Option<String>,
        /// Public, unless said otherwise.
        visibility: Option<Visibility>,
    }

    /// Changes of a league.
    LeagueChange {
        /// 1 to 60 characters.
        #[schemars(length(min = 1, max = 960))]
        name: Option<String>,
        /// Up to 40 characters; null removes it.
        #[serde(default)]
        #[schemars(length(min = 1, max = 640))]
        city: Change<String>,
        /// Who can see it.
        visibility: Option<Visibility>,
    }

    /// A season to be created.
    NewSeason {
        /// 2 to 40 small letters, digits and `-`.
        season_id: Option<String>,
        /// 1 to 40 characters.
        #[schemars(length(min = 1, max = 640))]
        name: String,
        /// The first day.
        starts_on: Option<Date>,
        /// The last day.
        ends_on: Option<Date>,
        /// 20, 25 or 30; 20 unless said otherwise.
        #[schemars(range(min = 20, max = 30))]
        third_length_minutes: Option<u8>,
        /// Red, Blue and Yellow, unless said otherwise.
        #[schemars(length(min = 3, max = 24))]
        teams: Option<Vec<NewTeam>>,
    }

    /// Changes of a season.
    SeasonChange {
        /// 1 to 40 characters.
        #[schemars(length(min = 1, max = 640))]
        name: Option<String>,
        /// The first day; null removes it.
        #[serde(default)]
        starts_on: Change<Date>,
        /// The last day; null removes it.
        #[serde(default)]
        ends_on: Change<Date>,
        /// 20, 25 or 30, for games that are created from now on.
        #[schemars(range(min = 20, max = 30))]
        third_length_minutes: Option<u8>,
    }

    /// A team to be created.
    NewTeam {
        /// 2 to 40 small letters, digits and `-`.
        team_id: Option<String>,
        /// 1 to 30 characters.
        #[schemars(length(min = 1, max = 480))]
        name: String,
        /// 2 or 3 capitals and digits, unique in the season.
        #[schemars(length(min = 2, max = 3))]
        code: String,
        /// Its colour.
        color: Color,
    }

    /// Changes of a team.
    TeamChange {
        /// 1 to 30 characters.
        #[schemars(length(min = 1, max = 480))]
        name: Option<String>,
        /// 2 or 3 capitals and digits, unique in the season.
        #[schemars(length(min = 2, max = 3))]
        code: Option<String>,
        /// Its colour.
        color: Option<Color>,
        /// Its usual players.
        #[schemars(length(max = 15))]
        squad_player_ids: Option<Vec<String>>,
        /// Whether it no longer plays.
        retired: Option<bool>,
    }

    /// A session to be created.
    NewSession {
        /// 2 to 40 small letters, digits and `-`.
        session_id: Option<String>,
        /// The day.
        session_date: Date,
        /// Up to 60 characters.
        #[schemars(length(min = 1, max = 960))]
        venue: Option<String>,
    }

    /// Changes of a session.
    SessionChange {
        /// The day.
        session_date: Option<Date>,
        /// Up to 60 characters; null removes it.
        #[serde(default)]
        #[schemars(length(min = 1, max = 960))]
        venue: Change<String>,
    }

    /// A game to be created.
    NewGame {
        /// 2 to 40 small letters, digits and `-`.
        game_id: Option<String>,
        /// When it is to begin.
        game_start_ts: Timestamp,
        /// Three teams of the season.
        #[schemars(length(min = 3, max = 3))]
        team_ids: Vec<String>,
        /// Up to 20 characters.
        #[schemars(length(min = 1, max = 320))]
        pitch: Option<String>,
        /// 20, 25 or 30; as in the season unless said otherwise.
        #[schemars(range(min = 20, max = 30))]
        third_length_minutes: Option<u8>,
    }

    /// Changes of a game.
    GameChange {
        /// When it is to begin.
        game_start_ts: Option<Timestamp>,
        /// Another session of the season.
        session_id: Option<String>,
        /// Up to 20 characters; null removes it.
        #[serde(default)]
        #[schemars(length(min = 1, max = 320))]
        pitch: Change<String>,
        /// Three teams of the season.
        #[schemars(length(min = 3, max = 3))]
        team_ids: Option<Vec<String>>,
        /// 20, 25 or 30.
        #[schemars(range(min = 20, max = 30))]
        third_length_minutes: Option<u8>,
    }

    /// When a third starts or finishes.
    ThirdTime {
        /// By the clock of a phone; now, if it is left out.
        at: Option<Timestamp>,
    }

    /// Corrections of a third. What is left out stays.
    ThirdChange {
        /// When it started; null takes the start back.
        #[serde(default)]
        started_at: Change<Timestamp>,
        /// When it finished; null takes the finish back.
        #[serde(default)]
        finished_at: Change<Timestamp>,
    }

    /// A goal to be entered.
    #[derive(Serialize)]
    NewGoal {
        /// A UUIDv7 that the client makes: the same goal sent twice is one goal.
        #[schemars(length(min = 36, max = 36))]
        event_id: String,
        /// The team that let it in.
        conceding_team_id: String,
        /// The team that scored; null for an own goal.
        scoring_team_id: Option<String>,
        /// Whether it was an own goal.
        #[serde(default)]
        own_goal: bool,
        /// Who scored; null if the name is not known.
        scorer_player_id: Option<String>,
        /// Who helped.
        #[serde(default)]
        #[schemars(length(max = 3))]
        assist_player_ids: Vec<String>,
        /// The third; the running one, if it is left out.
        #[schemars(range(min = 1, max = 3))]
        third: Option<u8>,
        /// By the clock of a phone; now, if it is left out.
        occurred_at: Option<Timestamp>,
        /// The minute of the game, by hand; with `third` and without `occurredAt`.
        #[schemars(range(max = 999))]
        game_minute: Option<u16>,
    }

    /// Changes of a goal.
    GoalChange {
        /// The team that let it in.
        conceding_team_id: Option<String>,
        /// The team that scored; null for an own goal.
        #[serde(default)]
        scoring_team_id: Change<String>,
        /// Whether it was an own goal.
        own_goal: Option<bool>,
        /// Who scored; null if the name is not known.
        #[serde(default)]
        scorer_player_id: Change<String>,
        /// Who helped.
        #[schemars(length(max = 3))]
        assist_player_ids: Option<Vec<String>>,
        /// The third.
        #[schemars(range(min = 1, max = 3))]
        third: Option<u8>,
        /// The moment, in that third.
        occurred_at: Option<Timestamp>,
        /// The minute of the game, by hand.
        #[schemars(range(max = 999))]
        game_minute: Option<u16>,
    }

    /// Which goal to undo.
    UndoGoal {
        /// The goal that the caller believes to be the latest.
        #[schemars(length(min = 1, max = 64))]
        expected_event_id: String,
    }

    /// How to finish a game.
    FinishGame {
        /// Whether to finish it with open thirds: for admins.
        #[serde(default)]
        force: bool,
    }

    /// Why a game is abandoned.
    AbandonGame {
        /// Why.
        reason: AbandonReason,
        /// Up to 120 characters.
        #[schemars(length(min = 1, max = 1920))]
        note: Option<String>,
        /// Teams that did not come.
        #[serde(default)]
        #[schemars(length(max = 3))]
        absent_team_ids: Vec<String>,
    }

    /// For whom a player plays.
    AssignRoster {
        /// The team.
        team_id: String,
    }

    /// A player to be created.
    NewPlayer {
        /// 2 to 40 small letters, digits and `-`.
        player_id: Option<String>,
        /// 1 to 24 characters.
        #[schemars(length(min = 1, max = 384))]
        nickname: String,
        /// The number on the shirt.
        #[schemars(range(max = 99))]
        number: Option<u8>,
    }

    /// Changes of a player.
    PlayerChange {
        /// 1 to 24 characters.
        #[schemars(length(min = 1, max = 384))]
        nickname: Option<String>,
        /// The number on the shirt, 0 to 99; null removes it.
        #[serde(default)]
        #[schemars(range(max = 99))]
        number: Change<u8>,
        /// Whether the player no longer plays.
        archived: Option<bool>,
    }

    /// A user's role.
    GrantRole {
        /// Their role.
        role: Role,
        /// 1 to 40 characters: what they are called here. Needed for a new grant.
        #[schemars(length(min = 1, max = 640))]
        display_name: Option<String>,
    }

    /// An invitation to be made.
    NewInvite {
        /// The role that it gives.
        role: Role,
    }

    /// The code of an invitation.
    InviteCode {
        /// 26 letters and digits.
        #[schemars(length(min = 1, max = 64))]
        code: String,
    }

    /// An invitation to be accepted.
    AcceptInvite {
        /// 26 letters and digits.
        #[schemars(length(min = 1, max = 64))]
        code: String,
        /// 1 to 40 characters: what you are called in the league.
        #[schemars(length(min = 1, max = 640))]
        display_name: String,
    }
}
