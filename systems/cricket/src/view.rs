//! What clients see.

use crate::design::{
    CachedFixture, Device, Environment, Fixture, Follow, Form, League, Lock, Platform,
    ProcessingState, Replay, Team, TeamSeason,
};
use crate::feed::shape::FeedFixture;
use crate::rules::{
    Delivery, Format, InningsScore, MatchResult, MatchView, Phase, Tables, Target, Toss, headline,
    score_text, short_name,
};
use crate::service::Names;
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;
use singlet_web::job::JobStatus;
use std::time::Duration;

/// After how long without a tick a match in play is stale.
pub const STALE_AFTER: Duration = Duration::from_secs(30);

/// Whether the score of a match may be behind: it is in the live index, balls are being bowled, and
/// there was no tick for 30 s.
#[must_use]
pub fn is_stale(fixture: &Fixture, now: Timestamp) -> bool {
    let is_live = fixture.live.is_some() && fixture.phase == Phase::Live;
    let is_old = |at: Timestamp| now.since(at) >= STALE_AFTER;
    is_live && fixture.live_updated_at.is_some_and(is_old)
}

/// A match as displays, scorecards and charts read it. The feed's own figures are used where it
/// sends no balls.
#[must_use]
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
        match_id: fixture.match_id.to_string(),
        league: fixture.league_code.to_string(),
        format: fixture.format,
        phase: fixture.phase,
        status: fixture.status.clone(),
        day: fixture.day,
        home,
        away,
        toss: fixture.toss.clone(),
        innings: fixture.innings.clone(),
        target: fixture.target.clone(),
        result: fixture.result.clone(),
        deliveries,
        players,
        last_event: processing.and_then(|state| state.last_event.clone()),
        tables,
    }
}

/// What the feed said last of a match.
fn feed_fixture(cached: &CachedFixture) -> Option<FeedFixture> {
    FeedFixture::from_json(&serde_json::from_str(&cached.payload).ok()?)
}

/// The players of both line-ups, each with its team's id, for those who did not bat.
#[must_use]
pub fn sides(cached: Option<&CachedFixture>) -> Vec<(String, String)> {
    let feed = cached.and_then(feed_fixture);
    let players = feed.into_iter().flat_map(|feed| feed.lineup);
    players.filter_map(|player| Some((player.lineup.team_id?, player.id))).collect()
}

/// A league, as matches name it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LeagueLabel {
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
}

/// A team of a match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TeamScore {
    /// Its id.
    pub id: String,
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Its score; null before it has batted.
    pub score: Option<String>,
    /// Its place in the standings, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchSummary {
    /// Its id.
    pub match_id: String,
    /// Its league.
    pub league: LeagueLabel,
    /// How long it is.
    pub format: Format,
    /// What it is doing.
    pub phase: Phase,
    /// When it begins, or began.
    pub start_time: String,
    /// Its teams, the home team first.
    pub teams: Vec<TeamScore>,
    /// What there is to say in a line.
    pub headline: Option<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<MatchResult>,
    /// The team with which the caller follows it, or `neutral`; missing if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub following: Option<String>,
    /// Whether the match was made by the generator, and is replayed.
    pub generated: bool,
    /// Whether the score may be behind.
    pub stale: bool,
    /// Whether it was archived.
    pub archived: bool,
    /// One more with every change.
    pub sequence: u64,
}

impl MatchSummary {
    /// A match, as it is at this moment.
    #[must_use]
    pub fn new(fixture: &Fixture, names: &Names, follow: Option<&Follow>, now: Timestamp) -> Self {
        let team = |id| {
            let label = names.team(fixture, id);
            TeamScore {
                score: score_text(&fixture.innings, &label.id),
                id: label.id,
                code: label.code,
                name: label.name,
                position: names.position(fixture, id),
            }
        };
        Self {
            match_id: fixture.match_id.to_string(),
            league: LeagueLabel {
                code: fixture.league_code.to_string(),
                name: names.league(fixture).to_owned(),
            },
            format: fixture.format,
            phase: fixture.phase,
            start_time: fixture.start_time.to_string(),
            teams: fixture.teams().map(team).into(),
            headline: Some(headline(&match_view(fixture, None, None, names)))
                .filter(|it| !it.is_empty()),
            result: fixture.result.clone(),
            following: follow.map(|follow| follow.team_id.to_string()),
            generated: fixture.replay.is_some(),
            stale: is_stale(fixture, now),
            archived: fixture.archived_at.is_some(),
            sequence: fixture.sequence,
        }
    }
}

