//! Leagues, teams, standings and fixtures, as the feed has them, and their names in the cache.
//!
//! Only the feed's own fields are written, and only where they differ: what an admin or a tick has
//! set stays.

use super::Jobs;
use crate::design::{
    CachedFixture, Enrichment, Fixture, Form, League, LeagueCode, LeagueId, MatchId, SeasonId,
    Team, TeamId, TeamSeason,
};
use crate::feed::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use crate::feed::{FeedError, Snapshot};
use crate::rules::{Format, Phase, net_run_rate, toss};
use futures_util::TryStreamExt as _;
use singlet::prelude::*;
use singlet_web::job::JobError;
use singlet_web::problem::{Problem, UNAVAILABLE};
use std::collections::HashMap;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Which fixtures are asked for: from two days ago to two weeks ahead.
const DAYS_BACK: u32 = 2;
const DAYS_AHEAD: u32 = 14;
const ENRICHED_MAX: usize = 200;

impl Jobs {
    /// Creates new leagues, and renames others. `active` is the admin's. The teams and fixtures of
    /// new ones follow at once: their own jobs may have run before.
    pub async fn sync_leagues(&self) -> Result<(), JobError> {
        let mut has_new = false;
        for feed in self.unless_resting(self.0.feed.leagues().await)?.unwrap_or_default() {
            let Some(new) = league_of(&feed, self.service().db.now()) else { continue };
            let leagues = &self.service().leagues;
            let Some(old) = leagues.get(&new.league_id).await? else {
                leagues.create(&new).await?;
                has_new = true;
                continue;
            };
            let same = League { active: old.active, updated_at: old.updated_at, ..new.clone() };
            if same == old {
                continue;
            }
            let change = update(League::key(&new.league_id))
                .set(League::CODE, new.code)
                .set(League::NAME, new.name)
                .set(League::SEASON_ID, new.season_id)
                .set(League::COUNTRY_ID, new.country_id)
                .set(League::IMAGE_PATH, new.image_path)
                .set(League::KIND, new.kind);
            leagues.update(change).await?;
        }
        if has_new {
            self.sync_teams().await?;
            self.sync_fixtures().await?;
        }
        Ok(())
    }

    /// Creates new teams, renames others, and writes the standings of active leagues.
    pub async fn sync_teams(&self) -> Result<(), JobError> {
        let service = self.service();
        let now = service.db.now();
        let feed = self.unless_resting(self.0.feed.teams().await)?.unwrap_or_default();
        let teams: Vec<Team> = feed.iter().filter_map(|team| team_of(team, now)).collect();
        service.teams.create_many(&teams).await?;
        let stored = service.teams.all().await?;
        let stored: HashMap<&TeamId, &Team> =
            stored.iter().map(|team| (&team.team_id, team)).collect();
        for new in &teams {
            let Some(old) = stored.get(&new.team_id) else { continue };
            let same = Team {
                short_name: old.short_name.clone(),
                colour: old.colour.clone(),
                updated_at: old.updated_at,
                ..new.clone()
            };
            if same == **old {
                continue;
            }
            let change = update(Team::key(&new.team_id))
                .set(Team::NAME, new.name.clone())
                .set(Team::CODE, new.code.clone())
                .set(Team::IMAGE_PATH, new.image_path.clone())
                .set(Team::COUNTRY_ID, new.country_id.clone())
                .set(Team::NATIONAL, new.national);
            service.teams.update(change).await?;
        }
        for league in service.leagues.active().await?.iter() {
            let Some(season) = &league.season_id else { continue };
            let standings = self.unless_resting(self.0.feed.standings(season.as_str()).await)?;
            let records: Vec<TeamSeason> = standings
                .unwrap_or_default()
                .iter()
                .filter_map(|one| standing_of(one, season, &league.league_id, now))
                .collect();
            service.team_seasons.put_many(&records).await?;
        }
        Ok(())
    }

