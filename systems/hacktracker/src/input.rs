//! What operations take: the bodies of requests, checked by their schemas.

use crate::design::{
    AtBatId, AtBatResult, Half, HitLocation, HitType, HomeAway, How, MemberStatus, PlayerId,
    PlayerStatus, Position, Role, TeamType, UserId,
};
use crate::text::{Email, GameLabel, PersonName, PhoneNumber, SeasonName, TeamTitle};
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::Change;
use singlet_web::text::CleanText;
use singlet_web::validate::{Distinct, PlannedTime};

/// Up to five different ones.
pub type Positions = Distinct<Position, 0, 5>;

singlet_web::inputs! {
    NewUser {
        first_name: PersonName,
        last_name: PersonName,
        phone_number: Option<PhoneNumber>,
        /// Ignored if the token has one.
        email: Option<Email>,
    }

    #[derive(Default)]
    #[serde(default)]
    UserChange {
        first_name: Option<PersonName>,
        last_name: Option<PersonName>,
        /// Null removes it.
        phone_number: Change<PhoneNumber>,
        email: Option<Email>,
    }

    NewTeam {
        name: TeamTitle,
        description: Option<CleanText<500>>,
        /// MANAGED unless given. A PERSONAL team is a label for one's own at-bats.
        #[serde(default, rename = "team_type")]
        team_type: TeamType,
        /// The creator as a player. A PERSONAL team always has one.
        player: Option<NewOwnPlayer>,
    }

    NewOwnPlayer {
        #[schemars(range(min = 0, max = 99))]
        player_number: Option<u8>,
        #[serde(default)]
        positions: Positions,
    }

    #[derive(Default)]
    #[serde(default)]
    TeamChange {
        name: Option<TeamTitle>,
        /// Null removes it.
        description: Change<CleanText<500>>,
    }

    NewInvite {
        role: Role,
        /// A ghost that the user will be linked to.
        player_id: Option<PlayerId>,
    }

    #[derive(Default)]
    #[serde(default)]
    MemberChange {
        role: Option<Role>,
        status: Option<MemberStatus>,
    }

    /// New players, 1 to 25.
    NewPlayers {
        #[schemars(length(min = 1, max = 25))]
        players: Vec<NewPlayer>,
    }

    /// A new player: a ghost, until a user is linked.
    NewPlayer {
        first_name: PersonName,
        last_name: Option<PersonName>,
        #[schemars(range(min = 0, max = 99))]
        player_number: Option<u8>,
        #[serde(default)]
        positions: Positions,
        /// Active unless given.
        status: Option<PlayerStatus>,
    }

    #[derive(Default)]
    #[serde(default)]
    PlayerChange {
        first_name: Option<PersonName>,
        /// Null removes it.
        last_name: Change<PersonName>,
        /// Null gives it back.
        #[schemars(range(min = 0, max = 99))]
        player_number: Change<u8>,
        positions: Option<Positions>,
        status: Option<PlayerStatus>,
    }

    NewLink {
        /// An active member without a player.
        user_id: UserId,
    }

    #[derive(Default)]
    #[serde(default)]
    NewGame {
        opponent_name: Option<GameLabel>,
        scheduled_start: Option<PlannedTime>,
        location: Option<GameLabel>,
        season_id: Option<SeasonName>,
        /// AWAY (we bat first) unless given.
        home_away: Option<HomeAway>,
        /// 7 unless given.
        #[schemars(range(min = 1, max = 9))]
        regulation_innings: Option<u8>,
    }

    /// What changes about a game. Null removes.
    GameChange {
        revision: u64,
        #[serde(default)]
        opponent_name: Change<GameLabel>,
        #[serde(default)]
        scheduled_start: Change<PlannedTime>,
        #[serde(default)]
        location: Change<GameLabel>,
        #[serde(default)]
        season_id: Change<SeasonName>,
        /// Only before the start.
        #[serde(default)]
        home_away: Change<HomeAway>,
        #[serde(default)]
        #[schemars(range(min = 1, max = 9))]
        regulation_innings: Change<u8>,
    }

    NewLineup {
        revision: u64,
        #[schemars(length(max = 30))]
        lineup: Vec<PlayerId>,
    }

    StatusChange {
        revision: u64,
        /// Required to reschedule.
        scheduled_start: Option<PlannedTime>,
    }

    NewScore {
        revision: u64,
        #[schemars(range(min = 0, max = 999))]
        team_score: u16,
        #[schemars(range(min = 0, max = 999))]
        opponent_score: u16,
    }

    OpponentRuns {
        revision: u64,
        #[schemars(range(min = 0, max = 99))]
        runs: u16,
    }

    NewHalf {
        revision: u64,
        #[schemars(range(min = 1, max = 31))]
        inning: u8,
        half: Half,
        /// A tie-break runner for second base.
        placed_runner: Option<PlayerId>,
    }

    #[derive(Copy)]
    NewMove {
        /// 0 for the batter.
        #[schemars(range(min = 0, max = 3))]
        from: u8,
        /// 0 is an out, 4 is home.
        #[schemars(range(min = 0, max = 4))]
        to: u8,
    }

    NewInsert {
        #[schemars(range(min = 1, max = 30))]
        inning: u8,
        /// The at-bat before it; null at the beginning of the inning.
        after: Option<AtBatId>,
    }

    #[derive(Default)]
    NewAtBat {
        revision: u64,
        result: AtBatResult,
        /// The next in the lineup unless given.
        player_id: Option<PlayerId>,
        hit_location: Option<HitLocation>,
        hit_type: Option<HitType>,
        /// As the rules propose unless given.
        #[schemars(range(min = 0, max = 4))]
        rbis: Option<u8>,
        /// Destinations that differ from the default.
        #[schemars(length(max = 4))]
        moves: Option<Vec<NewMove>>,
        /// For an at-bat that was missed when it happened.
        insert: Option<NewInsert>,
        /// This and the following are for games of PERSONAL teams; in others they follow from the plays.
        #[schemars(range(min = 1, max = 30))]
        inning: Option<u8>,
        #[schemars(range(min = 0, max = 2))]
        outs: Option<u8>,
        scored: Option<bool>,
    }

    #[derive(Default)]
    AtBatChange {
        revision: u64,
        /// Without `moves` a new result takes the defaults.
        result: Option<AtBatResult>,
        player_id: Option<PlayerId>,
        /// Null removes it.
        #[serde(default)]
        hit_location: Change<HitLocation>,
        /// Null removes it.
        #[serde(default)]
        hit_type: Change<HitType>,
        #[schemars(range(min = 0, max = 4))]
        rbis: Option<u8>,
        #[schemars(length(max = 4))]
        moves: Option<Vec<NewMove>>,
        #[schemars(range(min = 0, max = 2))]
        outs: Option<u8>,
        scored: Option<bool>,
    }

    RunnerMoves {
        revision: u64,
        #[schemars(length(min = 1, max = 3))]
        moves: Vec<NewMove>,
        how: How,
    }

    #[derive(Copy)]
    Revision {
        revision: u64,
    }
}
