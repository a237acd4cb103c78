//! Seasons.

use super::changes::Changes;
use super::input::{NewSeason, NewTeam, SeasonChange, ThirdLength};
use super::{ADMIN, Need, Service, names_among};
use crate::design::*;
use crate::error::{ApiError as _, Error, Result};
use crate::rules::{Boards, StandingRow, boards, standings};
use crate::view::{LeagueInfo, PlayerRef, SeasonView, name_of};
use serde_json::json;
use singlet::Date;
use singlet::prelude::*;
use singlet_web::identity::Caller;
use singlet_web::problem::{INTERNAL, Problem};

fn check_days(starts_on: Option<Date>, ends_on: Option<Date>) -> Result<()> {
    match starts_on.zip(ends_on) {
        Some((start, end)) if end < start => {
            Err(Error::invalid("/endsOn", "must not be before startsOn"))
        }
        _ => Ok(()),
    }
}

impl Service {
    /// 5: createSeason, with teams.
    pub async fn create_season(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewSeason,
    ) -> Result<SeasonMirror> {
        check_days(new.starts_on, new.ends_on)?;
        let season_id = self.chosen_or_new(new.season_id.as_ref())?;
        let teams = match &new.teams {
            Some(teams) => self.new_teams(&season_id, teams)?,
            None => self.new_teams(&season_id, &default_teams()?)?,
        };
        let length = new.third_length_minutes.unwrap_or(ThirdLength::DEFAULT);
        self.attempt(async |_| {
            let mut league = self.league_for(Some(caller), league_id, ADMIN).await?.league;
            if league.seasons >= SEASONS_MAX {
                return Err(Error::limit(SEASONS_MAX, "seasons in a league"));
            }
            league.seasons += 1;
            let now = self.db.now();
            let mirror = SeasonMirror {
                league_id: league_id.clone(),
                season_id: season_id.clone(),
                name: new.name.clone().into(),
                starts_on: new.starts_on,
                ends_on: new.ends_on,
                third_length_minutes: length.minutes(),
                teams: teams.len() as u32,
                sessions: 0,
                created_at: now,
                updated_at: now,
            };
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&league);
            changes.create(&mirror, Error::IdTaken);
            changes.create(&Season::from(&mirror), Error::IdTaken);
            for team in &teams {
                changes.create(team, Error::IdTaken);
            }
            changes.run().await?;
            Ok(mirror)
        })
        .await
    }

    /// 6: getSeason: table, leaderboards and sessions. No item of a game is read.
    pub async fn season(&self, caller: Option<&Caller>, id: &SeasonId) -> Result<SeasonView> {
        let (season, scope) = self.season_for(caller, id, Need::Read).await?;
        let tables = self.tables(id).await?;
        let boards = boards(&tables.statistics);
        let mut keys = Keys::new();
        for player in boards.players() {
            keys.add(Player::key(player))?;
        }
        for session in self.db.query(Session::of_season(id).consistent()).all().await? {
            keys.add(SessionMirror::key(&session.session_id))?;
        }
        let found = self.db.get_all(keys.consistent()).await?;
        let names = names_among(&found);
        let sessions = found.into_iter().filter_map(|item| match item {
            ThreeFcItem::SessionMirror(session) => Some(session),
            _ => None,
        });
        let mut sessions: Vec<SessionMirror> = sessions.collect();
        sessions.sort_by_key(|session| (session.session_date, session.session_id.clone()));
        let my_role = scope.role();
        Ok(SeasonView {
            league: LeagueInfo::new(scope.league, my_role),
            standings: standings(&tables.standings, &tables.teams),
            teams: tables.teams,
            boards: boards.map(|player| name_of(&names, &player)),
            sessions,
            my_role,
            season,
        })
    }

    /// 6: the table alone.
    pub async fn standings(
        &self,
        caller: Option<&Caller>,
        id: &SeasonId,
    ) -> Result<Vec<StandingRow>> {
        self.season_for(caller, id, Need::Read).await?;
        let tables = self.tables(id).await?;
        Ok(standings(&tables.standings, &tables.teams))
    }

    /// 6: the leaderboards alone.
    pub async fn leaderboards(
        &self,
        caller: Option<&Caller>,
        id: &SeasonId,
    ) -> Result<Boards<PlayerRef>> {
        self.season_for(caller, id, Need::Read).await?;
        let boards = boards(&self.tables(id).await?.statistics);
        let names = self.names(boards.players()).await?;
        Ok(boards.map(|player| name_of(&names, &player)))
    }

    /// Standings, statistics and teams of a season: one Query.
    async fn tables(&self, id: &SeasonId) -> Result<SeasonTables> {
        let tables = self.db.load(SeasonTables::of(id).consistent()).await?;
        tables.ok_or(Error::SeasonNotFound)
    }

    /// 7: updateSeason.
    pub async fn update_season(
        &self,
        caller: &Caller,
        id: &SeasonId,
        change: &SeasonChange,
    ) -> Result<SeasonMirror> {
        self.attempt(async |_| {
            let (before, _) = self.season_for(Some(caller), id, ADMIN).await?;
            let mut mirror = before.clone();
            if let Some(name) = &change.name {
                mirror.name = name.clone().into();
            }
            mirror.starts_on = change.starts_on.clone().apply(mirror.starts_on);
            mirror.ends_on = change.ends_on.clone().apply(mirror.ends_on);
            if let Some(length) = change.third_length_minutes {
                mirror.third_length_minutes = length.minutes();
            }
            check_days(mirror.starts_on, mirror.ends_on)?;
            if mirror != before {
                let mut changes = Changes::new(&self.db);
                changes.rewrite_both(&mirror, &Season::from(&mirror));
                changes.run().await?;
            }
            Ok(mirror)
        })
        .await
    }

    /// 7: deleteSeason, with its teams.
    pub async fn delete_season(&self, caller: &Caller, id: &SeasonId) -> Result<()> {
        self.attempt(async |_| {
            let (mirror, scope) = self.season_for(Some(caller), id, ADMIN).await?;
            if mirror.sessions > 0 {
                return Err(Error::SeasonNotEmpty);
            }
            let teams = self.db.query(Team::of_season(id).consistent()).all().await?;
            let mut league = scope.league;
            league.seasons = league.seasons.saturating_sub(1);
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&league);
            changes.delete(&mirror);
            changes.delete_guarded(&Season::from(&mirror));
            for team in &teams {
                changes.delete(team);
            }
            changes.run().await
        })
        .await
    }
}

fn default_teams() -> Result<Vec<NewTeam>> {
    let teams = json!([
        {"teamId": "red", "name": "Red", "code": "RED", "color": "red"},
        {"teamId": "blue", "name": "Blue", "code": "BLU", "color": "blue"},
        {"teamId": "yellow", "name": "Yellow", "code": "YEL", "color": "yellow"},
    ]);
    serde_json::from_value(teams).map_err(|_| Problem::new(&INTERNAL).into())
}