    /// Creates new fixtures of active leagues, moves others, fills the cache, and ends matches that
    /// became final without ever being live.
    pub async fn sync_fixtures(&self) -> Result<(), JobError> {
        let service = self.service();
        let now = service.db.now();
        let active = service.leagues.active().await?;
        let leagues: Vec<String> = active.iter().map(|one| one.league_id.to_string()).collect();
        let (from, to) = (now.before(DAYS_BACK * DAY), now.after(DAYS_AHEAD * DAY));
        let Some(snapshots) =
            self.unless_resting(self.0.feed.fixtures(&leagues, from, to).await)?
        else {
            return Ok(());
        };
        let known = self.write_fixtures(&snapshots).await?;
        for snapshot in &snapshots {
            let Ok(id) = MatchId::new(snapshot.fixture.id.as_str()) else { continue };
            let Some(old) = known.get(&id) else { continue };
            self.move_fixture(old, &snapshot.fixture).await?;
            let phase = phase_of(&snapshot.fixture);
            let is_forgotten = old.live.is_none() && old.archived_at.is_none();
            if is_forgotten && phase.is_some_and(Phase::is_final) {
                self.reconcile_match(old).await?;
            }
        }
        Ok(())
    }

    /// Creates new fixtures, and fills the cache. Returns the fixtures that existed before.
    async fn write_fixtures(
        &self,
        snapshots: &[Snapshot],
    ) -> singlet::Result<HashMap<MatchId, Fixture>> {
        let service = self.service();
        let leagues = service.leagues.all().await?;
        let mut fixtures = Vec::new();
        let mut entries: Vec<CachedFixture> = Vec::new();
        for snapshot in snapshots {
            let league = snapshot.fixture.league_id.as_deref();
            let league = leagues.iter().find(|one| Some(one.league_id.as_str()) == league);
            let Some(fixture) = league.and_then(|league| fixture_of(&snapshot.fixture, league))
            else {
                continue;
            };
            entries.extend(self.cache_entry(&fixture, snapshot, fixture.phase));
            fixtures.push(fixture);
        }
        let ids: Vec<MatchId> = fixtures.iter().map(|one| one.match_id.clone()).collect();
        let known = service.fixtures.get_many(&ids).await?;
        service.fixtures.create_many(&fixtures).await?;
        entries.retain(|entry| known.get(&entry.match_id).is_none_or(|old| old.live.is_none()));
        service.cache.put_many(&entries).await?;
        Ok(known)
    }

    /// The feed's own fields of a match that is stored; status and phase only while it is not live.
    async fn move_fixture(&self, old: &Fixture, feed: &FeedFixture) -> singlet::Result<()> {
        let service = self.service();
        let venue = venue_of(feed).or_else(|| old.venue.clone());
        let start = feed.starting_at.map_or(old.start_time, Timestamp::from_millis);
        let round = feed.round.clone().or_else(|| old.round.clone());
        self.change_teams(old, feed).await?;
        if venue != old.venue || start != old.start_time || round != old.round {
            let change = update(Fixture::key(&old.match_id))
                .set(Fixture::VENUE, venue)
                .set(Fixture::START_TIME, start)
                .set(Fixture::ROUND, round);
            service.fixtures.update(change).await?;
        }
        let Some(phase) = phase_of(feed).filter(|phase| phase.is_before_play()) else {
            return Ok(());
        };
        let phase =
            if old.toss.is_some() && phase == Phase::Scheduled { Phase::Toss } else { phase };
        let status = feed.status.clone().unwrap_or_default();
        if old.live.is_some() || (phase == old.phase && status == old.status) {
            return Ok(());
        }
        let change = update(Fixture::key(&old.match_id))
            .set(Fixture::STATUS, status)
            .set(Fixture::PHASE, phase)
            .only_if(Fixture::LIVE.missing());
        service.fixtures.update(change).await?;
        Ok(())
    }

