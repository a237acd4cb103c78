//! Seasons.

use super::changes::Changes;
use super::find::{Keys, names_among};
use super::input::{NewSeason, NewTeam, SeasonChange};
use super::team::new_teams;
use super::{ATTEMPTS_MAX, Service};
use crate::design::{
    Color, LeagueId, Player, Role, SEASONS_MAX, Season, SeasonId, SeasonMirror, SeasonTables,
    Session, SessionId, SessionMirror, Team, ThreeFcItem,
};
use crate::error::Error;
use crate::rules::{Boards, StandingRow, boards, standings};
use crate::text::parse_text;
use crate::view::{LeagueInfo, PlayerRef, SeasonView, SessionRow, name_of};
use singlet_web::identity::Caller;
use std::collections::HashMap;

/// How long thirds can be.
const THIRD_LENGTHS: [u8; 3] = [20, 25, 30];
const THIRD_LENGTH_DEFAULT: u8 = 20;

/// A length of thirds.
pub(super) fn parse_length(minutes: u8) -> Result<u8, Error> {
    match THIRD_LENGTHS.contains(&minutes) {
        true => Ok(minutes),
        false => Err(Error::invalid("/thirdLengthMinutes", "must be 20, 25 or 30")),
    }
}

fn check_days(season: &SeasonMirror) -> Result<(), Error> {
    match (season.starts_on, season.ends_on) {
        (Some(start), Some(end)) if end < start => {
            Err(Error::invalid("/endsOn", "must not be before startsOn"))
        }
        _ => Ok(()),
    }
}

impl Service {
    /// 5: createSeason, with teams.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`], [`Error::CodeTaken`], [`Error::LimitReached`].
    pub async fn create_season(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewSeason,
    ) -> Result<SeasonMirror, Error> {
        let season_id: SeasonId = self.chosen_or_new("/seasonId", new.season_id.as_deref())?;
        let teams = match &new.teams {
            Some(teams) => teams.clone(),
            None => default_teams(),
        };
        let teams = new_teams(self, &season_id, &teams)?;
        let work = |_| self.try_create_season(caller, league_id, new, &season_id, &teams);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_create_season(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewSeason,
        season_id: &SeasonId,
        teams: &[Team],
    ) -> Result<SeasonMirror, Error> {
        let scope = self.league_scope(league_id, caller, Role::Admin).await?;
        let mut league = scope.league;
        if league.seasons >= SEASONS_MAX {
            return Err(Error::limit(SEASONS_MAX, "seasons in a league"));
        }
        league.seasons += 1;
        let now = self.db.now();
        let mirror = SeasonMirror {
            league_id: league_id.clone(),
            season_id: season_id.clone(),
            name: parse_text("/name", &new.name, 1..=40)?,
            starts_on: new.starts_on,
            ends_on: new.ends_on,
            third_length_minutes: parse_length(
                new.third_length_minutes.unwrap_or(THIRD_LENGTH_DEFAULT),
            )?,
            teams: teams.len() as u32,
            sessions: 0,
            created_at: now,
            updated_at: now,
        };
        check_days(&mirror)?;
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&league);
        changes.create(&mirror, Error::IdTaken);
        changes.create(&Season::from(&mirror), Error::IdTaken);
        for team in teams {
            changes.create(team, Error::IdTaken);
        }
        changes.run().await?;
        Ok(mirror)
    }

    /// 6: getSeason: table, leaderboards and sessions. No item of a game is read.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`].
    pub async fn season(
        &self,
        caller: Option<&Caller>,
        id: &SeasonId,
    ) -> Result<SeasonView, Error> {
        let (season, scope) = self.season_scope(id, caller).await?;
        scope.require_reader()?;
        let tables = self.tables(id).await?;
        let sessions = self.sessions_of(id).await?;
        let boards = boards(&tables.statistics);
        let mut keys = Keys::default();
        for player in boards.players() {
            keys.add(&Player::key(player))?;
        }
        for session in &sessions {
            keys.add(&SessionMirror::key(&session.session_id))?;
        }
        let found = self.find(keys).await?;
        let names = names_among(&found);
        let mirrors = found.iter().filter_map(|item| match item {
            ThreeFcItem::SessionMirror(mirror) => Some((&mirror.session_id, mirror.games)),
            _ => None,
        });
        let games: HashMap<&SessionId, u32> = mirrors.collect();
        let sessions = sessions.into_iter().map(|session| SessionRow {
            games: games.get(&session.session_id).copied().unwrap_or(0),
            session_id: session.session_id,
            session_date: session.session_date,
            venue: session.venue,
        });
        Ok(SeasonView {
            league: LeagueInfo::new(&scope.league, scope.role()),
            standings: standings(&tables.standings, &tables.teams),
            teams: tables.teams,
            boards: boards.map(|player| name_of(&names, &player)),
            sessions: sessions.collect(),
            my_role: scope.role(),
            season,
        })
    }

