//! What clients see: attributes of the items without their keys, and what is derived from them.

use crate::design::{
    AtBat, Book, Game, GameId, Invite, MemberStatus, Player, PlayerId, Role, Team, TeamId,
    TeamMember, TeamPartition, UserId,
};
use crate::rules::half::may_be_over;
use crate::rules::stats::Line;
use crate::rules::summary::{self, BoxRow, Issue, LineScore};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;

/// A game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GameView")]
pub struct GameView {
    /// The game.
    #[serde(flatten)]
    pub game: Game,
    /// Whether the rules say that it may be over.
    pub finish_proposed: bool,
}

impl From<Game> for GameView {
    fn from(game: Game) -> Self {
        Self { finish_proposed: may_be_over(&game), game }
    }
}

/// A game with everything that is shown of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameDetail {
    /// The game.
    pub game: GameView,
    /// Its at-bats, by inning and order.
    pub at_bats: Vec<AtBat>,
    /// The roster of its team.
    pub players: Vec<Player>,
    /// Who batted what.
    #[serde(rename = "box")]
    pub box_score: Vec<BoxRow>,
    /// Runs by inning.
    pub line_score: LineScore,
    /// Closed halves without three outs.
    pub issues: Vec<Issue>,
}

impl GameDetail {
    /// Of a book whose at-bats are in order.
    #[must_use]
    pub fn new(book: Book, players: Vec<Player>) -> Self {
        Self {
            box_score: summary::box_score(&book),
            line_score: summary::line_score(&book),
            issues: summary::issues(&book),
            game: book.game.into(),
            at_bats: book.at_bats,
            players,
        }
    }
}

/// What scoring answers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoringView {
    /// The game.
    pub game: GameView,
    /// The at-bat that was recorded or corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_bat: Option<AtBat>,
    /// Other at-bats that changed with it.
    pub changed: Vec<AtBat>,
    /// Closed halves without three outs.
    pub issues: Vec<Issue>,
}

/// A team of mine.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyTeam {
    /// The team.
    #[serde(flatten)]
    pub team: Team,
    /// What I am there.
    pub role: Role,
    /// Whether I may use it.
    pub status: MemberStatus,
    /// My player there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_id: Option<PlayerId>,
    /// Until when a deleted team can be recovered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recoverable_until: Option<Timestamp>,
}

/// A list that is not paged, because it is bounded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct List<T> {
    /// The entries.
    pub items: Vec<T>,
}

/// A team with its members, its roster and its invites.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamPage {
    /// The team.
    pub team: Team,
    /// Its members.
    pub members: Vec<TeamMember>,
    /// Its roster.
    pub players: Vec<Player>,
    /// Its open invites, as far as the caller may see them.
    pub invites: Vec<InviteView>,
}

impl TeamPage {
    /// As a member with this role sees it.
    #[must_use]
    pub fn new(partition: TeamPartition, role: Role) -> Self {
        let TeamPartition { team, members, players, invites, .. } = partition;
        let invites = invites.into_iter().filter(|invite| may_invite(role, invite.role));
        Self { team, members, players, invites: invites.map(InviteView::from).collect() }
    }
}

/// Whether a member with this role invites users, and sees and withdraws invites, for another role:
/// owners for all of them, managers for players and scorekeepers.
#[must_use]
pub fn may_invite(role: Role, invited: Role) -> bool {
    role == Role::Owner || (role == Role::Manager && invited < Role::Manager)
}

/// A member with a name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    /// The user.
    pub user_id: UserId,
    /// The first name.
    pub first_name: String,
    /// The last name.
    pub last_name: String,
    /// What the user is there.
    pub role: Role,
    /// Whether the user may use the team.
    pub status: MemberStatus,
    /// When the user joined.
    pub joined_at: Timestamp,
}

/// An invite.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InviteView {
    /// The code.
    pub code: String,
    /// The page on which it is accepted.
    pub link: String,
    /// What the user will be.
    pub role: Role,
    /// The ghost to link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_id: Option<PlayerId>,
    /// Who made it.
    pub invited_by: UserId,
    /// When it is gone, in seconds since 1970.
    pub expires_at: i64,
}

impl From<Invite> for InviteView {
    fn from(invite: Invite) -> Self {
        Self {
            link: format!("/hacktracker/join/{}/{}", invite.team_id, invite.code),
            code: invite.code.to_string(),
            role: invite.role,
            player_id: invite.player_id,
            invited_by: invite.invited_by,
            expires_at: invite.expires_at.as_seconds(),
        }
    }
}

/// An invite as whoever has its code sees it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenInvite {
    /// The team.
    pub team: TeamName,
    /// What the user will be.
    pub role: Role,
    /// The ghost to link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerName>,
    /// Who made it.
    pub invited_by: UserName,
    /// When it is gone, in seconds since 1970.
    pub expires_at: i64,
}

/// A team's name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamName {
    /// The team.
    pub team_id: TeamId,
    /// What it is called.
    pub name: String,
}

/// A user's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserName {
    /// The first name.
    pub first_name: String,
    /// The last name.
    pub last_name: String,
}

/// A player's name and number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerName {
    /// The player.
    pub player_id: PlayerId,
    /// The first name.
    pub first_name: String,
    /// The last name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// The number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_number: Option<u8>,
}

impl From<&Player> for PlayerName {
    fn from(player: &Player) -> Self {
        Self {
            player_id: player.player_id.clone(),
            first_name: player.first_name.clone(),
            last_name: player.last_name.clone(),
            player_number: player.player_number,
        }
    }
}

/// What somebody batted in one game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameLine {
    /// The game.
    pub game_id: GameId,
    /// The team.
    pub team_id: TeamId,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_start: Option<Timestamp>,
    /// Against whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_name: Option<String>,
    /// The season.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season_id: Option<String>,
    /// What was batted.
    pub line: Line,
}

/// Where a ball came down.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SprayPoint {
    /// From left to right.
    pub x: f64,
    /// From top to bottom.
    pub y: f64,
    /// How the at-bat ended.
    pub result: crate::design::AtBatResult,
    /// How the ball was hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_type: Option<crate::design::HitType>,
    /// The game.
    pub game_id: GameId,
}

/// A player's statistics.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlayerStats {
    /// All at-bats.
    pub line: Line,
    /// By game, the first one first.
    pub games: Vec<GameLine>,
    /// Where the balls came down.
    pub spray: Vec<SprayPoint>,
}

/// What one player of a team batted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamPlayerLine {
    /// The player.
    #[serde(flatten)]
    pub player: PlayerName,
    /// Whether the player plays.
    pub status: crate::design::PlayerStatus,
    /// What the player batted.
    pub line: Line,
}

/// A team's statistics.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TeamStats {
    /// All at-bats.
    pub line: Line,
    /// By player.
    pub players: Vec<TeamPlayerLine>,
}

/// What a user batted for one team.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CareerTeam {
    /// The team.
    pub team_id: TeamId,
    /// What it is called.
    pub name: String,
    /// Whether it is deleted.
    pub is_deleted: bool,
    /// The player that the user is there.
    pub player_id: PlayerId,
    /// What was batted.
    pub line: Line,
}

/// A user's statistics over all teams.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Career {
    /// All at-bats.
    pub line: Line,
    /// By game, the first one first.
    pub games: Vec<GameLine>,
    /// Where the balls came down.
    pub spray: Vec<SprayPoint>,
    /// By team.
    pub teams: Vec<CareerTeam>,
}