    /// Changes teams and format of a match that has not begun: the teams of a final are known late.
    /// Followers of a team that does not play become neutral.
    async fn change_teams(&self, old: &Fixture, feed: &FeedFixture) -> singlet::Result<()> {
        let team = |id: &Option<String>, old: &TeamId| {
            let new = id.as_deref().and_then(|id| TeamId::new(id).ok());
            new.unwrap_or_else(|| old.clone())
        };
        let new = Fixture {
            home_team_id: team(&feed.localteam_id, &old.home_team_id),
            away_team_id: team(&feed.visitorteam_id, &old.away_team_id),
            format: feed.kind.as_deref().and_then(Format::from_feed).unwrap_or(old.format),
            ..old.clone()
        };
        if new == *old || old.live.is_some() || old.is_over() {
            return Ok(());
        }
        let service = self.service();
        // First: after a crash the next sync finds the rest.
        let mut followers = service.follows.followers(&old.match_id);
        while let Some(follow) = followers.try_next().await? {
            if !new.has_perspective(&follow.team_id) {
                let neutral = TeamId::neutral();
                service.follows.change_team(&old.match_id, &follow.user_id, &neutral).await?;
            }
        }
        let change = update(Fixture::key(&old.match_id))
            .set(Fixture::HOME_TEAM_ID, new.home_team_id)
            .set(Fixture::AWAY_TEAM_ID, new.away_team_id)
            .set(Fixture::FORMAT, new.format)
            .set(Fixture::SEQUENCE, old.sequence + 1)
            .only_if(Fixture::LIVE.missing().and(Fixture::SEQUENCE.eq(old.sequence)));
        service.fixtures.update(change).await?;
        Ok(())
    }

    /// Creates unknown matches of the live list before they are ticked.
    pub(super) async fn create_unknown(&self, snapshots: &[Snapshot]) -> singlet::Result<()> {
        let service = self.service();
        let id = |one: &Snapshot| MatchId::new(one.fixture.id.as_str()).ok();
        let ids: Vec<MatchId> = snapshots.iter().filter_map(id).collect();
        let known = service.fixtures.get_many(&ids).await?;
        let is_unknown = |one: &&Snapshot| id(one).is_some_and(|id| !known.contains_key(&id));
        let unknown: Vec<Snapshot> = snapshots.iter().filter(is_unknown).cloned().collect();
        if !unknown.is_empty() {
            self.write_fixtures(&unknown).await?;
        }
        Ok(())
    }

