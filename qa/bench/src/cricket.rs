//! Cricket: a tick over many live matches, and the fan-out of an alert to many followers.
//!
//! A tick is one pass of the job `live-score`: it polls the feed, commits every match that changed,
//! and looks for matches that are over. The feed here answers at once and has a new ball for every
//! match in every pass, which is the most that a pass can have to do: a real match has one in 16
//! passes. Pushes go to a port that counts them.

mod feed;
mod store;

use crate::folder::Folder;
use crate::systems::Outcome;
use ::systems::cricket::design::{
    Device, Environment, Fixture, Follow, MatchId, Platform, PushToken, Subscription, TeamId,
    UserId,
};
use ::systems::cricket::jobs::{Jobs, TickOutcome};
use ::systems::cricket::rules::Format;
use ::systems::cricket::service::Service;
use feed::{CountingSender, TapeFeed};
use singlet::Timestamp;
use singlet::engine::Clock;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Counts, commit_time, create_match, create_teams, processor_time};

const FOLLOWERS: usize = 10_000;
const MATCHES: usize = 50;
const FEW_MATCHES: usize = 5;
/// How many passes are measured, after how many that are not.
const PASSES: usize = 20;
const WARM_UP: usize = 2;
/// How many matches the job ticks at once.
const TICKS_AT_ONCE: usize = 16;
/// How far apart passes are, by the clock of the jobs.
const PASS_MS: i64 = 2_500;
/// How far apart the ticks of one match alone are: devices are remembered for a minute.
const BALL_MS: i64 = 100;
const FORGOTTEN_MS: i64 = 61_000;
/// What the issue asks for.
const TICK_TIME_MAX: Duration = Duration::from_secs(1);

/// Measures, and prints the figures. `followers` are those of each match.
pub(crate) fn run(followers: Option<&str>) -> Outcome<()> {
    let followers = followers.map_or(Ok(FOLLOWERS), str::parse)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let tick = twenties(followers).await?;
        tests().await?;
        match tick > TICK_TIME_MAX {
            true => Err(format!("a tick took {tick:.2?}: more than {TICK_TIME_MAX:?}").into()),
            false => Ok(()),
        }
    })
}

/// What the issue asks for, and what is needed to understand it. Returns how long a tick takes.
async fn twenties(followers: usize) -> Outcome<Duration> {
    println!("A tick with a new ball in every match, T20 matches near their end:");
    Stage::open(None, Format::T20).await?.ticks("in memory, nobody follows", MATCHES).await?;
    let folder = Folder::new("cricket");
    let stage = Stage::open(Some(&folder), Format::T20).await?;
    let commit = commit_time(&stage.service).await?;
    println!("  durable: one write alone takes {commit:.2?}");
    stage.load_followers(followers).await?;
    let what = format!("durable, {followers} followers each");
    let few = stage.ticks(&what, FEW_MATCHES).await?;
    let many = stage.ticks(&what, MATCHES).await?;
    let growth = |of: fn(&Tick) -> Duration| of(&many).as_secs_f64() / of(&few).as_secs_f64();
    println!(
        "  growth from {FEW_MATCHES} to {MATCHES} matches: {:.1}, of the processors' time {:.1} ({} \
         is linear)",
        growth(|tick| tick.time),
        growth(|tick| tick.processor),
        MATCHES / FEW_MATCHES
    );
    // The writes of one match wait for each other; those of others share their commits.
    let waiting = commit.mul_f64(many.writes * MATCHES.div_ceil(TICKS_AT_ONCE) as f64);
    println!(
        "  of {:.2?}: the writes that wait for each other would take {waiting:.2?} alone, and the \
         processors have {:.2?} to do",
        many.time, many.processor
    );
    stage.ticks_beside_fan_out().await?;
    stage.fan_out(followers).await?;
    Ok(many.time)
}

async fn tests() -> Outcome<()> {
    println!("The same with Tests on their last day, nobody follows:");
    let folder = Folder::new("cricket");
    let stage = Stage::open(Some(&folder), Format::Test).await?;
    for matches in [FEW_MATCHES, MATCHES] {
        stage.ticks("durable", matches).await?;
    }
    Ok(())
}

/// What a pass takes.
#[derive(Clone, Copy, Default)]
struct Tick {
    /// The median.
    time: Duration,
    /// The processors' time.
    processor: Duration,
    /// Writes of each match.
    writes: f64,
}

/// A server with its matches.
struct Stage {
    service: Service,
    jobs: Jobs,
    feed: Arc<TapeFeed>,
    sender: Arc<CountingSender>,
    counts: Arc<Counts>,
    clock: Clock,
    fixtures: Vec<Fixture>,
}

