//! What operations take: the bodies of requests, checked by their schemas.

use crate::design::{
    AtBatId, AtBatResult, Half, HitLocation, HitType, HomeAway, How, MemberStatus, PlayerId,
    PlayerStatus, Position, Role, UserId,
};
use schemars::JsonSchema;
use serde::Deserialize;
use singlet::Timestamp;
use singlet_web::api::Change;

/// A new user. The e-mail address of the token wins.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewUser {
    /// The first name, 1 to 50 characters.
    #[schemars(length(min = 1, max = 200))]
    pub first_name: String,
    /// The last name, 1 to 50 characters.
    #[schemars(length(min = 1, max = 200))]
    pub last_name: String,
    /// As E.164 writes it: `+15555551234`.
    #[schemars(length(min = 3, max = 16))]
    pub phone_number: Option<String>,
    /// The e-mail address, if the token has none.
    #[schemars(length(min = 3, max = 254))]
    pub email: Option<String>,
}

/// What changes about a user.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct UserChange {
    /// The first name.
    #[schemars(length(min = 1, max = 200))]
    pub first_name: Option<String>,
    /// The last name.
    #[schemars(length(min = 1, max = 200))]
    pub last_name: Option<String>,
    /// The phone number; null removes it.
    pub phone_number: Change<String>,
    /// The e-mail address, if the token has none.
    #[schemars(length(min = 3, max = 254))]
    pub email: Option<String>,
}

/// A new team.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewTeam {
    /// 3 to 50 characters.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Up to 500 characters.
    #[schemars(length(max = 500))]
    pub description: Option<String>,
    /// The creator as a player of the team.
    pub player: Option<NewOwnPlayer>,
}

/// The creator of a team as its player.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewOwnPlayer {
    /// 0 to 99.
    #[schemars(range(min = 0, max = 99))]
    pub player_number: Option<u8>,
    /// Up to three different ones.
    #[serde(default)]
    #[schemars(length(max = 3))]
    pub positions: Vec<Position>,
}

/// What changes about a team.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct TeamChange {
    /// 3 to 50 characters.
    #[schemars(length(min = 1, max = 200))]
    pub name: Option<String>,
    /// Up to 500 characters; null removes it.
    pub description: Change<String>,
}

/// A new invite.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewInvite {
    /// What the user will be.
    pub role: Role,
    /// A ghost that the user will be linked to.
    pub player_id: Option<PlayerId>,
}

/// What changes about a member.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct MemberChange {
    /// What the member is.
    pub role: Option<Role>,
    /// Whether the member may use the team.
    pub status: Option<MemberStatus>,
}

/// New players, 1 to 25.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPlayers {
    /// The players. All are added, or none.
    #[schemars(length(min = 1, max = 25))]
    pub players: Vec<NewPlayer>,
}

/// A new player: a ghost, until a user is linked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewPlayer {
    /// 1 to 50 characters.
    #[schemars(length(min = 1, max = 200))]
    pub first_name: String,
    /// 1 to 50 characters.
    #[schemars(length(min = 1, max = 200))]
    pub last_name: Option<String>,
    /// 0 to 99.
    #[schemars(range(min = 0, max = 99))]
    pub player_number: Option<u8>,
    /// Up to three different ones.
    #[serde(default)]
    #[schemars(length(max = 3))]
    pub positions: Vec<Position>,
    /// Active, unless said otherwise.
    pub status: Option<PlayerStatus>,
}

/// What changes about a player.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct PlayerChange {
    /// 1 to 50 characters.
    #[schemars(length(min = 1, max = 200))]
    pub first_name: Option<String>,
    /// 1 to 50 characters; null removes it.
    pub last_name: Change<String>,
    /// 0 to 99; null gives it back.
    pub player_number: Change<u8>,
    /// Up to three different ones.
    #[schemars(length(max = 3))]
    pub positions: Option<Vec<Position>>,
    /// Whether the player plays.
    pub status: Option<PlayerStatus>,
}

/// Whom to link to a player.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewLink {
    /// An active member without a player.
    pub user_id: UserId,
}

/// A new game.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct NewGame {
    /// 1 to 100 characters.
    #[schemars(length(min = 1, max = 400))]
    pub opponent_name: Option<String>,
    /// When it begins.
    pub scheduled_start: Option<Timestamp>,
    /// 1 to 100 characters.
    #[schemars(length(min = 1, max = 400))]
    pub location: Option<String>,
    /// 1 to 40 characters.
    #[schemars(length(min = 1, max = 160))]
    pub season_id: Option<String>,
    /// AWAY unless said otherwise: we bat first.
    pub home_away: Option<HomeAway>,
    /// 7 unless said otherwise.
    #[schemars(range(min = 1, max = 9))]
    pub regulation_innings: Option<u8>,
}

