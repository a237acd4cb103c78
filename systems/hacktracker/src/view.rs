//! Answers that join or compute something. Entities that are shown as stored have no view.

use crate::design::{
    AtBat, AtBatResult, Book, Game, GameId, HitType, Invite, MemberStatus, Player, PlayerId,
    PlayerStatus, Role, Team, TeamId, TeamMember, TeamPartition, User, UserId,
};
use crate::rules::half::may_be_over;
use crate::rules::stats::Line;
use crate::rules::summary::{self, BoxRow, Issue, LineScore};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;

singlet_web::views! {
    #[schemars(rename = "GameView")]
    GameView {
        #[serde(flatten)]
        game: Game,
        /// Whether the rules say that the game may be over.
        finish_proposed: bool,
    }

    GameDetail {
        game: GameView,
        /// By inning and order.
        at_bats: Vec<AtBat>,
        /// The roster of the team.
        players: Vec<Player>,
        #[serde(rename = "box")]
        box_score: Vec<BoxRow>,
        line_score: LineScore,
        /// Closed halves without three outs.
        issues: Vec<Issue>,
    }

    ScoringView {
        game: GameView,
        /// The at-bat that was recorded or corrected.
        at_bat?: AtBat,
        /// Other at-bats that changed with it.
        changed: Vec<AtBat>,
        /// Closed halves without three outs.
        issues: Vec<Issue>,
    }

    MyTeam {
        #[serde(flatten)]
        team: Team,
        role: Role,
        status: MemberStatus,
        /// The caller's player there.
        player_id?: PlayerId,
        /// Until when a deleted team can be recovered.
        recoverable_until?: Timestamp,
    }

    TeamPage {
        team: Team,
        members: Vec<TeamMember>,
        players: Vec<Player>,
        /// Open invites, as far as the caller may see them.
        invites: Vec<InviteView>,
    }

    MemberView {
        user_id: UserId,
        #[serde(flatten)]
        name: UserName,
        role: Role,
        status: MemberStatus,
        joined_at: Timestamp,
    }

    InviteView {
        code: String,
        /// The page on which it is accepted.
        link: String,
        role: Role,
        /// The ghost to link.
        player_id?: PlayerId,
        invited_by: UserId,
        /// In seconds since 1970.
        expires_at: i64,
    }

    /// An invite as everybody with its code sees it.
    OpenInvite {
        team: TeamName,
        role: Role,
        /// The ghost to link.
        player?: PlayerName,
        invited_by: UserName,
        /// In seconds since 1970.
        expires_at: i64,
    }

    TeamName {
        team_id: TeamId,
        name: String,
    }

    #[derive(Default)]
    UserName {
        first_name: String,
        last_name: String,
    }

    PlayerName {
        player_id: PlayerId,
        first_name: String,
        last_name?: String,
        player_number?: u8,
    }

    GameLine {
        game_id: GameId,
        team_id: TeamId,
        scheduled_start?: Timestamp,
        opponent_name?: String,
        season_id?: String,
        line: Line,
    }

    /// Where a ball came down: x from left to right, y from top to bottom, 0 to 1.
    SprayPoint {
        x: f64,
        y: f64,
        result: AtBatResult,
        hit_type?: HitType,
        game_id: GameId,
    }

    PlayerStats {
        line: Line,
        /// By date; games without one last.
        games: Vec<GameLine>,
        spray: Vec<SprayPoint>,
    }

    TeamPlayerLine {
        #[serde(flatten)]
        player: PlayerName,
        status: PlayerStatus,
        line: Line,
    }

    TeamStats {
        line: Line,
        players: Vec<TeamPlayerLine>,
    }

    CareerTeam {
        #[serde(flatten)]
        team: TeamName,
        is_deleted: bool,
        player_id: PlayerId,
        line: Line,
    }

    /// The caller's statistics over all teams.
    Career {
        #[serde(flatten)]
        stats: PlayerStats,
        teams: Vec<CareerTeam>,
    }
}

/// Owners make, see and withdraw invites for all roles, managers for players and scorekeepers.
pub fn may_invite(role: Role, invited: Role) -> bool {
    role == Role::Owner || (role == Role::Manager && invited < Role::Manager)
}

impl From<Game> for GameView {
    fn from(game: Game) -> Self {
        Self { finish_proposed: may_be_over(&game), game }
    }
}

impl GameDetail {
    /// Of a book whose at-bats are in order.
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

impl TeamPage {
    pub fn new(partition: TeamPartition, role: Role) -> Self {
        let TeamPartition { team, members, players, invites, .. } = partition;
        let invites = invites.into_iter().filter(|invite| may_invite(role, invite.role));
        Self { team, members, players, invites: invites.map(InviteView::from).collect() }
    }
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

impl From<User> for UserName {
    fn from(user: User) -> Self {
        Self { first_name: user.first_name, last_name: user.last_name }
    }
}

impl From<Player> for PlayerName {
    fn from(player: Player) -> Self {
        let Player { player_id, first_name, last_name, player_number, .. } = player;
        Self { player_id, first_name, last_name, player_number }
    }
}
