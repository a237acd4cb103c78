//! Leagues, teams, standings and fixtures, as the feed has them.
//!
//! Only the feed's own fields are written, and only where they differ: what an admin or a tick has
//! set stays.

use super::Jobs;
use crate::design::{
    CachedFixture, Fixture, Form, League, LeagueCode, LeagueId, MatchId, SeasonId, Team, TeamId,
    TeamSeason,
};
use crate::feed::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use crate::feed::{FeedError, Snapshot};
use crate::rules::{Format, Phase, net_run_rate, toss};
use crate::service::StoreError;
use futures_util::TryStreamExt as _;
use singlet::prelude::*;
use singlet_web::job::{JobError, JobRun, Next};
use std::collections::HashMap;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Which fixtures are asked for: from two days ago to two weeks ahead.
const DAYS_BACK: u32 = 2;
const DAYS_AHEAD: u32 = 14;

impl Jobs {
    pub(super) async fn run_league_sync(self, _run: JobRun) -> Result<Next, JobError> {
        self.sync_leagues().await?;
        Ok(Next::Interval)
    }

    pub(super) async fn run_team_sync(self, _run: JobRun) -> Result<Next, JobError> {
        self.sync_teams().await?;
        Ok(Next::Interval)
    }

    pub(super) async fn run_fixture_sync(self, _run: JobRun) -> Result<Next, JobError> {
        self.sync_fixtures().await?;
        Ok(Next::Interval)
    }

    /// Creates new leagues, and renames others. `active` is the admin's. The teams and fixtures of
    /// new ones follow at once: their own jobs may have run before.
    ///
    /// # Errors
    ///
    /// If the store or the feed fails.
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
    ///
    /// # Errors
    ///
    /// If the store or the feed fails.
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
    ///
    /// # Errors
    ///
    /// If the store or the feed fails.
    pub async fn sync_fixtures(&self) -> Result<(), JobError> {
        let service = self.service();
        let now = service.db.now();
        let active = service.leagues.active().await?;
        let leagues: Vec<String> =
            active.iter().map(|league| league.league_id.to_string()).collect();
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

    /// Creates those that are new, and fills the cache. Returns those that were there before.
    async fn write_fixtures(
        &self,
        snapshots: &[Snapshot],
    ) -> Result<HashMap<MatchId, Fixture>, StoreError> {
        let service = self.service();
        let leagues = service.leagues.all().await?;
        let now = service.db.now();
        let mut fixtures = Vec::new();
        let mut entries: Vec<CachedFixture> = Vec::new();
        for snapshot in snapshots {
            let league = snapshot.fixture.league_id.as_deref();
            let league = leagues.iter().find(|one| Some(one.league_id.as_str()) == league);
            let Some(fixture) = league.and_then(|league| fixture_of(snapshot, league, now)) else {
                continue;
            };
            entries.extend(self.cache_entry(&fixture, snapshot, fixture.phase));
            fixtures.push(fixture);
        }
        let ids: Vec<MatchId> = fixtures.iter().map(|one| one.match_id.clone()).collect();
        let known = service.fixtures.get_many(&ids).await?;
        service.fixtures.create_many(&fixtures).await?;
        // What is cached with balls of a tick is newer than a list.
        let cached: HashMap<MatchId, i64> = service
            .cache
            .all()
            .await?
            .into_iter()
            .map(|entry| (entry.match_id, entry.feed_at))
            .collect();
        entries.retain(|entry| cached.get(&entry.match_id).is_none_or(|at| *at < entry.feed_at));
        entries.retain(|entry| known.get(&entry.match_id).is_none_or(|old| old.live.is_none()));
        service.cache.put_many(&entries).await?;
        Ok(known)
    }

    /// The feed's own fields of a match that is stored; status and phase only while it is not live.
    async fn move_fixture(&self, old: &Fixture, feed: &FeedFixture) -> Result<(), StoreError> {
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

    /// The teams and the format of a match that has not begun: those of a final are known late.
    /// Who follows a team that does not play follows the match neutrally.
    async fn change_teams(&self, old: &Fixture, feed: &FeedFixture) -> Result<(), StoreError> {
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
        let has_begun = old.live.is_some() || old.archived_at.is_some() || old.ended_at.is_some();
        if new == *old || has_begun {
            return Ok(());
        }
        let service = self.service();
        // First: what is left after a crash is found by the next sync.
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

    /// Matches on the list of live ones that nobody knows are created first.
    pub(super) async fn create_unknown(&self, snapshots: &[Snapshot]) -> Result<(), StoreError> {
        let service = self.service();
        let ids = snapshots.iter().filter_map(|one| MatchId::new(one.fixture.id.as_str()).ok());
        let ids: Vec<MatchId> = ids.collect();
        let known = service.fixtures.get_many(&ids).await?;
        let unknown: Vec<Snapshot> = snapshots
            .iter()
            .filter(|one| !known.keys().any(|id| id.as_str() == one.fixture.id))
            .cloned()
            .collect();
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

    /// Whether the feed still lists a league: then it would come back after it was deleted.
    ///
    /// # Errors
    ///
    /// If the feed fails.
    pub async fn league_in_feed(&self, id: &LeagueId) -> Result<bool, crate::error::Error> {
        match self.0.feed.leagues().await {
            Ok(leagues) => Ok(leagues.iter().any(|league| league.id == id.as_str())),
            Err(error) => {
                tracing::warn!(%error, "the leagues of the feed could not be read");
                Ok(true)
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
        "W" => Some(Form::Won),
        "L" => Some(Form::Lost),
        "D" => Some(Form::Drawn),
        "N" | "NR" => Some(Form::NoResult),
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
fn fixture_of(snapshot: &Snapshot, league: &League, now: Timestamp) -> Option<Fixture> {
    let feed = &snapshot.fixture;
    let phase = phase_of(feed).filter(|phase| phase.is_before_play()).unwrap_or(Phase::Scheduled);
    let toss = toss(feed).filter(|_| phase == Phase::Scheduled);
    let season = feed.season_id.as_deref().and_then(|id| SeasonId::new(id).ok());
    Some(Fixture {
        match_id: MatchId::new(feed.id.as_str()).ok()?,
        league_code: league.code.clone(),
        league_id: league.league_id.clone(),
        season_id: season.or_else(|| league.season_id.clone())?,
        round: feed.round.clone(),
        format: Format::from_feed(feed.kind.as_deref()?)?,
        start_time: Timestamp::from_millis(feed.starting_at?),
        home_team_id: TeamId::new(feed.localteam_id.as_deref()?).ok()?,
        away_team_id: TeamId::new(feed.visitorteam_id.as_deref()?).ok()?,
        venue: venue_of(feed),
        status: feed.status.clone().unwrap_or_else(|| "NS".to_owned()),
        phase: if toss.is_some() { Phase::Toss } else { phase },
        live: None,
        live_updated_at: None,
        archived_at: None,
        ended_at: None,
        toss,
        toss_notified_at: None,
        innings: Vec::new(),
        target: None,
        day: None,
        result: None,
        sequence: 0,
        feed_at: None,
        replay: None,
        updated_at: now,
    })
}