    /// An answer of the feed; `None` if it rests.
    fn unless_resting<T>(&self, answered: Result<T, FeedError>) -> Result<Option<T>, JobError> {
        match answered {
            Ok(found) => Ok(Some(found)),
            Err(FeedError::Resting { until }) => {
                tracing::info!(until, "the feed rests");
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Updates names and positions of cached matches, except those with an unknown team. Returns how
    /// many.
    pub async fn enrich_matches(&self) -> singlet::Result<usize> {
        let service = self.service();
        let entries = service.cache.all().await?;
        let ids: Vec<MatchId> = entries.iter().map(|entry| entry.match_id.clone()).collect();
        let fixtures = service.fixtures.get_many(&ids).await?;
        let names = service.stored_names().await?;
        let mut positions: HashMap<SeasonId, HashMap<TeamId, u32>> = HashMap::new();
        let mut count = 0;
        for entry in &entries {
            let Some(fixture) = fixtures.get(&entry.match_id) else { continue };
            if !names.has_teams(fixture) {
                continue;
            }
            let season = &fixture.season_id;
            if !positions.contains_key(season) {
                let records = service.team_seasons.of_season(season).await?;
                let of_season =
                    records.into_iter().map(|one| (one.team_id, one.position)).collect();
                positions.insert(season.clone(), of_season);
            }
            let position = |team: &TeamId| positions.get(season)?.get(team).copied();
            let [home, away] = names.teams(fixture);
            let enrichment = Enrichment {
                home_position: position(&fixture.home_team_id),
                away_position: position(&fixture.away_team_id),
                home_name: home.name,
                home_code: home.code,
                away_name: away.name,
                away_code: away.code,
                league_name: names.league(fixture).to_owned(),
                league_code: fixture.league_code.to_string(),
            };
            if entry.enrichment.as_ref() == Some(&enrichment) {
                continue;
            }
            count += usize::from(service.cache.enrich(&fixture.match_id, &enrichment).await?);
            if count >= ENRICHED_MAX {
                break;
            }
        }
        Ok(count)
    }

    /// Whether the feed still lists a league: then it would come back after it was deleted.
    pub async fn league_in_feed(&self, id: &LeagueId) -> Result<bool, crate::error::Error> {
        match self.0.feed.leagues().await {
            Ok(leagues) => Ok(leagues.iter().any(|league| league.id == id.as_str())),
            Err(error) => {
                tracing::warn!(%error, "the leagues of the feed could not be read");
                Err(Problem::new(&UNAVAILABLE).into())
            }
        }
    }
}

fn phase_of(feed: &FeedFixture) -> Option<Phase> {
    Some(Phase::from_feed(feed.status.as_deref()?)?.0)
}

fn venue_of(feed: &FeedFixture) -> Option<String> {
    feed.venue.as_ref()?.name.clone()
}

fn league_of(feed: &FeedLeague, now: Timestamp) -> Option<League> {
    let name = feed.name.clone()?;
    // An id never contains `#`.
    let code = feed.code.as_deref().unwrap_or(&name).replace('#', "");
    Some(League {
        league_id: LeagueId::new(feed.id.as_str()).ok()?,
        code: LeagueCode::new(code.trim()).or_else(|_| LeagueCode::new(feed.id.as_str())).ok()?,
        name,
        season_id: feed.season_id.as_deref().and_then(|id| SeasonId::new(id).ok()),
        country_id: feed.country_id.clone(),
        image_path: feed.image_path.clone(),
        kind: feed.kind.clone(),
        active: true,
        updated_at: now,
    })
}

fn team_of(feed: &FeedTeam, now: Timestamp) -> Option<Team> {
    let name = feed.name.clone()?;
    let code = feed.code.clone().unwrap_or_else(|| name.chars().take(3).collect());
    Some(Team {
        team_id: TeamId::new(feed.id.as_str()).ok()?,
        name,
        code,
        image_path: feed.image_path.clone(),
        country_id: feed.country_id.clone(),
        national: feed.national_team,
        short_name: None,
        colour: None,
        updated_at: now,
    })
}

fn standing_of(
    feed: &FeedStanding,
    season: &SeasonId,
    league: &LeagueId,
    now: Timestamp,
) -> Option<TeamSeason> {
    let own =
        net_run_rate((feed.runs_for, &feed.overs_for), (feed.runs_against, &feed.overs_against));
    let form = feed.recent_form.iter().filter_map(|one| match one.as_str() {
        "W" => Some(Form::W),
        "L" => Some(Form::L),
        "D" => Some(Form::D),
        "N" | "NR" => Some(Form::N),
        _ => None,
    });
    Some(TeamSeason {
        season_id: season.clone(),
        team_id: TeamId::new(feed.team_id.as_str()).ok()?,
        league_id: league.clone(),
        position: feed.position,
        played: feed.played,
        won: feed.won,
        lost: feed.lost,
        drawn: feed.draw,
        no_result: feed.noresult,
        points: i32::try_from(feed.points).unwrap_or(0),
        runs_for: feed.runs_for,
        overs_for: feed.overs_for.clone(),
        runs_against: feed.runs_against,
        overs_against: feed.overs_against.clone(),
        net_run_rate: own.or_else(|| feed.netto_run_rate.clone()).unwrap_or_default(),
        form: form.take(10).collect(),
        updated_at: now,
    })
}

/// A new fixture, as the feed has it. Its score comes from ticks.
fn fixture_of(feed: &FeedFixture, league: &League) -> Option<Fixture> {
    let phase = phase_of(feed).filter(|phase| phase.is_before_play()).unwrap_or(Phase::Scheduled);
    let toss = toss(feed).filter(|_| phase == Phase::Scheduled);
    let season = feed.season_id.as_deref().and_then(|id| SeasonId::new(id).ok());
    let teams =
        [&feed.localteam_id, &feed.visitorteam_id].map(|id| TeamId::new(id.as_deref()?).ok());
    let [Some(home), Some(away)] = teams else { return None };
    let scheduled = Fixture::scheduled(
        MatchId::new(feed.id.as_str()).ok()?,
        (league.code.clone(), league.league_id.clone(), season.or(league.season_id.clone())?),
        Format::from_feed(feed.kind.as_deref()?)?,
        Timestamp::from_millis(feed.starting_at?),
        [home, away],
    );
    Some(Fixture {
        round: feed.round.clone(),
        venue: venue_of(feed),
        status: feed.status.clone().unwrap_or_else(|| "NS".to_owned()),
        phase: if toss.is_some() { Phase::Toss } else { phase },
        toss,
        ..scheduled
    })
}
