//! A feed of generated matches, advanced ball by ball.

use ::systems::cricket::design::Fixture;
use ::systems::cricket::feed::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use ::systems::cricket::feed::{Feed, FeedError, Snapshot, Tape};
use ::systems::cricket::generate;
use ::systems::cricket::push::{PushMessage, PushOutcome, PushSender};
use singlet::Timestamp;
use singlet::backend::BoxFuture;
use singlet::engine::Clock;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The feed begins this many balls before the end of a match.
const BALLS_AHEAD: usize = 110;

/// A match and its position.
struct Played {
    tape: Tape,
    fixture: Fixture,
    /// The times of the balls, relative to the tape.
    times: Vec<i64>,
    bowled: usize,
}

impl Played {
    fn next(&mut self) -> Option<(i64, FeedFixture)> {
        let time = *self.times.get(self.bowled)?;
        self.bowled += 1;
        Some((time, self.tape.fold(time, &self.fixture)?))
    }
}

pub(super) struct TapeFeed {
    clock: Clock,
    matches: Mutex<Vec<Played>>,
    /// The answer to the next poll.
    next: Mutex<Vec<(i64, FeedFixture)>>,
}

impl TapeFeed {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, matches: Mutex::default(), next: Mutex::default() }
    }

    /// Adds a match: the first long enough tape, starting at this seed.
    pub(super) fn add(&self, fixture: &Fixture, seed: u64) -> Result<(), String> {
        let start_ms = fixture.start_time.as_millis();
        for seed in seed..seed + 100 {
            let name = generate::name_of(fixture.format, seed).ok_or("no tapes of this format")?;
            let tape = generate::tape(&name).and_then(|text| Tape::parse(&text));
            let tape = tape.ok_or("the tape is none")?;
            let whole = tape.fold(tape.duration_ms(), fixture).ok_or("the tape has no match")?;
            let mut times: Vec<i64> =
                whole.balls.iter().filter_map(|ball| Some(ball.updated_at? - start_ms)).collect();
            times.sort_unstable();
            times.dedup();
            // Only the last innings: a break would be a tick without a ball.
            let last = whole.balls.last().and_then(|ball| ball.innings);
            let in_last = whole.balls.iter().filter(|ball| ball.innings == last).count();
            if in_last > BALLS_AHEAD {
                let bowled = times.len() - BALLS_AHEAD;
                self.matches().push(Played { tape, fixture: fixture.clone(), times, bowled });
                return Ok(());
            }
        }
        Err("no tape is long enough".to_owned())
    }

    /// Bowls a ball in each match, for the next poll.
    pub(super) fn bowl(&self) {
        let fixtures = self.matches().iter_mut().filter_map(Played::next).collect();
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = fixtures;
    }

    fn snapshot(&self, feed_ms: i64, fixture: FeedFixture) -> Snapshot {
        Snapshot { fixture, feed_at: self.clock.now().as_millis(), feed_ms }
    }

    fn matches(&self) -> MutexGuard<'_, Vec<Played>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn empty<'a, T: Send + 'a>() -> BoxFuture<'a, Result<Vec<T>, FeedError>> {
    Box::pin(async { Ok(Vec::new()) })
}

impl Feed for TapeFeed {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn live(&self) -> BoxFuture<'_, Result<Vec<Snapshot>, FeedError>> {
        let next = std::mem::take(&mut *self.next.lock().unwrap_or_else(PoisonError::into_inner));
        let snapshots = next.into_iter().map(|(time, fixture)| {
            let feed_ms = fixture.starting_at.unwrap_or_default() + time;
            self.snapshot(feed_ms, fixture)
        });
        let snapshots = snapshots.collect();
        Box::pin(async { Ok(snapshots) })
    }

    fn fixture<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, FeedError>> {
        // Only called for matches that are missing in the list.
        Box::pin(async { Err(FeedError::Failed("no match is missing".to_owned())) })
    }

    fn fixtures<'a>(
        &'a self,
        _: &'a [String],
        _: Timestamp,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Snapshot>, FeedError>> {
        empty()
    }

    fn leagues(&self) -> BoxFuture<'_, Result<Vec<FeedLeague>, FeedError>> {
        empty()
    }

    fn teams(&self) -> BoxFuture<'_, Result<Vec<FeedTeam>, FeedError>> {
        empty()
    }

    fn standings<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<FeedStanding>, FeedError>> {
        empty()
    }
}

/// Delivers all notifications at once.
pub(super) struct NoPhones;

impl PushSender for NoPhones {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn send<'a>(&'a self, _: &'a PushMessage) -> BoxFuture<'a, PushOutcome> {
        Box::pin(std::future::ready(PushOutcome::Delivered))
    }
}