/// What changes about a game. Null removes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct GameChange {
    /// The revision that the client has seen.
    pub revision: u64,
    /// 1 to 100 characters.
    #[serde(default)]
    pub opponent_name: Change<String>,
    /// When it begins.
    #[serde(default)]
    pub scheduled_start: Change<Timestamp>,
    /// 1 to 100 characters.
    #[serde(default)]
    pub location: Change<String>,
    /// 1 to 40 characters.
    #[serde(default)]
    pub season_id: Change<String>,
    /// Only before the start.
    #[serde(default)]
    pub home_away: Change<HomeAway>,
    /// 1 to 9.
    #[serde(default)]
    pub regulation_innings: Change<u8>,
}

/// A lineup, as a whole.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLineup {
    /// The revision that the client has seen.
    pub revision: u64,
    /// Players in batting order.
    #[schemars(length(max = 30))]
    pub lineup: Vec<PlayerId>,
}

/// Starts, finishes, reopens, postpones or reschedules.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct StatusChange {
    /// The revision that the client has seen.
    pub revision: u64,
    /// When a postponed game begins.
    pub scheduled_start: Option<Timestamp>,
}

/// The score by hand.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewScore {
    /// The revision that the client has seen.
    pub revision: u64,
    /// Ours.
    #[schemars(range(min = 0, max = 999))]
    pub team_score: u16,
    /// Theirs.
    #[schemars(range(min = 0, max = 999))]
    pub opponent_score: u16,
}

/// The opponent's runs of an inning.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpponentRuns {
    /// The revision that the client has seen.
    pub revision: u64,
    /// 0 to 99.
    #[schemars(range(min = 0, max = 99))]
    pub runs: u16,
}

/// The next half, or the previous one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewHalf {
    /// The revision that the client has seen.
    pub revision: u64,
    /// The inning.
    #[schemars(range(min = 1, max = 31))]
    pub inning: u8,
    /// Who bats.
    pub half: Half,
    /// A tie-break runner for second base.
    pub placed_runner: Option<PlayerId>,
}

/// Where somebody went.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMove {
    /// From which base; 0 for the batter.
    #[schemars(range(min = 0, max = 3))]
    pub from: u8,
    /// To which base; 0 is an out, and 4 is home.
    #[schemars(range(min = 0, max = 4))]
    pub to: u8,
}

/// Where a missed at-bat belongs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInsert {
    /// The inning.
    #[schemars(range(min = 1, max = 30))]
    pub inning: u8,
    /// The at-bat before it; null at the beginning of the inning.
    pub after: Option<AtBatId>,
}

/// An at-bat as the scorer enters it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewAtBat {
    /// The revision that the client has seen.
    pub revision: u64,
    /// How it ended.
    pub result: AtBatResult,
    /// Who batted; whose turn it is, if nobody is named.
    pub player_id: Option<PlayerId>,
    /// Where the ball came down.
    pub hit_location: Option<HitLocation>,
    /// How it was hit.
    pub hit_type: Option<HitType>,
    /// The runs batted in; as proposed, unless said otherwise.
    #[schemars(range(min = 0, max = 4))]
    pub rbis: Option<u8>,
    /// Where batter and runners went, as far as it differs from the default.
    #[schemars(length(max = 4))]
    pub moves: Option<Vec<NewMove>>,
    /// Where it belongs, if it was missed when it happened.
    pub insert: Option<NewInsert>,
    /// In a personal game: the inning.
    #[schemars(range(min = 1, max = 30))]
    pub inning: Option<u8>,
    /// In a personal game: the outs before it.
    #[schemars(range(min = 0, max = 2))]
    pub outs: Option<u8>,
    /// In a personal game: whether the batter came home.
    pub scored: Option<bool>,
}

/// What changes about an at-bat.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AtBatChange {
    /// The revision that the client has seen.
    pub revision: u64,
    /// How it ended. Without `moves` a new result takes the defaults.
    pub result: Option<AtBatResult>,
    /// Who batted.
    pub player_id: Option<PlayerId>,
    /// Where the ball came down; null removes it.
    #[serde(default)]
    pub hit_location: Change<HitLocation>,
    /// How it was hit; null removes it.
    #[serde(default)]
    pub hit_type: Change<HitType>,
    /// The runs batted in.
    #[schemars(range(min = 0, max = 4))]
    pub rbis: Option<u8>,
    /// Where batter and runners went, as far as it differs from the default.
    #[schemars(length(max = 4))]
    pub moves: Option<Vec<NewMove>>,
    /// In a personal game: the outs before it.
    #[schemars(range(min = 0, max = 2))]
    pub outs: Option<u8>,
    /// In a personal game: whether the batter came home.
    pub scored: Option<bool>,
}

/// Runners who move between at-bats.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunnerMoves {
    /// The revision that the client has seen.
    pub revision: u64,
    /// Who moves where.
    #[schemars(length(min = 1, max = 3))]
    pub moves: Vec<NewMove>,
    /// How.
    pub how: How,
}

/// The revision that the client has seen.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Revision {
    /// The revision that the client has seen.
    pub revision: u64,
}
