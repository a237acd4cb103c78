//! What one snapshot of the feed says about a match.

use super::delivery::Delivery;
use super::figures::{Players, short_name};
use super::result::{own_result, result, target};
use super::score::innings_scores;
use super::types::{Elected, Format, InningsScore, MatchResult, Phase, Target, TeamLabel, Toss};
use crate::feed::shape::{FeedBatting, FeedBowling, FeedFixture};
use std::collections::BTreeMap;

/// How long a result may be confirmed before our own counts.
const CONFIRMING_MS_MAX: i64 = 5 * 60_000;
/// How many deliveries of a match are kept.
const DELIVERIES_MAX: usize = 3_500;
const DAY_MS: i64 = 24 * 3_600_000;

/// What is known of a match before a snapshot is read.
#[derive(Clone, Debug)]
pub struct StoredMatch {
    /// The match.
    pub match_id: String,
    /// The league's code.
    pub league: String,
    /// Its format.
    pub format: Format,
    /// When it begins, in milliseconds since 1970.
    pub start_ms: i64,
    /// The home side.
    pub home: TeamLabel,
    /// The away side.
    pub away: TeamLabel,
    /// The phase stored last.
    pub phase: Phase,
    /// The feed's status stored last.
    pub status: String,
    /// The day stored last.
    pub day: Option<u32>,
    /// The toss stored last.
    pub toss: Option<Toss>,
    /// The innings stored last.
    pub innings: Vec<InningsScore>,
}

/// What a snapshot says.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The feed's status.
    pub status: String,
    /// What it means.
    pub phase: Phase,
    /// The day, in matches of several days.
    pub day: Option<u32>,
    /// The toss.
    pub toss: Option<Toss>,
    /// The innings.
    pub innings: Vec<InningsScore>,
    /// What the side that bats last has to reach.
    pub target: Option<Target>,
    /// The result, settled or being confirmed.
    pub result: Option<MatchResult>,
    /// All deliveries.
    pub deliveries: Vec<Delivery>,
    /// When balls were written, by their ids.
    pub ball_times: BTreeMap<u64, i64>,
    /// Short names.
    pub players: Players,
    /// Figures of the feed, for matches without balls.
    pub tables: Tables,
    /// Whether the feed's status is one that nobody knows.
    pub is_status_unknown: bool,
}

/// The feed's own figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// Batters.
    pub batting: Vec<FeedBatting>,
    /// Bowlers.
    pub bowling: Vec<FeedBowling>,
}

/// Reads a snapshot. `feed_ms` is its time; `confirming_since` says since when the result is being
/// confirmed.
#[must_use]
pub fn read_facts(
    known: &StoredMatch,
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
        phase,
        day,
        toss,
        innings,
        target,
        result,
        ball_times: times.collect(),
        players: named.take(60).collect(),
        tables: Tables { batting: feed.batting.clone(), bowling: feed.bowling.clone() },
        is_status_unknown: found.is_none(),
        status,
        deliveries,
    }
}

/// The toss of the feed.
#[must_use]
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
fn day(known: &StoredMatch, phase: Phase, stated: Option<u32>, feed_ms: i64) -> Option<u32> {
    if !known.format.is_multi_day() || phase.is_before_play() {
        return None;
    }
    if stated.is_some() {
        return stated;
    }
    let whole_days = (feed_ms - known.start_ms).max(0) / DAY_MS;
    let by_clock = u32::try_from(whole_days).unwrap_or(0) + 1;
    let resumes = known.phase == Phase::Stumps && phase != Phase::Stumps && !phase.is_final();
    // Nobody may have looked overnight: then the clock knows better.
    let by_phase = known.day.map_or(1, |day| day + u32::from(resumes));
    Some(by_phase.max(by_clock))
}