impl Stage {
    async fn open(folder: Option<&Folder>, format: Format) -> Outcome<Self> {
        let clock = Clock::fixed(Clock::system().now().as_millis());
        let (service, counts) = store::open(folder, &clock).await?;
        create_teams(&service).await?;
        let feed = Arc::new(TapeFeed::new(clock.clone()));
        let mut fixtures = Vec::new();
        // The last match is the one whose alerts are measured.
        for number in 0..=MATCHES {
            let id = MatchId::new((1_000 + number).to_string())?;
            let fixture = create_match(&service, &id, format).await?;
            feed.add(&fixture, 20 + number as u64)?;
            fixtures.push(fixture);
        }
        let sender = Arc::new(CountingSender::default());
        let jobs = Jobs::new(&service, feed.clone(), None, sender.clone())?;
        Ok(Self { service, jobs, feed, sender, counts, clock, fixtures })
    }

    /// One pass, timed without the feed: by the clock on the wall, and of the processors.
    async fn pass(&self, matches: usize) -> Outcome<(Duration, Duration)> {
        self.feed.bowl(matches);
        let (begun, processor) = (Instant::now(), processor_time());
        let listed = self.jobs.live_score_pass().await;
        let time = (begun.elapsed(), processor_time().saturating_sub(processor));
        match listed.map_err(|error| format!("a pass failed: {error:?}"))? {
            Some(count) if count == matches => Ok(time),
            listed => {
                Err(format!("{matches} matches were to be ticked, and not {listed:?}").into())
            }
        }
    }

    /// Measures passes over `matches` live matches.
    async fn ticks(&self, what: &str, matches: usize) -> Outcome<Tick> {
        for _ in 0..WARM_UP {
            self.clock.advance(PASS_MS);
            self.pass(matches).await?;
        }
        let before = self.sequences(matches).await?;
        self.counts.clear();
        let (mut times, mut processor) = (Vec::new(), Duration::ZERO);
        for _ in 0..PASSES {
            self.clock.advance(PASS_MS);
            let (time, of_processor) = self.pass(matches).await?;
            times.push(time);
            processor += of_processor / PASSES as u32;
        }
        let (reads, writes) = self.counts.each(PASSES * matches);
        let committed = self.sequences(matches).await? - before;
        if committed != (matches * PASSES) as u64 {
            return Err(format!("{committed} ticks of {} committed", matches * PASSES).into());
        }
        let (time, slowest) = median_and_slowest(&mut times);
        println!(
            "  {what}, {matches} matches: {time:.2?}, slowest {slowest:.2?} of {PASSES}; processors \
             {processor:.2?}; {reads:.1} reads and {writes:.1} writes a match"
        );
        Ok(Tick { time, processor, writes })
    }

    /// The sum of the sequences: it grows by one with each committed tick.
    async fn sequences(&self, matches: usize) -> Outcome<u64> {
        let mut sum = 0;
        for fixture in self.fixtures.iter().take(matches) {
            let read = self.service.fixtures.get_consistent(&fixture.match_id).await?;
            sum += read.ok_or("a match is missing")?.sequence;
        }
        Ok(sum)
    }

    async fn load_followers(&self, followers: usize) -> Outcome<()> {
        let (begun, mut loaded) = (Instant::now(), 0);
        for (number, fixture) in self.fixtures.iter().enumerate() {
            let users = (0..followers).map(|user| UserId::new(format!("user-{number}-{user}")));
            let users = users.collect::<Result<Vec<_>, _>>()?;
            let devices = users.iter().map(|user| device(user, self.service.db.now()));
            store::load(&self.service, devices.collect::<Outcome<Vec<Device>>>()?).await?;
            let follows = users.iter().enumerate().map(|(place, user)| Follow {
                match_id: fixture.match_id.clone(),
                user_id: user.clone(),
                team_id: side(fixture, place),
                created_at: self.service.db.now(),
                activities: BTreeSet::new(),
                expires_at: fixture.follows_expire(),
            });
            store::load(&self.service, follows.collect()).await?;
            loaded += followers;
            if number % 10 == 9 {
                println!("  loaded {loaded} followers and their phones in {:.0?}", begun.elapsed());
            }
        }
        Ok(())
    }

