//! The caller's device, follows, activities and pushes.

use super::Shared;
use crate::design::{Follow, MatchId, PushToken, Subscription, TeamId};
use crate::error::Error;
use crate::push::{Message, pushes_topic};
use crate::service::NewDevice;
use crate::view::DeviceView;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use singlet_web::api::{Argument, Operation};
use singlet_web::prelude::*;
use singlet_web::problem::MALFORMED;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    api.route(
        Route::get("/user/device", get_device)
            .about("Shows the caller's device.")
            .problems([Error::DeviceNotFound]),
    )
    .route(
        Route::post("/user/device", register_device)
            .about("Registers the device that launched the app last."),
    )
    .route(
        Route::delete("/user/device", delete_device)
            .about("Deletes the caller's device.")
            .problems([Error::DeviceNotFound]),
    )
    .route(
        Route::put("/user/device/push-to-start", set_push_to_start)
            .about("Sets the token that starts activities.")
            .problems([Error::DeviceNotFound]),
    )
    .route(
        Route::get("/user/follow/{match}", get_follow)
            .about("Shows how the caller follows a match.")
            .problems([Error::NotFollowing]),
    )
    .route(
        Route::post("/user/follow/{match}", follow_match)
            .about("Follows a match that is not over.")
            .problems([Error::MatchOver, Error::TeamNotInMatch]),
    )
    .route(
        Route::patch("/user/follow/{match}", change_follow)
            .about("Changes the team with which the caller follows a match.")
            .problems([Error::NotFollowing, Error::TeamNotInMatch]),
    )
    .route(
        Route::delete("/user/follow/{match}", unfollow_match)
            .about("Stops following a match, and ends its activities.")
            .problems([Error::NotFollowing]),
    )
    .route(
        Route::post("/user/activity/{match}", register_activity)
            .about("Registers an activity of a match on a lock screen.")
            .problems([
                Error::MatchOver,
                Error::TeamNotInMatch,
                Error::NotFollowing,
                Error::ActivityTaken,
                Error::TooManyActivities,
            ]),
    )
    .route(
        Route::delete("/user/activity/{match}", remove_activity)
            .about("Removes one activity of the caller, or all of a match."),
    )
    .route(
        Route::get("/user/pushes", list_pushes)
            .about("Lists messages that were pushed to the caller, the newest first."),
    )
    .route(
        Route::get("/user/pushes/live", watch_pushes)
            .about("Messages to the caller, as they are pushed."),
    )
}

async fn get_device(
    State(shared): State<Shared>,
    caller: Caller,
) -> Result<Json<DeviceView>, Error> {
    Ok(Json(shared.service.own_device(&caller.id()?).await?.into()))
}

async fn register_device(
    State(shared): State<Shared>,
    caller: Caller,
    Body(new): Body<NewDevice>,
) -> Result<Json<DeviceView>, Error> {
    Ok(Json(shared.service.register_device(&caller.id()?, &new).await?.into()))
}

