//! What operators see and do. All of it needs the group `cricket-admin`.

use super::Shared;
use crate::design::{Fixture, LeagueId, Lock, MatchId};
use crate::error::Error;
use crate::generate::TapeName;
use crate::jobs::{FeedStatus, ReplayChange};
use crate::live::ADMIN_TOPIC;
use crate::view::{AdminMatch, Items};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};
use singlet_web::api::{Argument, Operation};
use singlet_web::job::JobStatus;
use singlet_web::prelude::*;

pub(crate) const ADMIN_GROUP: &str = "cricket-admin";

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    api.route(
        Route::get("/admin/fixtures", list_league_matches)
            .about("Lists all matches of a league.")
            .problems([Error::LeagueNotFound]),
    )
    .route(
        Route::get("/admin/jobs", list_jobs)
            .about("Lists the jobs of this server with their last runs."),
    )
    .route(Route::get("/admin/locks", list_locks).about("Lists locks and their holders."))
    .route(Route::get("/admin/feed", get_feed).about("Shows the feed and its circuit breaker."))
    .route(
        Route::get("/admin/live", watch_operations)
            .about("Jobs, locks, the feed and replays, as they change."),
    )
    .route(
        Route::post("/admin/replays", load_replay)
            .about("Plays a generated match.")
            .replay_if(check_admin)
            .problems([Error::NotAReplay]),
    )
    .route(
        Route::patch("/admin/replays/{match}", change_replay)
            .about("Plays, pauses, seeks, or changes the speed of a replay.")
            .problems([Error::NotAReplay, Error::MatchOver]),
    )
    .route(
        Route::delete("/admin/replays/{match}", delete_replay)
            .about("Ends a replay, and deletes it.")
            .problems([Error::NotAReplay]),
    )
}

/// Replays a stored response only while the caller is still an admin.
async fn check_admin(_: Admin) -> NoContent {
    NoContent
}

/// The caller is in the group `cricket-admin`.
pub(super) struct Admin;

impl Argument for Admin {
    fn describe(operation: &mut Operation<'_>) {
        Caller::describe(operation);
        operation.add_problem(Error::NotAnAdmin.into());
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let caller = <Caller as FromRequestParts<S>>::from_request_parts(parts, state).await?;
        let is_admin = caller.groups.contains(ADMIN_GROUP);
        is_admin.then_some(Self).ok_or_else(|| Error::NotAnAdmin.into())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LeagueQuery {
    league_id: LeagueId,
}

async fn list_league_matches(
    State(shared): State<Shared>,
    _: Admin,
    Query(LeagueQuery { league_id }): Query<LeagueQuery>,
    paging: Paging<50, 50>,
) -> Result<Json<Page<AdminMatch>>, Error> {
    shared.service.leagues.get(&league_id).await?.ok_or(Error::LeagueNotFound)?;
    let matches =
        shared.service.fixtures.of_league_id(&league_id, paging.limit(), paging.cursor()?);
    let page = matches.await?;
    let views = shared.admin_matches(&page.items).await?;
    Ok(Json(Page { items: views, next: page.next.map(|next| next.to_string()) }))
}

impl Shared {
    async fn admin_matches(&self, fixtures: &[Fixture]) -> Result<Vec<AdminMatch>, Error> {
        let (names, now) = (self.service.names(fixtures).await?, self.service.db.now());
        let view = |one| AdminMatch::new(one, &names, now, self.jobs.replay_view(one));
        Ok(fixtures.iter().map(view).collect())
    }

    async fn admin_match(&self, fixture: &Fixture) -> Result<AdminMatch, Error> {
        let mut views = self.admin_matches(std::slice::from_ref(fixture)).await?;
        views.pop().ok_or(Error::MatchNotFound)
    }
}

#[derive(Serialize, JsonSchema)]
struct JobList {
    /// As on `/jobs`, those of this system.
    #[schemars(with = "Vec<Map<String, Value>>")]
    items: Vec<JobStatus>,
}

async fn list_jobs(State(shared): State<Shared>, _: Admin) -> Json<JobList> {
    Json(JobList { items: shared.streams.own_jobs() })
}

async fn list_locks(State(shared): State<Shared>, _: Admin) -> Result<Json<Items<Lock>>, Error> {
    Ok(Json(Items { items: shared.service.locks.all().await? }))
}

async fn get_feed(State(shared): State<Shared>, _: Admin) -> Json<FeedStatus> {
    Json(shared.jobs.feed_status())
}

async fn watch_operations(
    State(shared): State<Shared>,
    _: Admin,
    last: LastEventId,
) -> Result<EventStream, Error> {
    Ok(shared.streams.admin.subscribe(Topic::from(ADMIN_TOPIC), last).await?.into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LoadReplay {
    /// The tape: the format and a number, such as `t20-20`, `odi-50` or `test-5`.
    #[schemars(with = "String", length(min = 1, max = 20))]
    tape: TapeName,
    /// How many times faster than the match.
    #[schemars(schema_with = "speed")]
    speed: u32,
}

fn speed(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer", "enum": [1, 4, 12, 30, 60, 240]})
}

async fn load_replay(
    State(shared): State<Shared>,
    _: Admin,
    Body(body): Body<LoadReplay>,
) -> Result<Created<AdminMatch>, Error> {
    let fixture = shared.jobs.load_replay(&body.tape, body.speed).await?;
    let view = shared.admin_match(&fixture).await?;
    Ok(Created::at(format!("/matches/{}", fixture.match_id), view))
}

async fn change_replay(
    State(shared): State<Shared>,
    _: Admin,
    Path(id): Path<MatchId>,
    Body(change): Body<ReplayChange>,
) -> Result<Json<AdminMatch>, Error> {
    let fixture = shared.jobs.change_replay(&id, &change).await?;
    Ok(Json(shared.admin_match(&fixture).await?))
}

async fn delete_replay(
    State(shared): State<Shared>,
    _: Admin,
    Path(id): Path<MatchId>,
) -> Result<NoContent, Error> {
    shared.jobs.remove_replay(&id).await.map(|()| NoContent)
}
