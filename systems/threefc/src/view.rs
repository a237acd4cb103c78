//! Response bodies, where they are not entities as they are stored.
//!
//! Public answers have no user ids and no names of accounts; fields that hold some are left out
//! unless the caller is an admin of the league.

use crate::design::*;
pub use crate::design::{GoalView, PlayerRef};
use crate::rules::{Boards, StandingRow, display_time, latest, score_of};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::{Date, Timestamp};
use std::collections::BTreeMap;

pub(crate) type Names = BTreeMap<PlayerId, PlayerRef>;

/// A player by name. One who cannot be found is shown by the id.
pub(crate) fn name_of(names: &Names, player: &PlayerId) -> PlayerRef {
    names.get(player).cloned().unwrap_or_else(|| PlayerRef {
        player_id: player.clone(),
        nickname: player.to_string(),
        number: None,
    })
}

pub(crate) fn goal_view(goal: &Goal, length_minutes: u8, names: &Names) -> GoalView {
    GoalView {
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

singlet_web::views! {
    LeagueRef {
        league_id: LeagueId,
        name: String,
    }

    SeasonRef {
        season_id: SeasonId,
        name: String,
    }

    SessionRef {
        session_id: SessionId,
        session_date: Date,
        venue?: String,
    }

    ThirdScore {
        conceded: u32,
        scored: u32,
    }

    /// A team in a game.
    TeamView {
        team_id: TeamId,
        name: String,
        /// Two or three letters and digits.
        code: String,
        color: Color,
        conceded: u32,
        scored: u32,
        by_third: Vec<ThirdScore>,
        roster: Vec<PlayerRef>,
    }

    GameView {
        game_id: GameId,
        league: LeagueRef,
        season: SeasonRef,
        session: SessionRef,
        game_start_ts: Timestamp,
        pitch?: String,
        status: GameStatus,
        third_length_minutes: u8,
        thirds: Vec<Third>,
        /// For clocks that run in pages.
        server_now: Timestamp,
        /// The number of the last change.
        sequence: u32,
        teams: Vec<TeamView>,
        /// In the order of the timeline.
        goals: Vec<GoalView>,
        /// The goal that was entered last: the one that can be undone.
        latest_event_id?: EventId,
        result?: GameResult,
        abandoned?: Abandoned,
        my_role?: Role,
    }

    /// A game in the list of its session.
    GameRow {
        /// A page ignores a row that is older than the one it shows.
        updated_at: Timestamp,
        #[serde(flatten)]
        link: GameLink,
    }

    RosterView {
        team_id: TeamId,
        #[serde(flatten)]
        player: PlayerRef,
    }

    LeagueInfo {
        #[serde(flatten)]
        league: League,
        /// For admins.
        created_by_user_id?: UserId,
    }

    LeagueView {
        league: LeagueInfo,
        /// The newest first.
        seasons: Vec<Season>,
        my_role?: Role,
    }

    GrantView {
        league_id: LeagueId,
        /// For admins.
        user_id?: UserId,
        role: Role,
        display_name: String,
        /// For admins.
        granted_by_user_id?: UserId,
    }

    /// A new invitation, with its code.
    NewInviteView {
        /// The code that accepts it. It is answered only once.
        code: String,
        /// Identifies the invitation to delete it.
        hash: InviteHash,
        role: Role,
        expires_at: Timestamp,
    }

    InvitePreview {
        league_id: LeagueId,
        name: String,
        role: Role,
    }

    MeView {
        user_id: UserId,
        /// By id.
        leagues: Vec<MyLeague>,
        /// Pass this as `cursor` to get more leagues. It is missing when there are none.
        next?: String,
    }

    MyLeague {
        league_id: LeagueId,
        name: String,
        role: Role,
    }

    SeasonView {
        season: SeasonMirror,
        league: LeagueInfo,
        /// By id.
        teams: Vec<Team>,
        standings: Vec<StandingRow>,
        boards: Boards<PlayerRef>,
        /// By date.
        sessions: Vec<SessionMirror>,
        my_role?: Role,
    }
}

/// What a view of a game needs besides the game's own items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GameContext {
    pub(crate) league: League,
    pub(crate) season: SeasonMirror,
    pub(crate) session: SessionMirror,
    pub(crate) teams: Vec<Team>,
    pub(crate) names: Names,
}

impl GameContext {
    pub(crate) fn view(&self, items: &GameItems, role: Option<Role>, now: Timestamp) -> GameView {
        let (Self { league, season, session, names, .. }, game) = (self, items.game.clone());
        let Game { game_id, game_start_ts, pitch, status, thirds, sequence, .. } = game;
        let length = game.third_length_minutes;
        GameView {
            game_id,
            league: LeagueRef { league_id: league.league_id.clone(), name: league.name.clone() },
            season: SeasonRef { season_id: season.season_id.clone(), name: season.name.clone() },
            session: SessionRef {
                session_id: session.session_id.clone(),
                session_date: session.session_date,
                venue: session.venue.clone(),
            },
            game_start_ts,
            pitch,
            status,
            third_length_minutes: length,
            thirds,
            server_now: now,
            sequence,
            teams: game.team_ids.iter().map(|team| self.team(team, items)).collect(),
            goals: items.goals.iter().map(|goal| goal_view(goal, length, names)).collect(),
            latest_event_id: latest(&items.goals).map(|goal| goal.event_id.clone()),
            result: game.result,
            abandoned: game.abandoned,
            my_role: role,
        }
    }

    fn team(&self, team_id: &TeamId, items: &GameItems) -> TeamView {
        let team = self.teams.iter().find(|team| team.team_id == *team_id);
        let score = |goals: &mut dyn Iterator<Item = &Goal>| {
            let score = score_of(std::slice::from_ref(team_id), goals);
            score.first().map_or((0, 0), |team| (team.conceded, team.scored))
        };
        let (conceded, scored) = score(&mut items.goals.iter());
        let by_third = (1..=3)
            .map(|third| score(&mut items.goals.iter().filter(|goal| goal.third == third)))
            .map(|(conceded, scored)| ThirdScore { conceded, scored });
        let roster = items.roster.iter().filter(|entry| entry.team_id == *team_id);
        TeamView {
            team_id: team_id.clone(),
            name: team.map_or_else(|| team_id.to_string(), |team| team.name.clone()),
            code: team.map_or_else(|| "???".to_owned(), |team| team.code.clone()),
            color: team.map_or(Color::White, |team| team.color),
            conceded,
            scored,
            by_third: by_third.collect(),
            roster: roster.map(|entry| name_of(&self.names, &entry.player_id)).collect(),
        }
    }
}

impl From<GameLink> for GameRow {
    fn from(link: GameLink) -> Self {
        Self { updated_at: link.updated_at, link }
    }
}

impl LeagueInfo {
    /// The league as a caller with this role sees it.
    pub fn new(league: League, role: Option<Role>) -> Self {
        let creator = league.created_by_user_id.clone();
        let created_by_user_id = (role == Some(Role::Admin)).then_some(creator);
        Self { league, created_by_user_id }
    }
}

impl GrantView {
    /// The grant as an admin of the league sees it, or as everybody else does.
    pub fn new(grant: Grant, is_admin: bool) -> Self {
        Self {
            league_id: grant.league_id,
            user_id: is_admin.then_some(grant.user_id),
            role: grant.role,
            display_name: grant.display_name,
            granted_by_user_id: is_admin.then_some(grant.granted_by_user_id),
        }
    }
}