    /// Passes at their real pace, while the first orders of all matches are pushed: every follower
    /// is looked up.
    async fn ticks_beside_fan_out(&self) -> Outcome<()> {
        let before = self.sender.count();
        let jobs = self.jobs.clone();
        let begun = Instant::now();
        let pushing = tokio::spawn(async move {
            let pushed = jobs.push_orders().await;
            (pushed, begun.elapsed())
        });
        let mut times = Vec::new();
        let mut next = tokio::time::interval(Duration::from_millis(PASS_MS.unsigned_abs()));
        while times.is_empty() || !pushing.is_finished() {
            next.tick().await;
            self.clock.advance(PASS_MS);
            times.push(self.pass(MATCHES).await?.0);
        }
        let (pushed, took) = pushing.await?;
        pushed?;
        let sent = self.sender.count() - before;
        let count = times.len();
        let (median, slowest) = median_and_slowest(&mut times);
        println!(
            "  durable, beside a fan-out in all {MATCHES} matches ({sent} messages in {took:.2?}): \
             {median:.2?}, slowest {slowest:.2?} of {count}"
        );
        Ok(())
    }

    /// An alert to the followers of one match: to their phones, and inside activities.
    async fn fan_out(&self, followers: usize) -> Outcome<()> {
        println!("The fan-out of an alert to {followers} followers of one match:");
        let fixture = self.fixtures.last().ok_or("there is no match")?;
        // It remembers no phones yet.
        let jobs = Jobs::new(&self.service, self.feed.clone(), None, self.sender.clone())?;
        // The first order is to start activities, too.
        self.next_alert(&jobs, fixture).await?;
        jobs.push_orders().await?;
        self.clock.advance(FORGOTTEN_MS);
        for what in ["phones are looked up", "phones are remembered"] {
            self.next_alert(&jobs, fixture).await?;
            self.push(&jobs, what, followers).await?;
        }
        let activities = (0..followers).map(|user| {
            Ok(Subscription {
                match_id: fixture.match_id.clone(),
                push_token: PushToken::new(format!("activity-{user:055}"))?,
                user_id: UserId::new(format!("user-{MATCHES}-{user}"))?,
                team_id: side(fixture, user),
                created_at: self.service.db.now(),
                expires_at: fixture.follows_expire(),
            })
        });
        store::load(&self.service, activities.collect::<Outcome<Vec<Subscription>>>()?).await?;
        self.next_alert(&jobs, fixture).await?;
        self.push(&jobs, "all have an activity", followers).await
    }

    async fn push(&self, jobs: &Jobs, what: &str, followers: usize) -> Outcome<()> {
        let (before, begun, processor) = (self.sender.count(), Instant::now(), processor_time());
        jobs.push_orders().await?;
        let (time, processor) = (begun.elapsed(), processor_time().saturating_sub(processor));
        let sent = self.sender.count() - before;
        if sent != followers {
            return Err(format!("{sent} messages were sent to {followers} followers").into());
        }
        println!("  {what}: {time:.2?}, processor {processor:.2?}");
        Ok(())
    }

    /// Ticks one match until an alert waits, and pushes what comes before it.
    async fn next_alert(&self, jobs: &Jobs, fixture: &Fixture) -> Outcome<()> {
        loop {
            self.clock.advance(BALL_MS);
            let snapshot = self.feed.next_ball(&fixture.match_id)?;
            let prepared = jobs.prepare(snapshot, false).await??;
            let is_alert = prepared.event().is_some_and(|event| event.kind.is_alert());
            match jobs.commit(prepared).await? {
                TickOutcome::Committed { .. } if is_alert => return Ok(()),
                TickOutcome::Committed { .. } => {
                    jobs.push_orders().await?;
                }
                other => return Err(format!("a tick came to {other:?}").into()),
            }
        }
    }
}

/// Followers take the sides in turn.
fn side(fixture: &Fixture, place: usize) -> TeamId {
    let [home, away, neutral] = fixture.perspectives();
    match place % 3 {
        0 => home,
        1 => away,
        _ => neutral,
    }
}

fn device(user: &UserId, now: Timestamp) -> Outcome<Device> {
    Ok(Device {
        user_id: user.clone(),
        device_token: PushToken::new(format!("token-{:0>58}", user.as_str()))?,
        platform: Platform::Ios,
        environment: Environment::Production,
        app_version: Some("1.0".to_owned()),
        created_at: now,
        last_seen_at: now,
        push_to_start_token: None,
        expires_at: singlet::Expiry::at(now.after(Device::KEPT)),
    })
}

fn median_and_slowest(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |place: usize| times.get(place).copied().unwrap_or_default();
    (at(times.len() / 2), at(times.len().saturating_sub(1)))
}