    /// 6: the table alone.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`].
    pub async fn standings(
        &self,
        caller: Option<&Caller>,
        id: &SeasonId,
    ) -> Result<Vec<StandingRow>, Error> {
        let (_, scope) = self.season_scope(id, caller).await?;
        scope.require_reader()?;
        let tables = self.tables(id).await?;
        Ok(standings(&tables.standings, &tables.teams))
    }

    /// 6: the leaderboards alone.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`].
    pub async fn leaderboards(
        &self,
        caller: Option<&Caller>,
        id: &SeasonId,
    ) -> Result<Boards<PlayerRef>, Error> {
        let (_, scope) = self.season_scope(id, caller).await?;
        scope.require_reader()?;
        let boards = boards(&self.tables(id).await?.statistics);
        let names = self.names(boards.players()).await?;
        Ok(boards.map(|player| name_of(&names, &player)))
    }

    /// Refuses callers who may not see a season.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`].
    pub async fn check_season_reader(
        &self,
        caller: Option<&Caller>,
        id: &SeasonId,
    ) -> Result<(), Error> {
        self.season_scope(id, caller).await?.1.require_reader()
    }

    /// Standings, statistics and teams of a season: one Query.
    async fn tables(&self, id: &SeasonId) -> Result<SeasonTables, Error> {
        let tables = self.db.load(SeasonTables::of(id).consistent()).await?;
        tables.ok_or(Error::SeasonNotFound)
    }

    /// The sessions of a season, by date and id.
    pub(super) async fn sessions_of(&self, id: &SeasonId) -> Result<Vec<Session>, Error> {
        let mut sessions = self.db.query(Session::of_season(id).consistent()).all().await?;
        sessions.sort_by_key(|session| (session.session_date, session.session_id.clone()));
        Ok(sessions)
    }

    /// 7: updateSeason.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotFound`].
    pub async fn update_season(
        &self,
        caller: &Caller,
        id: &SeasonId,
        change: &SeasonChange,
    ) -> Result<SeasonMirror, Error> {
        self.db.attempt(|_| self.try_update_season(caller, id, change)).times(ATTEMPTS_MAX).await
    }

    async fn try_update_season(
        &self,
        caller: &Caller,
        id: &SeasonId,
        change: &SeasonChange,
    ) -> Result<SeasonMirror, Error> {
        let (before, scope) = self.season_scope(id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        let mut mirror = before.clone();
        if let Some(name) = &change.name {
            mirror.name = parse_text("/name", name, 1..=40)?;
        }
        mirror.starts_on = change.starts_on.clone().apply(mirror.starts_on);
        mirror.ends_on = change.ends_on.clone().apply(mirror.ends_on);
        if let Some(minutes) = change.third_length_minutes {
            mirror.third_length_minutes = parse_length(minutes)?;
        }
        check_days(&mirror)?;
        if mirror != before {
            let season = self.stored_season(&mirror).await?;
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&Season {
                created_at: season.created_at,
                updated_at: season.updated_at,
                ..Season::from(&mirror)
            });
            changes.rewrite(&mirror);
            changes.run().await?;
        }
        Ok(mirror)
    }

    /// The season in the list of its league.
    async fn stored_season(&self, mirror: &SeasonMirror) -> Result<Season, Error> {
        let key = Season::key(&mirror.league_id, &mirror.season_id);
        self.db.get(key.consistent()).await?.ok_or_else(Error::changed)
    }

    /// 7: deleteSeason, with its teams.
    ///
    /// # Errors
    ///
    /// [`Error::SeasonNotEmpty`].
    pub async fn delete_season(&self, caller: &Caller, id: &SeasonId) -> Result<(), Error> {
        self.db.attempt(|_| self.try_delete_season(caller, id)).times(ATTEMPTS_MAX).await
    }

    async fn try_delete_season(&self, caller: &Caller, id: &SeasonId) -> Result<(), Error> {
        let (mirror, scope) = self.season_scope(id, Some(caller)).await?;
        scope.require(Role::Admin)?;
        if mirror.sessions > 0 {
            return Err(Error::SeasonNotEmpty);
        }
        let teams = self.db.query(Team::of_season(id).consistent()).all().await?;
        let mut league = scope.league;
        league.seasons = league.seasons.saturating_sub(1);
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&league);
        changes.delete(&mirror);
        changes.delete(&self.stored_season(&mirror).await?);
        for team in &teams {
            changes.delete(team);
        }
        changes.run().await
    }
}

/// The teams of a season that names none.
fn default_teams() -> Vec<NewTeam> {
    let teams = [
        ("red", "Red", "RED", Color::Red),
        ("blue", "Blue", "BLU", Color::Blue),
        ("yellow", "Yellow", "YEL", Color::Yellow),
    ];
    let team = |(id, name, code, color): (&str, &str, &str, Color)| NewTeam {
        team_id: Some(id.to_owned()),
        name: name.to_owned(),
        code: code.to_owned(),
        color,
    };
    teams.into_iter().map(team).collect()
}
