//! Games and at-bats.

use super::{AtBatId, GameId, HackTracker, PlayerId, TeamId, UserId, items, names};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;
use std::collections::BTreeMap;

names! {
    GameStatus {
        Scheduled = "SCHEDULED", InProgress = "IN_PROGRESS", Final = "FINAL", Postponed = "POSTPONED",
    }

    HomeAway { Home = "HOME", Away = "AWAY" }

    Half { Team = "TEAM", Opponent = "OPPONENT" }

    EventKind {
        GameStarted = "gameStarted",
        AtBatRecorded = "atBatRecorded",
        AtBatCorrected = "atBatCorrected",
        AtBatRemoved = "atBatRemoved",
        RunnersMoved = "runnersMoved",
        OpponentScored = "opponentScored",
        HalfChanged = "halfChanged",
        LineupChanged = "lineupChanged",
        GameChanged = "gameChanged",
        GamePostponed = "gamePostponed",
        GameFinished = "gameFinished",
        GameReopened = "gameReopened",
        GameDeleted = "gameDeleted",
    }

    #[derive(Default, PartialOrd, Ord, Hash)]
    AtBatResult {
        K = "K", Bb = "BB", Hbp = "HBP", Single = "1B", Double = "2B", Triple = "3B", Hr = "HR",
        #[default]
        Out = "OUT",
        Sac = "SAC", Fc = "FC", E = "E",
    }

    HitType {
        FlyBall = "fly_ball", GroundOut = "ground_out", LineDrive = "line_drive", PopUp = "pop_up",
        Bunt = "bunt",
    }

    How {
        /// Stolen base.
        Sb = "SB",
        /// Caught stealing.
        Cs = "CS",
        /// Wild pitch.
        Wp = "WP",
        /// Passed ball.
        Pb = "PB",
        Other = "OTHER",
    }
}

/// Declares attributes that have fields of their own.
macro_rules! values {
    ($(
        $(#[$attribute:meta])*
        $name:ident {
            $($(#[$field_attribute:meta])* $field:ident $(?: $optional:ty)? $(: $type:ty)?,)+
        }
    )+) => {
        $(
            #[derive(Attribute, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            $(#[$attribute])*
            #[attribute(rename_all = "camelCase")]
            #[serde(rename_all = "camelCase")]
            pub struct $name {
                $(
                    $(#[$field_attribute])*
                    $(pub $field: $type,)?
                    $(
                        #[serde(skip_serializing_if = "Option::is_none")]
                        pub $field: Option<$optional>,
                    )?
                )+
            }
        )+
    };
}

values! {
    /// Where a game is: derived from its at-bats and the position, in the same transaction.
    GameState {
        inning: u8,
        half: Half,
        outs: u8,
        /// The at-bats that put the runners on first, second and third; null for an empty base.
        bases: Vec<Option<AtBatId>>,
        /// The slot that is up, from 1.
        next_batting_order: u8,
        /// In this half.
        at_bats: u8,
    }

    #[derive(Copy)]
    HandScore {
        team: u16,
        opponent: u16,
    }

    LastEvent {
        kind: EventKind,
        by: UserId,
        at: Timestamp,
        #[attribute(with = serde)]
        at_bat?: Box<AtBat>,
        inning?: u8,
    }

    /// Where the ball came down, in a square: x from left to right, y from top to bottom.
    #[derive(Copy)]
    #[serde(deny_unknown_fields)]
    HitLocation {
        /// From 0 to 1, with up to three decimals.
        #[schemars(range(min = 0.0, max = 1.0))]
        x: f64,
        /// From 0 to 1, with up to three decimals.
        #[schemars(range(min = 0.0, max = 1.0))]
        y: f64,
    }

    Move {
        /// Who: the at-bat that put him on base. `PLACED` for a tie-break runner.
        at_bat_id: AtBatId,
        /// 0 for the batter.
        from: u8,
        /// 0 is an out, 4 is home.
        to: u8,
        how?: How,
        /// The same number for all who moved together between at-bats: they are undone together.
        step?: u8,
    }
}

items! {
    /// A game. Every change of it or of its at-bats counts its `revision` up.
    Game (
        key = ("GAME#{game_id}", "METADATA"),
        GSI2 all = ("ENTITY#GAME", "METADATA#{game_id}"),
        GSI3 of_team = ("TEAM#{team_id}", "GAME#{game_id}")
    ) {
        game_id: GameId,
        team_id: TeamId,
        status: GameStatus,
        scheduled_start?: Timestamp,
        opponent_name?: String,
        location?: String,
        season_id?: String,
        team_score: u16,
        opponent_score: u16,
        lineup: Vec<PlayerId>,
        /// Whether we bat last. Absent: we bat first.
        home_away?: HomeAway,
        /// How many innings it has. Absent: 7.
        regulation_innings?: u8,
        /// Counts changes. A change carries the revision that the client has seen; live messages have it
        /// as their number.
        revision: u64,
        last_event?: LastEvent,
        at_bat_count: u16,
        /// Where it is. Absent before the start, and in games of PERSONAL teams.
        state?: GameState,
        team_runs?: Vec<u16>,
        opponent_runs?: Vec<u16>,
        ended_early?: Vec<u16>,
        /// The score by hand: it counts while there is neither an at-bat nor a run of the opponent.
        hand_score?: HandScore,
        placed?: BTreeMap<u8, PlayerId>,
        started_at?: Timestamp,
        finished_at?: Timestamp,
    }

    #[derive(Deserialize)]
    AtBat (
        key of_game = ("GAME#{game_id}", "ATBAT#{at_bat_id}"),
        GSI5 of_player = ("PLAYER#{player_id}", "ATBAT#{at_bat_id}")
    ) {
        game_id: GameId,
        at_bat_id: AtBatId,
        player_id: PlayerId,
        team_id: TeamId,
        inning: u8,
        /// How many were out before it, 0 to 2.
        outs: u8,
        result: AtBatResult,
        rbis: u8,
        hit_location?: HitLocation,
        hit_type?: HitType,
        /// The slot of the lineup. Absent in games of PERSONAL teams.
        batting_order?: u8,
        /// The slot that was up, if it was not the one after the at-bat before: the lineup was changed in
        /// between. For undo.
        slot_up?: u8,
        /// The order within the inning, from 1.
        sequence: u8,
        moves: Vec<Move>,
        /// Whether the batter came home from this at-bat.
        scored: bool,
    }
}

/// A game and its at-bats: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct Book {
    pub game: Game,
    pub at_bats: Vec<AtBat>,
}