/// Matches: those in play first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct MatchList {
    /// In play, by start time.
    pub live: Vec<MatchSummary>,
    /// Others, by start time.
    pub items: Vec<MatchSummary>,
    /// Pass this as `cursor` to get the next part. It is missing when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A match with its innings.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchDetail {
    /// As in lists.
    #[serde(flatten)]
    pub summary: MatchSummary,
    /// Where it is played.
    pub venue: Option<String>,
    /// Who won the toss.
    pub toss: Option<Toss>,
    /// Such as "Final".
    pub round: Option<String>,
    /// The innings so far.
    pub innings: Vec<InningsScore>,
    /// What the side batting last needs.
    pub target: Option<Target>,
    /// The day, in formats of several days.
    pub day: Option<u32>,
    /// When the last tick was.
    pub updated_at: Option<String>,
}

impl MatchDetail {
    /// A match, as it is at this moment.
    #[must_use]
    pub fn new(fixture: &Fixture, summary: MatchSummary) -> Self {
        Self {
            summary,
            venue: fixture.venue.clone(),
            toss: fixture.toss.clone(),
            round: fixture.round.clone(),
            innings: fixture.innings.clone(),
            target: fixture.target.clone(),
            day: fixture.day,
            updated_at: fixture.live_updated_at.map(|at| at.to_string()),
        }
    }
}

/// A list that is not read in parts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Items<T> {
    /// The entries.
    pub items: Vec<T>,
}

/// A team.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamView {
    /// Its id.
    pub team_id: String,
    /// Its name.
    pub name: String,
    /// Its code.
    pub code: String,
    /// A name for small places.
    pub short_name: Option<String>,
    /// `#rrggbb`.
    pub colour: Option<String>,
    /// The address of its badge.
    pub image_path: Option<String>,
    /// Whether it is a national team.
    pub national: bool,
}

impl From<&Team> for TeamView {
    fn from(team: &Team) -> Self {
        let team = team.clone();
        Self {
            team_id: team.team_id.to_string(),
            name: team.name,
            code: team.code,
            short_name: team.short_name,
            colour: team.colour,
            image_path: team.image_path,
            national: team.national,
        }
    }
}

/// A league.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeagueView {
    /// Its id.
    pub league_id: String,
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Its current season.
    pub season_id: Option<String>,
    /// The address of its badge.
    pub image_path: Option<String>,
    /// What the feed calls its kind.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Whether its matches are fetched.
    pub active: bool,
}

impl From<&League> for LeagueView {
    fn from(league: &League) -> Self {
        let league = league.clone();
        Self {
            league_id: league.league_id.to_string(),
            code: league.code.to_string(),
            name: league.name,
            season_id: league.season_id.map(|id| id.to_string()),
            image_path: league.image_path,
            kind: league.kind,
            active: league.active,
        }
    }
}

/// A team's record in a season.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StandingView {
    /// The team.
    pub team_id: String,
    /// The place in the table, from 1.
    pub position: u32,
    /// Matches played.
    pub played: u32,
    /// Matches won.
    pub won: u32,
    /// Matches lost.
    pub lost: u32,
    /// Matches drawn.
    pub drawn: u32,
    /// Matches without a result.
    pub no_result: u32,
    /// Points.
    pub points: i32,
    /// Such as `+0.625`.
    pub net_run_rate: String,
    /// The last matches, the newest last.
    pub form: Vec<Form>,
}

