//! What operators see and do. All of it needs the group `cricket-admin`.

use super::{Answer, App, Done, OfMatch, Shared};
use crate::design::{Fixture, LeagueId, Lock};
use crate::error::Error;
use crate::generate::TapeName;
use crate::jobs::{FeedStatus, ReplayChange};
use crate::live::ADMIN_TOPIC;
use crate::view::{AdminMatch, Items};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};
use singlet_web::api::{Argument, Operation, delete, get, patch, post};
use singlet_web::job::JobStatus;
use singlet_web::prelude::*;

pub(crate) const ADMIN_GROUP: &str = "cricket-admin";

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{LeagueNotFound, MatchOver, NotAReplay};
    api.route(
        get("/admin/fixtures", list_league_matches)
            .about("Lists all matches of a league.")
            .problems([LeagueNotFound]),
    )
    .route(
        get("/admin/jobs", list_jobs).about("Lists the jobs of this server with their last runs."),
    )
    .route(get("/admin/locks", list_locks).about("Lists locks and their holders."))
    .route(get("/admin/feed", get_feed).about("Shows the feed and its circuit breaker."))
    .route(
        get("/admin/live", watch_operations)
            .about("Jobs, locks, the feed and replays, as they change."),
    )
    .route(
        post("/admin/replays", load_replay)
            .about("Plays a generated match.")
            .replay_if(check_admin)
            .problems([NotAReplay]),
    )
    .route(
        patch("/admin/replays/{match}", change_replay)
            .about("Plays, pauses, seeks, or changes the speed of a replay.")
            .problems([NotAReplay, MatchOver]),
    )
    .route(
        delete("/admin/replays/{match}", delete_replay)
            .about("Ends a replay, and deletes it.")
            .problems([NotAReplay]),
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
    app: App,
    _: Admin,
    Query(LeagueQuery { league_id }): Query<LeagueQuery>,
    paging: Paging<50, 50>,
) -> Answer<Page<AdminMatch>> {
    let matches = app.service.fixtures.of_league_id(&league_id, paging.limit(), paging.cursor()?);
    let page = matches.await?;
    // The matches of a deleted league stay.
    if page.items.is_empty() && app.service.leagues.get(&league_id).await?.is_none() {
        return Err(Error::LeagueNotFound);
    }
    let views = app.admin_matches(&page.items).await?;
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
    /// The jobs of this system, as `/jobs` shows them.
    #[schemars(with = "Vec<Map<String, Value>>")]
    items: Vec<JobStatus>,
}

async fn list_jobs(app: App, _: Admin) -> Json<JobList> {
    Json(JobList { items: app.streams.own_jobs() })
}

async fn list_locks(app: App, _: Admin) -> Answer<Items<Lock>> {
    Ok(Json(Items { items: app.service.locks.all().await? }))
}

async fn get_feed(app: App, _: Admin) -> Json<FeedStatus> {
    Json(app.jobs.feed_status())
}

async fn watch_operations(app: App, _: Admin, last: LastEventId) -> Result<EventStream, Error> {
    Ok(app.streams.admin.subscribe(Topic::from(ADMIN_TOPIC), last).await?.into())
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
    app: App,
    _: Admin,
    body: Body<LoadReplay>,
) -> Result<Created<AdminMatch>, Error> {
    let fixture = app.jobs.load_replay(&body.tape, body.speed).await?;
    let view = app.admin_match(&fixture).await?;
    Ok(Created::at(format!("/matches/{}", fixture.match_id), view))
}

async fn change_replay(
    app: App,
    _: Admin,
    Path(id): OfMatch,
    change: Body<ReplayChange>,
) -> Answer<AdminMatch> {
    let fixture = app.jobs.change_replay(&id, &change).await?;
    Ok(Json(app.admin_match(&fixture).await?))
}

async fn delete_replay(app: App, _: Admin, Path(id): OfMatch) -> Done {
    app.jobs.remove_replay(&id).await.map(|()| NoContent)
}
