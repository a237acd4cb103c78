//! A known match, and one snapshot of the feed applied to it.

use super::delivery::Delivery;
use super::figures::{Players, short_name};
use super::result::{own_result, result, target};
use super::score::innings_scores;
use super::types::{Elected, Format, InningsScore, LastEvent, Phase, TeamLabel, Toss};
use crate::design::Fixture;
use crate::feed::shape::{FeedBatting, FeedBowling, FeedFixture};
use std::collections::BTreeMap;
use std::ops::Deref;

/// How long a result may be confirmed before our own counts.
const CONFIRMING_MS_MAX: i64 = 5 * 60_000;
const DELIVERIES_MAX: usize = 3_500;
const DAY_MS: i64 = 24 * 3_600_000;

/// A match as displays, scorecards and charts read it.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchView {
    pub fixture: Fixture,
    pub home: TeamLabel,
    pub away: TeamLabel,
    pub deliveries: Vec<Delivery>,
    /// Short names.
    pub players: Players,
    pub last_event: Option<LastEvent>,
    /// The feed's own figures, for matches without balls.
    pub tables: Tables,
}

impl Deref for MatchView {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
}

impl MatchView {
    /// The innings in play, or the last one.
    pub fn current(&self) -> Option<&InningsScore> {
        self.innings.last()
    }

    /// The team with this id; the home side if there is none.
    pub fn team(&self, id: &str) -> &TeamLabel {
        if self.away.id == id { &self.away } else { &self.home }
    }

    pub fn other(&self, id: &str) -> &TeamLabel {
        if self.home.id == id { &self.away } else { &self.home }
    }
}

/// A snapshot of the feed, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub view: MatchView,
    /// When balls were written, by their ids.
    pub ball_times: BTreeMap<u64, i64>,
    pub is_status_unknown: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    pub batting: Vec<FeedBatting>,
    pub bowling: Vec<FeedBowling>,
}

/// Reads a snapshot. `feed_ms` is its time; `confirming_since` says since when the result is being
/// confirmed.
pub fn read_facts(
    known: &MatchView,
    feed: &FeedFixture,
    feed_ms: i64,
    confirming_since: Option<i64>,
) -> Facts {
    let status = feed.status.clone().unwrap_or_else(|| known.status.clone());
    let found = Phase::from_feed(&status);
    let toss = toss(feed).or_else(|| known.toss.clone());
    let phase = match found {
        Some((Phase::Scheduled, _)) if toss.is_some() => Phase::Toss,
        Some((phase, _)) => phase,
        None => known.phase,
    };
    let day = day(known, phase, found.and_then(|(_, day)| day), feed_ms);
    let mut deliveries: Vec<Delivery> = if known.format == Format::Hundred {
        Vec::new()
    } else {
        feed.balls.iter().filter_map(Delivery::from_feed).collect()
    };
    deliveries.truncate(DELIVERIES_MAX);
    let innings = innings_scores(known.format, phase, feed, &deliveries);
    let revised = (feed.rpc_target, feed.rpc_overs.as_deref());
    let target = target(known.format, phase, &innings, revised);
    let own = own_result(known.format, &innings, target.as_ref(), [&known.home, &known.away]);
    let is_overdue = confirming_since.is_some_and(|since| feed_ms - since >= CONFIRMING_MS_MAX);
    let result = result(phase, own, feed, is_overdue);
    let times = feed.balls.iter().filter_map(|ball| Some((ball.id, ball.updated_at?)));
    let named = feed
        .lineup
        .iter()
        .filter_map(|player| Some((player.id.clone(), short_name(player.fullname.as_deref()?))));
    Facts {
        ball_times: times.collect(),
        is_status_unknown: found.is_none(),
        view: MatchView {
            players: named.take(60).collect(),
            tables: Tables { batting: feed.batting.clone(), bowling: feed.bowling.clone() },
            deliveries,
            fixture: Fixture {
                phase,
                day,
                toss,
                innings,
                target,
                result,
                status,
                ..known.fixture.clone()
            },
            ..known.clone()
        },
    }
}

pub fn toss(feed: &FeedFixture) -> Option<Toss> {
    let elected = feed.elected.as_deref()?.to_ascii_lowercase();
    let elected = match () {
        () if elected.contains("bat") => Elected::Bat,
        () if elected.contains("bowl") || elected.contains("field") => Elected::Bowl,
        () => return None,
    };
    Some(Toss { team_id: feed.toss_won_team_id.clone()?, elected })
}

/// The day of a match of several days: N at "Stump Day N", N + 1 when play resumes, and at first
/// sight, or if stumps were missed, the whole days since the start, plus one.
fn day(known: &MatchView, phase: Phase, stated: Option<u32>, feed_ms: i64) -> Option<u32> {
    let by_clock = day_by_clock(known.format, feed_ms - known.start_time.as_millis())?;
    if phase.is_before_play() {
        return None;
    }
    if stated.is_some() {
        return stated;
    }
    let resumes = known.phase == Phase::Stumps && phase != Phase::Stumps && !phase.is_final();
    // If there was no tick overnight, the clock is right.
    let by_phase = known.day.map_or(1, |day| day + u32::from(resumes));
    Some(by_phase.max(by_clock))
}

/// The day of a match of several days that began so long ago.
pub fn day_by_clock(format: Format, since_start_ms: i64) -> Option<u32> {
    let whole_days = since_start_ms.max(0) / DAY_MS;
    format.is_multi_day().then(|| u32::try_from(whole_days).unwrap_or(0) + 1)
}
