//! The store: opened with a counter of requests, and filled.

use crate::folder::Folder;
use crate::systems::{Observed, Outcome, is_read};
use ::systems::cricket::design::{
    Cricket, Fixture, League, LeagueCode, LeagueId, LockKey, MatchId, Owner, SeasonId, Team, TeamId,
};
use ::systems::cricket::rules::{Format, Phase};
use ::systems::cricket::service::{LEASE, Service};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rustix::time::{ClockId, clock_gettime};
use singlet::backend::Embedded;
use singlet::dynamo::operation::Request;
use singlet::engine::{Clock, Engine, Options};
use singlet::table::Contains;
use singlet::{CursorKey, Db, Entity, Settings};
use singlet_web::random::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How many items one task loads, and how many tasks load at once.
const LOADED_MAX: usize = 1_000;
const LOADERS: usize = 16;
/// How many writes are timed alone.
const COMMITS: usize = 200;

/// How many requests there were.
#[derive(Default)]
pub(super) struct Counts {
    reads: AtomicUsize,
    writes: AtomicUsize,
}

impl Counts {
    pub(super) fn clear(&self) {
        self.reads.store(0, Ordering::SeqCst);
        self.writes.store(0, Ordering::SeqCst);
    }

    /// Reads and writes of each of `parts`, on average.
    pub(super) fn each(&self, parts: usize) -> (f64, f64) {
        let each = |count: &AtomicUsize| count.load(Ordering::SeqCst) as f64 / parts as f64;
        (each(&self.reads), each(&self.writes))
    }
}

/// The services on a folder or in memory, with the count of their requests.
pub(super) async fn open(
    folder: Option<&Folder>,
    clock: &Clock,
) -> Outcome<(Service, Arc<Counts>)> {
    let engine = match folder {
        Some(folder) => Engine::open(folder.path(), Options::default())?,
        None => Engine::memory()?,
    };
    let counts = Arc::new(Counts::default());
    let counter = Arc::clone(&counts);
    let observe = move |request: &Request| {
        let count = if is_read(request) { &counter.reads } else { &counter.writes };
        count.fetch_add(1, Ordering::SeqCst);
    };
    let backend = Observed { inner: Embedded::new(engine), observe };
    let cursor_key = Some(CursorKey::of_this_process());
    let settings = Settings { cursor_key, clock: clock.clone(), ..Settings::default() };
    let db = Db::<Cricket>::on(backend, settings);
    db.provision().await?;
    Ok((Service::new(db, Random::new()), counts))
}

/// Writes items, in batches.
pub(super) async fn load<E>(service: &Service, items: Vec<E>) -> Outcome<()>
where
    E: Entity,
    Cricket: Contains<E::Table>,
{
    let mut loads = Vec::new();
    for chunk in items.chunks(LOADED_MAX) {
        let mut batch = service.db.batch();
        for item in chunk {
            batch.put(item)?;
        }
        loads.push(batch.run());
    }
    stream::iter(loads).buffer_unordered(LOADERS).try_collect::<Vec<()>>().await?;
    Ok(())
}

pub(super) async fn create_teams(service: &Service) -> Outcome<()> {
    let now = service.db.now();
    let team = |id: &str, name: &str, code: &str| {
        Outcome::Ok(Team {
            team_id: TeamId::new(id)?,
            name: name.to_owned(),
            code: code.to_owned(),
            image_path: None,
            country_id: None,
            national: false,
            short_name: None,
            colour: None,
            updated_at: now,
        })
    };
    let teams = [team("101", "Harbour Hawks", "HAR")?, team("102", "Kinsale Kestrels", "KIN")?];
    service.teams.create_many(&teams).await?;
    let league = League {
        league_id: LeagueId::new("7001")?,
        code: LeagueCode::new("CTL")?,
        name: "Coastal T20 League".to_owned(),
        season_id: Some(SeasonId::new("1")?),
        country_id: None,
        image_path: None,
        kind: None,
        active: true,
        updated_at: now,
    };
    service.leagues.create(&league).await?;
    Ok(())
}

/// A match that began some time ago.
pub(super) async fn create_match(
    service: &Service,
    id: &MatchId,
    format: Format,
) -> Outcome<Fixture> {
    let start_time = service.db.now().before(format.length());
    let fixture = Fixture {
        match_id: id.clone(),
        league_code: LeagueCode::new("CTL")?,
        league_id: LeagueId::new("7001")?,
        season_id: SeasonId::new("1")?,
        round: None,
        format,
        start_time,
        home_team_id: TeamId::new("101")?,
        away_team_id: TeamId::new("102")?,
        venue: Some("Harbour Oval".to_owned()),
        status: "NS".to_owned(),
        phase: Phase::Scheduled,
        live: None,
        live_updated_at: None,
        archived_at: None,
        ended_at: None,
        toss: None,
        toss_notified_at: None,
        innings: Vec::new(),
        target: None,
        day: None,
        result: None,
        sequence: 0,
        feed_at: None,
        replay: None,
        updated_at: start_time,
    };
    service.fixtures.create(&fixture).await?;
    Ok(fixture)
}

/// The median of writes that nobody shares a commit with.
pub(super) async fn commit_time(service: &Service) -> Outcome<Duration> {
    let (key, owner) = (LockKey::feed(), Owner::of_this_process(&service.random)?);
    let mut times = Vec::with_capacity(2 * COMMITS);
    for _ in 0..COMMITS {
        let begun = Instant::now();
        service.locks.acquire(&key, &owner, LEASE).await?;
        let acquired = Instant::now();
        service.locks.release(&key, &owner).await?;
        times.extend([acquired - begun, acquired.elapsed()]);
    }
    times.sort_unstable();
    Ok(times.get(COMMITS).copied().unwrap_or_default())
}

/// The processor's time of this process.
pub(super) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
