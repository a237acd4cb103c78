//! Responses that are not stored entities.

use crate::design::{
    CachedFixture, Device, Environment, Fixture, Follow, LeagueCode, MatchId, Platform,
    ProcessingState, Replay, TeamId,
};
use crate::feed::shape::FeedFixture;
use crate::rules::{
    Delivery, DisplayState, Format, InningsScore, MatchResult, MatchView, Phase, Tables, Target,
    TeamLabel, Toss, headline, score_text, short_name,
};
use crate::service::Names;
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;
use std::time::Duration;

/// After how long without a tick a match in play is stale.
const STALE_AFTER: Duration = Duration::from_secs(30);

/// Whether the score of a match may be behind: it is in the live index, balls are being bowled, and
/// there was no tick for 30 s.
pub fn is_stale(fixture: &Fixture, now: Timestamp) -> bool {
    let is_live = fixture.live.is_some() && fixture.phase == Phase::Live;
    let is_old = |at: Timestamp| now.since(at) >= STALE_AFTER;
    is_live && fixture.live_updated_at.is_some_and(is_old)
}

/// A match as displays, scorecards and charts read it. The feed's own figures are used where it
/// sends no balls.
pub fn match_view(
    fixture: &Fixture,
    processing: Option<&ProcessingState>,
    cached: Option<&CachedFixture>,
    names: &Names,
) -> MatchView {
    let [home, away] = names.teams(fixture);
    let balls = processing.map_or(&[][..], |state| &state.ball_by_ball);
    let deliveries: Vec<Delivery> = balls.iter().filter_map(|ball| ball.parse().ok()).collect();
    let mut players = processing.map(|state| state.players.clone()).unwrap_or_default();
    let mut tables = Tables::default();
    if deliveries.is_empty()
        && let Some(feed) = cached.and_then(feed_fixture)
    {
        for player in &feed.lineup {
            let name = short_name(player.fullname.as_deref().unwrap_or(&player.id));
            players.entry(player.id.clone()).or_insert(name);
        }
        tables = Tables { batting: feed.batting, bowling: feed.bowling };
    }
    MatchView {
        fixture: fixture.clone(),
        home,
        away,
        deliveries,
        players,
        last_event: processing.and_then(|state| state.last_event.clone()),
        tables,
    }
}

fn feed_fixture(cached: &CachedFixture) -> Option<FeedFixture> {
    FeedFixture::from_json(&serde_json::from_str(&cached.payload).ok()?)
}

/// The players of both line-ups, each with its team's id, for those who did not bat.
pub fn sides(cached: Option<&CachedFixture>) -> Vec<(String, String)> {
    let feed = cached.and_then(feed_fixture);
    let players = feed.into_iter().flat_map(|feed| feed.lineup);
    players.filter_map(|player| Some((player.lineup.team_id?, player.id))).collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LeagueLabel {
    pub code: LeagueCode,
    pub name: String,
}

/// A team of a match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TeamScore {
    #[serde(flatten)]
    pub team: TeamLabel,
    /// Null before it has batted.
    pub score: Option<String>,
    /// Its place in the standings, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchSummary {
    pub match_id: MatchId,
    pub league: LeagueLabel,
    pub format: Format,
    pub phase: Phase,
    pub start_time: Timestamp,
    /// The home team first.
    pub teams: Vec<TeamScore>,
    /// The match in a line.
    pub headline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<MatchResult>,
    /// The team with which the caller follows it, or `neutral`; missing if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub following: Option<TeamId>,
    /// Whether the match was made by the generator, and is replayed.
    pub generated: bool,
    /// Whether the score may be behind.
    pub stale: bool,
    pub archived: bool,
    /// One more with every change.
    pub sequence: u64,
}