async fn delete_device(State(shared): State<Shared>, caller: Caller) -> Result<NoContent, Error> {
    let user = caller.id()?;
    let device = shared.service.own_device(&user).await?;
    let old = shared.service.devices.delete(&user, &device.device_token).await?;
    old.map(|_| NoContent).ok_or(Error::DeviceNotFound)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetPushToStart {
    #[serde(deserialize_with = "PushToken::from_client")]
    #[schemars(with = "String", length(min = 8, max = PushToken::CHARS_MAX))]
    device_token: PushToken,
    /// Where a message is sent that starts an activity.
    #[serde(deserialize_with = "PushToken::from_client")]
    #[schemars(with = "String", length(min = 8, max = PushToken::CHARS_MAX))]
    push_to_start_token: PushToken,
}

async fn set_push_to_start(
    State(shared): State<Shared>,
    caller: Caller,
    Body(body): Body<SetPushToStart>,
) -> Result<Json<DeviceView>, Error> {
    let (user, devices) = (caller.id()?, &shared.service.devices);
    if !devices.set_push_to_start(&user, &body.device_token, &body.push_to_start_token).await? {
        return Err(Error::DeviceNotFound);
    }
    Ok(Json(shared.service.own_device(&user).await?.into()))
}

async fn get_follow(
    State(shared): State<Shared>,
    caller: Caller,
    Path(id): Path<MatchId>,
) -> Result<Json<Follow>, Error> {
    shared.service.find_match(&id).await?;
    let follow = shared.service.follows.get(&id, &caller.id()?).await?;
    follow.map(Json).ok_or(Error::NotFollowing)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChooseTeam {
    /// One of the two teams, or `neutral`.
    team_id: TeamId,
}

async fn follow_match(
    State(shared): State<Shared>,
    caller: Caller,
    Path(id): Path<MatchId>,
    Body(body): Body<ChooseTeam>,
) -> Result<Json<Follow>, Error> {
    let followed = shared.service.follow_match(&id, &caller.id()?, &body.team_id).await?;
    shared.jobs.start_activity_in_background(&followed.fixture, &followed.follow);
    shared.jobs.update_activities(&followed);
    Ok(Json(followed.follow))
}

async fn change_follow(
    State(shared): State<Shared>,
    caller: Caller,
    Path(id): Path<MatchId>,
    Body(body): Body<ChooseTeam>,
) -> Result<Json<Follow>, Error> {
    let followed = shared.service.change_follow(&id, &caller.id()?, &body.team_id).await?;
    shared.jobs.update_activities(&followed);
    Ok(Json(followed.follow))
}

async fn unfollow_match(
    State(shared): State<Shared>,
    caller: Caller,
    Path(id): Path<MatchId>,
) -> Result<NoContent, Error> {
    let user = caller.id()?;
    let (fixture, tokens) = shared.service.unfollow_match(&id, &user).await?;
    shared.jobs.end_activities(&fixture, &user, tokens);
    Ok(NoContent)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RegisterActivity {
    /// Where updates of the activity are sent.
    #[serde(deserialize_with = "PushToken::from_client")]
    #[schemars(with = "String", length(min = 8, max = PushToken::CHARS_MAX))]
    push_token: PushToken,
    /// One of the two teams, or `neutral`.
    team_id: TeamId,
}

async fn register_activity(
    State(shared): State<Shared>,
    caller: Caller,
    Path(id): Path<MatchId>,
    Body(body): Body<RegisterActivity>,
) -> Result<Json<Subscription>, Error> {
    let RegisterActivity { push_token, team_id } = body;
    let user = caller.id()?;
    Ok(Json(shared.service.register_activity(&id, &user, &push_token, &team_id).await?))
}

/// The token of one activity, in a header: tokens never travel in an address.
struct ActivityToken(Option<PushToken>);

impl Argument for ActivityToken {
    fn describe(operation: &mut Operation<'_>) {
        let about = "The token of one activity. Without it, all of the match are meant.";
        operation.header("Activity-Token", false, about);
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ActivityToken {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(header) = parts.headers.get("activity-token") else { return Ok(Self(None)) };
        let token = header.to_str().ok().filter(|text| text.len() <= PushToken::CHARS_MAX);
        let token = token.and_then(|text| PushToken::new(text).ok());
        let detail = "the header Activity-Token is not a token";
        token.map(|one| Self(Some(one))).ok_or_else(|| Problem::new(&MALFORMED).detail(detail))
    }
}

async fn remove_activity(
    State(shared): State<Shared>,
    caller: Caller,
    Path(id): Path<MatchId>,
    ActivityToken(token): ActivityToken,
) -> Result<NoContent, Error> {
    let user = caller.id()?;
    let (fixture, tokens) = shared.service.remove_activities(&id, &user, token.as_ref()).await?;
    shared.jobs.end_activities(&fixture, &user, tokens);
    Ok(NoContent)
}

#[derive(Serialize, JsonSchema)]
struct Pushes {
    /// Since when this server keeps messages: they are lost when it stops.
    since: singlet::Timestamp,
    /// Null if the caller has none.
    device: Option<DeviceView>,
    /// The newest first.
    items: Vec<Message>,
}

async fn list_pushes(State(shared): State<Shared>, caller: Caller) -> Result<Json<Pushes>, Error> {
    let (outbox, user) = (shared.jobs.outbox(), caller.id()?);
    let device = shared.service.devices.of_user(&user).await?.map(DeviceView::from);
    Ok(Json(Pushes { since: outbox.since(), device, items: outbox.messages(&user) }))
}

async fn watch_pushes(
    State(shared): State<Shared>,
    caller: Caller,
    last: LastEventId,
) -> Result<EventStream, Error> {
    let topic = pushes_topic(&caller.id()?);
    Ok(shared.streams.pushes.subscribe(topic, last).await?.into())
}
