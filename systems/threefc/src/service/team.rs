//! Teams of a season.

use super::changes::Changes;
use super::input::{NewTeam, TeamChange};
use super::{ADMIN, Need, Service};
use crate::design::{LeagueId, LeaguePlayer, PlayerId, SeasonId, TEAMS_MAX, Team, TeamId};
use crate::error::{ApiError as _, Error, Result};
use singlet_web::identity::Caller;

/// Refuses a team whose id or code another one has.
fn check_unique<'t>(team: &Team, others: impl IntoIterator<Item = &'t Team>) -> Result<()> {
    for other in others {
        if other.team_id == team.team_id {
            return Err(Error::IdTaken);
        }
        if other.code == team.code {
            return Err(Error::CodeTaken);
        }
    }
    Ok(())
}

impl Service {
    /// Teams to be created.
    pub(super) fn new_teams(&self, season_id: &SeasonId, new: &[NewTeam]) -> Result<Vec<Team>> {
        let now = self.db.now();
        let mut teams: Vec<Team> = Vec::with_capacity(new.len());
        for team in new {
            let team = Team {
                season_id: season_id.clone(),
                team_id: self.chosen_or_new(team.team_id.as_ref())?,
                name: team.name.clone().into(),
                code: team.code.clone().into(),
                color: team.color,
                squad_player_ids: Vec::new(),
                retired: false,
                created_at: now,
                updated_at: now,
            };
            check_unique(&team, &teams)?;
            teams.push(team);
        }
        Ok(teams)
    }

    /// 8: createTeam.
    pub async fn create_team(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        new: &NewTeam,
    ) -> Result<Team> {
        let mut teams = self.new_teams(season_id, std::slice::from_ref(new))?;
        let team = teams.pop().ok_or_else(Error::changed)?;
        self.attempt(async |_| {
            let (mut season, _) = self.season_for(Some(caller), season_id, ADMIN).await?;
            if season.teams >= TEAMS_MAX {
                return Err(Error::limit(TEAMS_MAX, "teams in a season"));
            }
            let others = self.db.query(Team::of_season(season_id).consistent()).all().await?;
            check_unique(&team, &others)?;
            season.teams += 1;
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&season);
            changes.create(&team, Error::IdTaken);
            changes.run().await
        })
        .await?;
        Ok(team)
    }

    /// 8: listTeams, by id.
    pub async fn teams(&self, caller: Option<&Caller>, season_id: &SeasonId) -> Result<Vec<Team>> {
        self.season_for(caller, season_id, Need::Read).await?;
        Ok(self.db.query(Team::of_season(season_id).consistent()).all().await?)
    }

    /// 9: updateTeam. The season is rewritten too, so two squads cannot take one player.
    pub async fn update_team(
        &self,
        caller: &Caller,
        season_id: &SeasonId,
        team_id: &TeamId,
        change: &TeamChange,
    ) -> Result<Team> {
        self.attempt(async |_| {
            let (season, _) = self.season_for(Some(caller), season_id, ADMIN).await?;
            let mut others = self.db.query(Team::of_season(season_id).consistent()).all().await?;
            let place = others.iter().position(|team| team.team_id == *team_id);
            let before = others.swap_remove(place.ok_or(Error::TeamNotFound)?);
            let mut team = before.clone();
            if let Some(name) = &change.name {
                team.name = name.clone().into();
            }
            if let Some(code) = &change.code {
                team.code = code.clone().into();
                check_unique(&team, &others)?;
            }
            team.color = change.color.unwrap_or(team.color);
            team.retired = change.retired.unwrap_or(team.retired);
            if let Some(players) = &change.squad_player_ids {
                self.check_squad(&season.league_id, players).await?;
                let taken: Vec<&PlayerId> =
                    others.iter().flat_map(|other| &other.squad_player_ids).collect();
                if players.iter().any(|player| taken.contains(&player)) {
                    return Err(Error::PlayerInOtherSquad);
                }
                team.squad_player_ids = players.to_vec();
            }
            if team != before {
                let mut changes = Changes::new(&self.db);
                changes.rewrite(&season);
                changes.rewrite(&team);
                changes.run().await?;
            }
            Ok(team)
        })
        .await
    }

    /// Requires players of the league.
    async fn check_squad(&self, league_id: &LeagueId, squad: &[PlayerId]) -> Result<()> {
        let keys = squad.iter().map(|player| LeaguePlayer::key(league_id, player).consistent());
        let found: Vec<Option<LeaguePlayer>> = self.db.get_many(keys).await?;
        match found.iter().all(Option::is_some) {
            true => Ok(()),
            false => Err(Error::PlayerNotFound),
        }
    }
}
