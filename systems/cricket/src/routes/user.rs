//! What is the caller's own: a device, the matches they follow, activities, pushes.

use super::Shared;
use super::parameters::{ActivityToken, OfMatch, TOKEN_CHARS_MAX, team_of, user_of};
use crate::design::{Environment, Platform, PushToken};
use crate::error::Error;
use crate::live::pushes_topic;
use crate::push::Message;
use crate::service::NewDevice;
use crate::view::{DeviceView, FollowView};
use singlet_web::prelude::*;
use singlet_web::problem::Problem;

pub(super) fn add_to(api: Api<Shared>) -> Api<Shared> {
    let api = api
        .route(
            Route::get("/user/device", show_device)
                .describe("getDevice", "Shows the caller's device.")
                .problems([Error::DeviceNotFound]),
        )
        .route(
            Route::post("/user/device", register_device)
                .describe("registerDevice", "Registers the device that launched the app last."),
        )
        .route(
            Route::delete("/user/device", delete_device)
                .describe("deleteDevice", "Deletes the caller's device.")
                .problems([Error::DeviceNotFound]),
        )
        .route(
            Route::put("/user/device/push-to-start", set_push_to_start)
                .describe("setPushToStart", "Sets the token that starts activities.")
                .problems([Error::DeviceNotFound]),
        );
    let api = api
        .route(
            Route::get("/user/follow/{id}", show_follow)
                .describe("getFollow", "Shows how the caller follows a match.")
                .problems([Error::MatchNotFound, Error::NotFollowing]),
        )
        .route(
            Route::post("/user/follow/{id}", follow)
                .describe("followMatch", "Follows a match that is not over.")
                .problems([Error::MatchNotFound, Error::MatchOver, Error::TeamNotInMatch]),
        )
        .route(
            Route::patch("/user/follow/{id}", change_follow)
                .describe("changeFollow", "Changes the team with which the caller follows a match.")
                .problems([Error::MatchNotFound, Error::NotFollowing, Error::TeamNotInMatch]),
        )
        .route(
            Route::delete("/user/follow/{id}", unfollow)
                .describe("unfollowMatch", "Stops following a match, and ends its activities.")
                .problems([Error::MatchNotFound, Error::NotFollowing]),
        );
    api.route(
        Route::post("/user/activity/{id}", register_activity)
            .describe("registerActivity", "Registers an activity of a match on a lock screen.")
            .problems([
                Error::MatchNotFound,
                Error::MatchOver,
                Error::TeamNotInMatch,
                Error::NotFollowing,
                Error::ActivityTaken,
                Error::TooManyActivities,
            ]),
    )
    .route(
        Route::delete("/user/activity/{id}", remove_activity)
            .describe("removeActivity", "Removes one activity of the caller, or all of a match.")
            .problems([Error::MatchNotFound]),
    )
    .route(
        Route::get("/user/pushes", list_pushes)
            .describe("listPushes", "Lists what was pushed to the caller, the newest first."),
    )
    .route(
        Route::get("/user/pushes/live", watch_pushes)
            .describe("watchPushes", "What is pushed to the caller, as it comes."),
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RegisterDevice {
    /// Where alerts are sent.
    #[schemars(length(min = 8, max = TOKEN_CHARS_MAX))]
    device_token: String,
    /// What runs on it.
    platform: Platform,
    /// Which push service knows the token.
    environment: Environment,
    /// The version of the app.
    #[schemars(length(min = 1, max = 40))]
    app_version: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetPushToStart {
    /// The device.
    #[schemars(length(min = 8, max = TOKEN_CHARS_MAX))]
    device_token: String,
    /// Where a message is sent that starts an activity.
    #[schemars(length(min = 8, max = TOKEN_CHARS_MAX))]
    push_to_start_token: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChooseTeam {
    /// One of the two teams, or `neutral`.
    #[schemars(length(min = 1, max = 40))]
    team_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RegisterActivity {
    /// Where updates of the activity are sent.
    #[schemars(length(min = 8, max = TOKEN_CHARS_MAX))]
    push_token: String,
    /// One of the two teams, or `neutral`.
    #[schemars(length(min = 1, max = 40))]
    team_id: String,
}

/// An activity that was registered. Its token is shown to nobody.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ActivityView {
    /// The match.
    match_id: String,
    /// From whose side it shows the match.
    team_id: String,
    /// When it was first registered.
    created_at: String,
}

/// What was pushed to the caller.
#[derive(Serialize, JsonSchema)]
struct Pushes {
    /// Since when this server keeps messages: they are lost when it stops.
    since: String,
    /// The newest first.
    items: Vec<Message>,
}

/// A token in a body. Those of Apple are hexadecimal, ours have a word before a UUID.
fn token_of(field: &'static str, text: &str) -> Result<PushToken, Problem> {
    let is_allowed = |one: char| one.is_ascii_alphanumeric() || "-_.:=".contains(one);
    let token = PushToken::new(text).ok().filter(|_| text.chars().all(is_allowed));
    token.ok_or_else(|| {
        let detail = "must consist of letters, digits, and the characters -_.:=";
        Problem::invalid_field(FieldLocation::Body, field, detail)
    })
}

async fn show_device(
    State(shared): State<Shared>,
    caller: Caller,
) -> Result<Json<DeviceView>, Error> {
    Ok(Json(shared.service.own_device(&user_of(&caller)?).await?.into()))
}

async fn register_device(
    State(shared): State<Shared>,
    caller: Caller,
    Body(body): Body<RegisterDevice>,
) -> Result<Json<DeviceView>, Error> {
    let new = NewDevice {
        device_token: token_of("/deviceToken", &body.device_token)?,
        platform: body.platform,
        environment: body.environment,
        app_version: body.app_version,
    };
    Ok(Json(shared.service.register_device(&user_of(&caller)?, &new).await?.into()))
}

async fn delete_device(State(shared): State<Shared>, caller: Caller) -> Result<NoContent, Error> {
    shared.service.delete_own_device(&user_of(&caller)?).await?;
    Ok(NoContent)
}

async fn set_push_to_start(
    State(shared): State<Shared>,
    caller: Caller,
    body: Body<SetPushToStart>,
) -> Result<Json<DeviceView>, Error> {
    let device = token_of("/deviceToken", &body.device_token)?;
    let start = token_of("/pushToStartToken", &body.push_to_start_token)?;
    let user = user_of(&caller)?;
    Ok(Json(shared.service.set_push_to_start(&user, &device, &start).await?.into()))
}

async fn show_follow(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
) -> Result<Json<FollowView>, Error> {
    Ok(Json(shared.service.own_follow(&of.id()?, &user_of(&caller)?).await?.into()))
}

async fn follow(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
    body: Body<ChooseTeam>,
) -> Result<Json<FollowView>, Error> {
    let (user, team) = (user_of(&caller)?, team_of(&body.team_id)?);
    let followed = shared.service.follow_match(&of.id()?, &user, &team).await?;
    shared.jobs.start_activity_in_background(&followed.fixture, &followed.follow);
    shared.jobs.update_activities(&followed);
    Ok(Json(followed.follow.into()))
}

async fn change_follow(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
    body: Body<ChooseTeam>,
) -> Result<Json<FollowView>, Error> {
    let (user, team) = (user_of(&caller)?, team_of(&body.team_id)?);
    let followed = shared.service.change_follow(&of.id()?, &user, &team).await?;
    shared.jobs.update_activities(&followed);
    Ok(Json(followed.follow.into()))
}

async fn unfollow(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
) -> Result<NoContent, Error> {
    let user = user_of(&caller)?;
    let (fixture, tokens) = shared.service.unfollow_match(&of.id()?, &user).await?;
    shared.jobs.end_activities(&fixture, &user, &tokens);
    Ok(NoContent)
}

async fn register_activity(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
    body: Body<RegisterActivity>,
) -> Result<Json<ActivityView>, Error> {
    let token = token_of("/pushToken", &body.push_token)?;
    let (user, team) = (user_of(&caller)?, team_of(&body.team_id)?);
    let registered = shared.service.register_activity(&of.id()?, &user, &token, &team).await?;
    Ok(Json(ActivityView {
        match_id: registered.match_id.to_string(),
        team_id: registered.team_id.to_string(),
        created_at: registered.created_at.to_string(),
    }))
}

async fn remove_activity(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMatch>,
    ActivityToken(token): ActivityToken,
) -> Result<NoContent, Error> {
    let user = user_of(&caller)?;
    let (fixture, tokens) =
        shared.service.remove_activities(&of.id()?, &user, token.as_ref()).await?;
    shared.jobs.end_activities(&fixture, &user, &tokens);
    Ok(NoContent)
}

async fn list_pushes(State(shared): State<Shared>, caller: Caller) -> Result<Json<Pushes>, Error> {
    let outbox = shared.jobs.outbox();
    let items = outbox.messages(&user_of(&caller)?);
    Ok(Json(Pushes { since: outbox.since().to_string(), items }))
}

async fn watch_pushes(
    State(shared): State<Shared>,
    caller: Caller,
    last: LastEventId,
) -> Result<EventStream, Error> {
    let topic = pushes_topic(&user_of(&caller)?);
    Ok(shared.streams.pushes.subscribe(topic, last).await?.into())
}
