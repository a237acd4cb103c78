//! What operators see and do. All of it needs the group `cricket-admin`.

use super::Shared;
use super::parameters::OfMatch;
use crate::design::{Fixture, LeagueId, MatchId};
use crate::error::Error;
use crate::jobs::{FeedStatus, ReplayChange};
use crate::view::{AdminMatch, Items, JobView, LockView, MatchSummary};
use schemars::{Schema, SchemaGenerator, json_schema};
use singlet_web::prelude::*;
use singlet_web::problem::Problem;
use std::borrow::Cow;

pub(super) fn add_to(api: Api<Shared>) -> Api<Shared> {
    let api = api
        .route(
            Route::get("/admin/fixtures", list_fixtures)
                .describe("listLeagueMatches", "Lists all matches of a league.")
                .problems([Error::NotAnAdmin]),
        )
        .route(
            Route::get("/admin/jobs", list_jobs)
                .describe("listJobs", "Lists the jobs of this server with their last runs.")
                .problems([Error::NotAnAdmin]),
        )
        .route(
            Route::get("/admin/locks", list_locks)
                .describe("listLocks", "Lists who has which lock.")
                .problems([Error::NotAnAdmin]),
        )
        .route(
            Route::get("/admin/feed", show_feed)
                .describe("getFeed", "Shows the feed and its circuit breaker.")
                .problems([Error::NotAnAdmin]),
        );
    api.route(
        Route::get("/admin/live", watch)
            .describe("watchOperations", "Jobs, locks, the feed and replays, as they change.")
            .problems([Error::NotAnAdmin]),
    )
    .route(
        Route::post("/admin/replays", load_replay)
            .describe("loadReplay", "Plays a generated match.")
            .problems([Error::NotAnAdmin]),
    )
    .route(
        Route::patch("/admin/replays/{id}", change_replay)
            .describe("changeReplay", "Plays, pauses, seeks, or changes the speed of a replay.")
            .problems([
                Error::NotAnAdmin,
                Error::MatchNotFound,
                Error::NotAReplay,
                Error::MatchOver,
            ]),
    )
    .route(
        Route::delete("/admin/replays/{id}", delete_replay)
            .describe("deleteReplay", "Ends a replay, and deletes it.")
            .problems([Error::NotAnAdmin, Error::MatchNotFound, Error::NotAReplay]),
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FixturesQuery {
    /// The id of the league.
    #[schemars(length(min = 1, max = 40))]
    league_id: String,
    /// What the answer before gave as `next`.
    #[schemars(length(min = 1, max = 40))]
    cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LoadReplay {
    /// The tape: the format and a number, such as `t20-20`, `odi-50` or `test-5`.
    #[schemars(length(min = 1, max = 20))]
    tape: String,
    /// How many times faster than the match.
    speed: Speed,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChangeReplay {
    /// Whether time goes on.
    playing: Option<bool>,
    /// How many times faster than the match.
    speed: Option<Speed>,
    /// Seeks to this position, in milliseconds from the scheduled start.
    #[schemars(range(min = -86_400_000, max = 864_000_000))]
    position_ms: Option<i64>,
    /// Seeks to this ball, as `innings:over.ball`.
    #[schemars(length(min = 5, max = 12))]
    ball: Option<String>,
}

/// A speed: 1, 4, 12, 30, 60 or 240.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
struct Speed(u32);

impl JsonSchema for Speed {
    fn schema_name() -> Cow<'static, str> {
        "Speed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "enum": [1, 4, 12, 30, 60, 240]})
    }
}

impl TryFrom<u32> for Speed {
    type Error = &'static str;

    fn try_from(speed: u32) -> Result<Self, Self::Error> {
        match speed {
            1 | 4 | 12 | 30 | 60 | 240 => Ok(Self(speed)),
            _ => Err("must be 1, 4, 12, 30, 60 or 240"),
        }
    }
}

async fn list_fixtures(
    State(shared): State<Shared>,
    caller: Caller,
    query: Query<FixturesQuery>,
) -> Result<Json<Page<AdminMatch>>, Error> {
    let service = &shared.service;
    let no_id =
        |field: &'static str| Problem::invalid_field(FieldLocation::Query, field, "must be an id");
    let league = LeagueId::new(query.league_id.as_str()).map_err(|_| no_id("leagueId"))?;
    let after = query.cursor.as_deref().map(MatchId::new).transpose();
    let after = after.map_err(|_| no_id("cursor"))?;
    let page = service.admin_matches(&caller, &league, after.as_ref()).await?;
    let names = service.names(&page.items).await?;
    let now = service.db.now();
    let view = |one: &Fixture| {
        let replay = shared.jobs.replay_view(one);
        AdminMatch::new(one, MatchSummary::new(one, &names, None, now), replay)
    };
    let items = page.items.iter().map(view).collect();
    Ok(Json(Page { items, next: page.next.map(|id| id.to_string()) }))
}

async fn list_jobs(
    State(shared): State<Shared>,
    caller: Caller,
) -> Result<Json<Items<JobView>>, Error> {
    Ok(Json(Items { items: shared.streams.jobs_for(&caller)? }))
}

async fn list_locks(
    State(shared): State<Shared>,
    caller: Caller,
) -> Result<Json<Items<LockView>>, Error> {
    let locks = shared.service.admin_locks(&caller).await?;
    Ok(Json(Items { items: locks.into_iter().map(LockView::from).collect() }))
}

async fn show_feed(
    State(shared): State<Shared>,
    caller: Caller,
) -> Result<Json<FeedStatus>, Error> {
    Ok(Json(shared.jobs.feed_status_for(&caller)?))
}

async fn watch(
    State(shared): State<Shared>,
    caller: Caller,
    last: LastEventId,
) -> Result<EventStream, Error> {
    Ok(shared.streams.watch_operations(&caller, last).await?.into())
}

async fn load_replay(
    State(shared): State<Shared>,
    caller: Caller,
    body: Body<LoadReplay>,
) -> Result<Created<AdminMatch>, Error> {
    let fixture = shared.jobs.load_replay(&caller, &body.tape, body.speed.0).await?;
    let view = admin_match(&shared, &fixture).await?;
    Ok(Created::at(format!("/matches/{}", fixture.match_id), view))
}

async fn change_replay(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
    body: Body<ChangeReplay>,
) -> Result<Json<AdminMatch>, Error> {
    let change = ReplayChange {
        playing: body.playing,
        speed: body.speed.map(|speed| speed.0),
        position_ms: body.position_ms,
        ball: body.ball.clone(),
    };
    let fixture = shared.jobs.change_replay(&caller, &of.id()?, &change).await?;
    Ok(Json(admin_match(&shared, &fixture).await?))
}

async fn delete_replay(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
) -> Result<NoContent, Error> {
    shared.jobs.remove_replay(&caller, &of.id()?).await?;
    Ok(NoContent)
}

async fn admin_match(shared: &Shared, fixture: &Fixture) -> Result<AdminMatch, Error> {
    let names = shared.service.names(std::slice::from_ref(fixture)).await?;
    let summary = MatchSummary::new(fixture, &names, None, shared.service.db.now());
    Ok(AdminMatch::new(fixture, summary, shared.jobs.replay_view(fixture)))
}