impl MatchSummary {
    pub fn new(fixture: &Fixture, names: &Names, follow: Option<&Follow>, now: Timestamp) -> Self {
        let view = match_view(fixture, None, None, names);
        let team = |id: &TeamId| TeamScore {
            team: view.team(id.as_str()).clone(),
            score: score_text(&fixture.innings, id.as_str()),
            position: names.position(fixture, id),
        };
        Self {
            match_id: fixture.match_id.clone(),
            league: LeagueLabel {
                code: fixture.league_code.clone(),
                name: names.league(fixture).to_owned(),
            },
            format: fixture.format,
            phase: fixture.phase,
            start_time: fixture.start_time,
            teams: fixture.teams().map(team).into(),
            headline: Some(headline(&view)).filter(|it| !it.is_empty()),
            result: fixture.result.clone(),
            following: follow.map(|follow| follow.team_id.clone()),
            generated: fixture.replay.is_some(),
            stale: is_stale(fixture, now),
            archived: fixture.archived_at.is_some(),
            sequence: fixture.sequence,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct MatchList {
    /// In play, by start time.
    pub live: Vec<MatchSummary>,
    /// Others, by start time.
    pub items: Vec<MatchSummary>,
    /// Pass this as `cursor` to get the next part. It is missing when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Timestamp>,
}

/// A match with its innings.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchDetail {
    #[serde(flatten)]
    pub summary: MatchSummary,
    pub venue: Option<String>,
    pub toss: Option<Toss>,
    /// Such as "Final".
    pub round: Option<String>,
    pub innings: Vec<InningsScore>,
    /// For the side that bats last.
    pub target: Option<Target>,
    /// In formats of several days.
    pub day: Option<u32>,
    /// When the last tick was.
    pub updated_at: Option<Timestamp>,
}

impl MatchDetail {
    pub fn new(fixture: Fixture, summary: MatchSummary) -> Self {
        Self {
            summary,
            venue: fixture.venue,
            toss: fixture.toss,
            round: fixture.round,
            innings: fixture.innings,
            target: fixture.target,
            day: fixture.day,
            updated_at: fixture.live_updated_at,
        }
    }
}

/// A display state, with the time of its update.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisplayView {
    #[serde(flatten)]
    state: DisplayState,
    /// When the last tick was.
    updated_at: Option<Timestamp>,
    /// Whether the score may be behind.
    stale: bool,
}

impl DisplayView {
    pub(crate) fn new(state: DisplayState, fixture: &Fixture, now: Timestamp) -> Self {
        Self { state, updated_at: fixture.live_updated_at, stale: is_stale(fixture, now) }
    }
}

/// A list that is not read in parts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Items<T> {
    pub items: Vec<T>,
}

/// The caller's device. Its tokens are never shown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceView {
    /// `…` and the last four characters of its token.
    pub token_end: String,
    pub platform: Platform,
    pub environment: Environment,
    /// When the app was last launched.
    pub last_seen_at: Timestamp,
    /// Whether activities can be started on it.
    pub can_start: bool,
}

impl From<Device> for DeviceView {
    fn from(device: Device) -> Self {
        Self {
            token_end: device.device_token.end(),
            platform: device.platform,
            environment: device.environment,
            last_seen_at: device.last_seen_at,
            can_start: device.push_to_start_token.is_some(),
        }
    }
}

/// A match, as admins see it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminMatch {
    #[serde(flatten)]
    pub summary: MatchSummary,
    /// The feed's own text.
    pub status: String,
    /// When the last tick was.
    pub live_updated_at: Option<Timestamp>,
    /// When the final tick was committed.
    pub ended_at: Option<Timestamp>,
    pub archived_at: Option<Timestamp>,
    pub replay: Option<ReplayView>,
}

/// How a generated match is replayed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayView {
    #[serde(flatten)]
    pub replay: Replay,
    /// The end, in milliseconds from the scheduled start. Null once the match is over.
    pub duration_ms: Option<i64>,
}

impl AdminMatch {
    pub fn new(
        fixture: &Fixture,
        names: &Names,
        now: Timestamp,
        replay: Option<ReplayView>,
    ) -> Self {
        Self {
            summary: MatchSummary::new(fixture, names, None, now),
            status: fixture.status.clone(),
            live_updated_at: fixture.live_updated_at,
            ended_at: fixture.ended_at,
            archived_at: fixture.archived_at,
            replay,
        }
    }
}
