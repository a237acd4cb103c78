//! Seasons: their teams, sessions and tables.

use super::{LeagueId, PlayerId, SeasonId, SessionId, TeamId, ThreeFc, items, values};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;

values! {
    "lowercase"
    #[derive(Copy)]
    pub enum Color { Red, Blue, Yellow, Green, Orange, Purple, Black, White };
}

/// An item, and its mirror in a partition of its own, which also has counts.
macro_rules! counted {
    ($kind:literal
        $name:ident ($($key:tt)+) / $mirror:ident ($($mirror_key:tt)+)
        { $($(#[$attribute:meta])* $field:ident: $type:ty,)+ } + { $($count:ident),+ }
    ) => {
        items! {
            #[item($kind, $($key)+)]
            pub struct $name { $($(#[$attribute])* pub $field: $type,)+ }

            #[item($kind, $($mirror_key)+)]
            pub struct $mirror { $($(#[$attribute])* pub $field: $type,)+ $(pub $count: u32,)+ }
        }

        impl From<&$mirror> for $name {
            fn from(mirror: &$mirror) -> Self {
                let $mirror { $($field,)+ created_at, updated_at, .. } = mirror.clone();
                Self { $($field,)+ created_at, updated_at }
            }
        }
    };
}

counted! {
    "season"
    Season (key of_league = ("LEAGUE#{league_id}", "SEASON#{season_id}")) /
    SeasonMirror (key = ("SEASON#{season_id}", "METADATA"))
    {
        league_id: LeagueId,
        season_id: SeasonId,
        name: String,
        /// The first day.
        #[serde(skip_serializing_if = "Option::is_none")]
        starts_on: Option<Date>,
        /// The last day.
        #[serde(skip_serializing_if = "Option::is_none")]
        ends_on: Option<Date>,
        third_length_minutes: u8,
    } + { teams, sessions }
}

counted! {
    "session"
    Session (key of_season = ("SEASON#{season_id}", "SESSION#{session_id}")) /
    SessionMirror (key = ("SESSION#{session_id}", "METADATA"))
    {
        season_id: SeasonId,
        session_id: SessionId,
        session_date: Date,
        #[serde(skip_serializing_if = "Option::is_none")]
        venue: Option<String>,
    } + { games }
}

items! {
    #[item("team", key of_season = ("SEASON#{season_id}", "TEAM#{team_id}"))]
    pub struct Team {
        pub season_id: SeasonId,
        /// Unique within the season.
        pub team_id: TeamId,
        pub name: String,
        /// Two or three letters and digits, unique in the season.
        pub code: String,
        pub color: Color,
        /// Its usual players.
        pub squad_player_ids: Vec<PlayerId>,
        /// Whether it no longer plays.
        pub retired: bool,
    }

    /// The row of a team in the standings of its season. A row of zeros is not stored.
    #[item("standing", key of_season = ("SEASON#{season_id}", "STANDING#{team_id}"))]
    pub struct Standing {
        #[serde(skip)]
        pub season_id: SeasonId,
        pub team_id: TeamId,
        /// Finished games.
        pub played: u32,
        pub wins: u32,
        pub draws: u32,
        pub losses: u32,
        pub conceded: u32,
        pub scored: u32,
    }

    /// The statistics of a player in a season. A row of zeros is not stored.
    #[item("playerStat", key of_season = ("SEASON#{season_id}", "STAT#{player_id}"))]
    pub struct Statistic {
        pub season_id: SeasonId,
        pub player_id: PlayerId,
        /// Finished games on a roster.
        pub games: u32,
        pub goals: u32,
        pub own_goals: u32,
        pub assists: u32,
    }
}

/// The tables and teams of a season: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct SeasonTables {
    /// By team id; teams without finished games are missing.
    pub standings: Vec<Standing>,
    /// By player id; players without anything to count are missing.
    pub statistics: Vec<Statistic>,
    pub teams: Vec<Team>,
}
