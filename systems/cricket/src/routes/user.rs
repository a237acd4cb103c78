//! The caller's device, follows, activities and pushes.

use super::{Answer, App, Done, OfMatch, Shared};
use crate::design::{Follow, PushToken, Subscription, TeamId};
use crate::error::Error;
use crate::push::{Message, pushes_topic};
use crate::service::NewDevice;
use crate::view::DeviceView;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use singlet_web::api::{Argument, Operation, delete, get, patch, post, put};
use singlet_web::prelude::*;
use singlet_web::problem::MALFORMED;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        ActivityTaken, DeviceNotFound, MatchOver, NotFollowing, TeamNotInMatch, TooManyActivities,
    };
    api.route(
        get("/user/device", get_device)
            .about("Shows the caller's device.")
            .problems([DeviceNotFound]),
    )
    .route(
        post("/user/device", register_device)
            .about("Registers the device that launched the app last."),
    )
    .route(
        delete("/user/device", delete_device)
            .about("Deletes the caller's device.")
            .problems([DeviceNotFound]),
    )
    .route(
        put("/user/device/push-to-start", set_push_to_start)
            .about("Sets the token that starts activities.")
            .problems([DeviceNotFound]),
    )
    .route(
        get("/user/follow/{match}", get_follow)
            .about("Shows how the caller follows a match.")
            .problems([NotFollowing]),
    )
    .route(
        post("/user/follow/{match}", follow_match)
            .about("Follows a match that is not over.")
            .problems([MatchOver, TeamNotInMatch]),
    )
    .route(
        patch("/user/follow/{match}", change_follow)
            .about("Changes the team with which the caller follows a match.")
            .problems([NotFollowing, TeamNotInMatch]),
    )
    .route(
        delete("/user/follow/{match}", unfollow_match)
            .about("Stops following a match, and ends its activities.")
            .problems([NotFollowing]),
    )
    .route(
        post("/user/activity/{match}", register_activity)
            .about("Registers an activity of a match on a lock screen.")
            .problems([MatchOver, TeamNotInMatch, NotFollowing, ActivityTaken, TooManyActivities]),
    )
    .route(
        delete("/user/activity/{match}", remove_activity)
            .about("Removes one activity of the caller, or all of a match."),
    )
    .route(
        get("/user/pushes", list_pushes)
            .about("Lists messages that were pushed to the caller, the newest first."),
    )
    .route(
        get("/user/pushes/live", watch_pushes).about("Messages to the caller, as they are pushed."),
    )
}

async fn get_device(app: App, by: Caller) -> Answer<DeviceView> {
    Ok(Json(app.service.own_device(&by.id()?).await?.into()))
}

async fn register_device(app: App, by: Caller, new: Body<NewDevice>) -> Answer<DeviceView> {
    Ok(Json(app.service.register_device(&by.id()?, &new).await?.into()))
}

async fn delete_device(app: App, by: Caller) -> Done {
    let user = by.id()?;
    let device = app.service.own_device(&user).await?;
    let old = app.service.devices.delete(&user, &device.device_token).await?;
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

async fn set_push_to_start(app: App, by: Caller, body: Body<SetPushToStart>) -> Answer<DeviceView> {
    let (user, devices) = (by.id()?, &app.service.devices);
    if !devices.set_push_to_start(&user, &body.device_token, &body.push_to_start_token).await? {
        return Err(Error::DeviceNotFound);
    }
    Ok(Json(app.service.own_device(&user).await?.into()))
}

async fn get_follow(app: App, by: Caller, Path(id): OfMatch) -> Answer<Follow> {
    app.service.find_match(&id).await?;
    let follow = app.service.follows.get(&id, &by.id()?).await?;
    follow.map(Json).ok_or(Error::NotFollowing)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChooseTeam {
    /// One of the two teams, or `neutral`.
    team_id: TeamId,
}

async fn follow_match(
    app: App,
    by: Caller,
    Path(id): OfMatch,
    body: Body<ChooseTeam>,
) -> Answer<Follow> {
    let followed = app.service.follow_match(&id, &by.id()?, &body.team_id).await?;
    app.jobs.start_activity_in_background(&followed.fixture, &followed.follow);
    app.jobs.update_activities(&followed);
    Ok(Json(followed.follow))
}

async fn change_follow(
    app: App,
    by: Caller,
    Path(id): OfMatch,
    body: Body<ChooseTeam>,
) -> Answer<Follow> {
    let followed = app.service.change_follow(&id, &by.id()?, &body.team_id).await?;
    app.jobs.update_activities(&followed);
    Ok(Json(followed.follow))
}

async fn unfollow_match(app: App, by: Caller, Path(id): OfMatch) -> Done {
    let user = by.id()?;
    let (fixture, tokens) = app.service.unfollow_match(&id, &user).await?;
    app.jobs.end_activities(&fixture, &user, tokens);
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
    app: App,
    by: Caller,
    Path(id): OfMatch,
    Body(body): Body<RegisterActivity>,
) -> Answer<Subscription> {
    let RegisterActivity { push_token, team_id } = body;
    let user = by.id()?;
    Ok(Json(app.service.register_activity(&id, &user, &push_token, &team_id).await?))
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
    app: App,
    by: Caller,
    Path(id): OfMatch,
    ActivityToken(token): ActivityToken,
) -> Done {
    let user = by.id()?;
    let (fixture, tokens) = app.service.remove_activities(&id, &user, token.as_ref()).await?;
    app.jobs.end_activities(&fixture, &user, tokens);
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

async fn list_pushes(app: App, by: Caller) -> Answer<Pushes> {
    let (outbox, user) = (app.jobs.outbox(), by.id()?);
    let device = app.service.devices.of_user(&user).await?.map(DeviceView::from);
    Ok(Json(Pushes { since: outbox.since(), device, items: outbox.messages(&user) }))
}

async fn watch_pushes(app: App, by: Caller, last: LastEventId) -> Result<EventStream, Error> {
    let topic = pushes_topic(&by.id()?);
    Ok(app.streams.pushes.subscribe(topic, last).await?.into())
}