impl From<TeamSeason> for StandingView {
    fn from(record: TeamSeason) -> Self {
        Self {
            team_id: record.team_id.to_string(),
            position: record.position,
            played: record.played,
            won: record.won,
            lost: record.lost,
            drawn: record.drawn,
            no_result: record.no_result,
            points: record.points,
            net_run_rate: record.net_run_rate,
            form: record.form,
        }
    }
}

/// The caller's device. Its tokens are shown to nobody.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceView {
    /// `…` and the last four characters of its token.
    pub token_end: String,
    /// What runs on it.
    pub platform: Platform,
    /// Which push service knows it.
    pub environment: Environment,
    /// When the app was last launched.
    pub last_seen_at: String,
    /// Whether activities can be started on it.
    pub can_start: bool,
}

impl From<Device> for DeviceView {
    fn from(device: Device) -> Self {
        Self {
            token_end: device.device_token.end(),
            platform: device.platform,
            environment: device.environment,
            last_seen_at: device.last_seen_at.to_string(),
            can_start: device.push_to_start_token.is_some(),
        }
    }
}

/// How the caller follows a match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FollowView {
    /// The match.
    pub match_id: String,
    /// One of its teams, or `neutral`.
    pub team_id: String,
    /// Since when.
    pub created_at: String,
}

impl From<Follow> for FollowView {
    fn from(follow: Follow) -> Self {
        Self {
            match_id: follow.match_id.to_string(),
            team_id: follow.team_id.to_string(),
            created_at: follow.created_at.to_string(),
        }
    }
}

/// A lock that somebody has.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LockView {
    /// What is locked.
    pub lock_key: String,
    /// By whom.
    pub owner: String,
    /// Until when, in epoch milliseconds.
    pub expires_at: i64,
}

impl From<Lock> for LockView {
    fn from(lock: Lock) -> Self {
        Self {
            lock_key: lock.lock_key.to_string(),
            owner: lock.owner.to_string(),
            expires_at: lock.expires_at,
        }
    }
}

/// A job, as this server knows it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobView {
    /// Its name.
    pub name: String,
    /// How long it waits between two runs, in milliseconds.
    pub interval: u64,
    /// When the last run began.
    pub last_start: Option<String>,
    /// How long it took.
    pub last_ms: Option<u64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// When the next one is due; null while one is running.
    pub next: Option<String>,
}

impl From<JobStatus> for JobView {
    fn from(status: JobStatus) -> Self {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            name: status.name.to_owned(),
            interval: millis(status.interval),
            last_start: status.last_start.map(|at| at.to_string()),
            last_ms: status.last_took.map(millis),
            last_error: status.last_error,
            next: status.next.map(|at| at.to_string()),
        }
    }
}

/// A match, as admins see it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminMatch {
    /// As in lists.
    #[serde(flatten)]
    pub summary: MatchSummary,
    /// The feed's own text.
    pub status: String,
    /// When the last tick was.
    pub live_updated_at: Option<String>,
    /// When the final tick was committed.
    pub ended_at: Option<String>,
    /// When it was archived.
    pub archived_at: Option<String>,
    /// How it is replayed.
    pub replay: Option<ReplayView>,
}

/// How a generated match is replayed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayView {
    /// What is stored of it.
    #[serde(flatten)]
    pub replay: Replay,
    /// Where it ends, in milliseconds from the scheduled start. It is missing once the match is over.
    pub duration_ms: Option<i64>,
}

impl AdminMatch {
    /// A match, as it is at this moment.
    #[must_use]
    pub fn new(fixture: &Fixture, summary: MatchSummary, replay: Option<ReplayView>) -> Self {
        let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
        Self {
            summary,
            status: fixture.status.clone(),
            live_updated_at: text(fixture.live_updated_at),
            ended_at: text(fixture.ended_at),
            archived_at: text(fixture.archived_at),
            replay,
        }
    }
}
