//! Teams of a season.

use super::changes::Changes;
use super::find::Keys;
use super::input::{NewTeam, TeamChange};
use super::{ATTEMPTS_MAX, Service};
use crate::design::{
    LeagueId, LeaguePlayer, PlayerId, Role, SeasonId, TEAMS_MAX, Team, TeamId, ThreeFcItem,
};
use crate::error::Error;
use crate::text::{parse_code, parse_reference, parse_text};
use singlet_web::identity::Caller;

/// Teams to be created, none twice.
pub(super) fn new_teams(
    service: &Service,
    season_id: &SeasonId,
    new: &[NewTeam],
) -> Result<Vec<Team>, Error> {
    let now = service.db.now();
    let mut teams: Vec<Team> = Vec::with_capacity(new.len());
    for team in new {
        let team = Team {
            season_id: season_id.clone(),
            team_id: service.chosen_or_new("/teamId", team.team_id.as_deref())?,
            name: parse_text("/name", &team.name, 1..=30)?,
            code: parse_code("/code", &team.code)?,
            color: team.color,
            squad_player_ids: Vec::new(),
            retired: false,
            created_at: now,
            updated_at: now,
        };
        if teams.iter().any(|other| other.team_id == team.team_id) {
            return Err(Error::IdTaken);
        }
        if teams.iter().any(|other| other.code == team.code) {
            return Err(Error::CodeTaken);
        }
        teams.push(team);
    }
    Ok(teams)
}

impl Service {
    /// 8: createTeam.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`], [`Error::CodeTaken`], [`Error::LimitReached`].
    pub async fn create_team(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        new: &NewTeam,
    ) -> Result<Team, Error> {
        let teams = new_teams(self, season_id, std::slice::from_ref(new))?;
        let team = teams.into_iter().next().ok_or_else(Error::changed)?;
        let work = |_| self.try_create_team(caller, season_id, &team);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        Ok(team)
    }

    async fn try_create_team(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        team: &Team,
    ) -> Result<(), Error> {
        let (mut season, scope) = self.season_scope(season_id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        if season.teams >= TEAMS_MAX {
            return Err(Error::limit(TEAMS_MAX, "teams in a season"));
        }
        let others = self.db.query(Team::of_season(season_id).consistent()).all().await?;
        if others.iter().any(|other| other.team_id == team.team_id) {
            return Err(Error::IdTaken);
        }
        if others.iter().any(|other| other.code == team.code) {
            return Err(Error::CodeTaken);
        }
        season.teams += 1;
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&season);
        changes.create(team, Error::IdTaken);
        changes.run().await
    }

    /// 8: listTeams, by id.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`].
    pub async fn teams(
        &self,
        caller: Option<&Caller>,
        season_id: &SeasonId,
    ) -> Result<Vec<Team>, Error> {
        let (_, scope) = self.season_scope(season_id, caller).await?;
        scope.require_reader()?;
        Ok(self.db.query(Team::of_season(season_id).consistent()).all().await?)
    }

    /// 9: updateTeam. The season is rewritten too, so two squads cannot take one player.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`], [`Error::CodeTaken`], [`Error::PlayerNotFound`],
    /// [`Error::PlayerInOtherSquad`].
    pub async fn update_team(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        team_id: &TeamId,
        change: &TeamChange,
    ) -> Result<Team, Error> {
        let work = |_| self.try_update_team(caller, season_id, team_id, change);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_update_team(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        team_id: &TeamId,
        change: &TeamChange,
    ) -> Result<Team, Error> {
        let (season, scope) = self.season_scope(season_id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        let teams = self.db.query(Team::of_season(season_id).consistent()).all().await?;
        let before = teams.iter().find(|team| team.team_id == *team_id);
        let before = before.ok_or(Error::TeamNotFound)?;
        let others = || teams.iter().filter(|team| team.team_id != *team_id);
        let mut team = before.clone();
        if let Some(name) = &change.name {
            team.name = parse_text("/name", name, 1..=30)?;
        }
        if let Some(code) = &change.code {
            team.code = parse_code("/code", code)?;
            if others().any(|other| other.code == team.code) {
                return Err(Error::CodeTaken);
            }
        }
        team.color = change.color.unwrap_or(team.color);
        team.retired = change.retired.unwrap_or(team.retired);
        if let Some(players) = &change.squad_player_ids {
            team.squad_player_ids = self.parse_squad(&season.league_id, players).await?;
            let is_taken = |player| others().any(|other| other.squad_player_ids.contains(player));
            if team.squad_player_ids.iter().any(is_taken) {
                return Err(Error::PlayerInOtherSquad);
            }
        }
        if team != *before {
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&season);
            changes.rewrite(&team);
            changes.run().await?;
        }
        Ok(team)
    }

    /// Players of the league, none twice.
    async fn parse_squad(
        &self,
        league_id: &LeagueId,
        texts: &[String],
    ) -> Result<Vec<PlayerId>, Error> {
        let mut squad: Vec<PlayerId> = Vec::with_capacity(texts.len());
        let mut keys = Keys::default();
        for text in texts {
            let player: PlayerId = parse_reference(text, Error::PlayerNotFound)?;
            if squad.contains(&player) {
                return Err(Error::invalid("/squadPlayerIds", "must not name a player twice"));
            }
            keys.add(&LeaguePlayer::key(league_id, &player))?;
            squad.push(player);
        }
        let found = self.find(keys).await?;
        let is_found = |player: &PlayerId| {
            found.iter().any(
                |item| matches!(item, ThreeFcItem::LeaguePlayer(one) if one.player_id == *player),
            )
        };
        match squad.iter().all(is_found) {
            true => Ok(squad),
            false => Err(Error::PlayerNotFound),
        }
    }
}
