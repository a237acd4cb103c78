//! Groups, members and profiles.

use super::upload::Uploaded;
use super::{Answer, App, Current, Done, OfGroup, OfMember, OfUser, versioned};
use crate::design::{Group, UserId};
use crate::error::{Error, Result};
use crate::service::{
    GroupChange, ListPaging, NewGroup, NewProfile, Service, SignIn, require_admin,
};
use crate::view::{Me, MemberView, MembershipView, Person, UserView};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use singlet::Timestamp;
use singlet_web::api::{Argument, Operation, delete, get, post, put};
use singlet_web::blob::StoredFile;
use singlet_web::limit::ClientLimits;
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Service>) -> Api<Service> {
    use Error::{
        GroupBusy, GroupExists, GroupReserved, MemberNotFound, PermissionNotHeld, SelfJoin,
        SquashManagersOnly, SquashOnly, TooManyGroups,
    };
    api.route(
        get("/v1/groups", list_groups).about("Lists groups by name. Requires groups.read."),
    )
    .route(
        post("/v1/groups", create_group)
            .about("Creates a group. For admins.")
            .replay_if(check_admin)
            .problems([GroupExists, GroupBusy, GroupReserved, PermissionNotHeld]),
    )
    .route(get("/v1/groups/{name}", get_group).about("Shows a group. Requires groups.read."))
    .route(
        put("/v1/groups/{name}", update_group)
            .about("Changes what a group is for and may do. For admins.")
            .problems([GroupReserved, PermissionNotHeld]),
    )
    .route(
        delete("/v1/groups/{name}", delete_group)
            .about(
                "Deletes a group: its permissions stop at once, memberships end a moment later. \
                 For admins.",
            )
            .problems([GroupReserved]),
    )
    .route(
        get("/v1/groups/{name}/members", list_members)
            .about(
                "Lists the members of a group. Requires groups.read, or membership for Squash.",
            )
            .problems([SquashOnly]),
    )
    .route(
        get("/v1/groups/{name}/members/{userId}", get_member)
            .about("Shows a member of a group. Requires groups.read or members.manage.")
            .problems([MemberNotFound, SquashOnly]),
    )
    .route(
        put("/v1/groups/{name}/members/{userId}", add_member)
            .about("Adds another person to a group. Requires members.manage.")
            .problems([SelfJoin, PermissionNotHeld, SquashOnly, SquashManagersOnly, TooManyGroups]),
    )
    .route(
        delete("/v1/groups/{name}/members/{userId}", remove_member)
            .about("Removes a member from a group. Anyone may leave.")
            .problems([MemberNotFound, PermissionNotHeld, SquashOnly, SquashManagersOnly]),
    )
    .route(
        post("/v1/me/login", record_login)
            .about("Records your login, and creates your profile the first time."),
    )
    .route(get("/v1/me", get_me).about("Shows who you are and what you may do."))
    .route(put("/v1/me", update_me).about("Changes what others see of you."))
    .route(put("/v1/me/avatar", set_avatar).about("Changes your picture: a PNG, JPEG or WebP."))
    .route(delete("/v1/me/avatar", remove_avatar).about("Removes your picture."))
    .route(
        get("/v1/users/{userId}", get_user)
            .about("Shows a user; with logins.read, also the last login."),
    )
    .route(
        get("/v1/users/{userId}/groups", list_groups_of)
            .about("Lists the groups of a user."),
    )
    .route(get("/v1/users/{userId}/avatar/{file}", get_avatar).about("Returns the avatar of a user."))
    .route(
        get("/v1/people", list_people)
            .about("Lists people by the beginning of their names. Requires groups.read."),
    )
}

async fn list_groups(app: App, by: Caller, paging: ListPaging) -> Answer<Page<Group>> {
    app.groups(&by, &paging).await.map(Json)
}

async fn create_group(app: App, by: Caller, new: Body<NewGroup>) -> Result<Created<Group>> {
    let group = app.create_group(&by, new.0).await?;
    let version = group.version;
    Ok(Created::at(format!("/v1/groups/{}", group.name), group).version(version))
}

/// Replays a stored response only while the caller is still an admin.
async fn check_admin(caller: Caller) -> Done {
    require_admin(&caller).map(|()| NoContent)
}

async fn get_group(app: App, by: Caller, name: OfGroup) -> Current<Group> {
    app.group(&by, &name).await.map(|one| versioned(one.version, one))
}

async fn update_group(
    app: App,
    by: Caller,
    name: OfGroup,
    IfMatch(version): IfMatch,
    new: Body<GroupChange>,
) -> Current<Group> {
    app.update_group(&by, &name, version, new.0).await.map(|one| versioned(one.version, one))
}

async fn delete_group(app: App, by: Caller, name: OfGroup) -> Done {
    let task = app.delete_group(&by, &name).await?;
    app.run_in_background(task);
    Ok(NoContent)
}

async fn list_members(
    app: App,
    by: Caller,
    name: OfGroup,
    paging: ListPaging,
) -> Answer<Page<MemberView>> {
    app.members(&by, &name, &paging).await.map(Json)
}

async fn get_member(app: App, by: Caller, Path((name, user)): OfMember) -> Answer<MemberView> {
    app.member(&by, &name, &user).await.map(Json)
}

async fn add_member(
    app: App,
    by: Caller,
    Path((name, user)): OfMember,
) -> Result<CreatedOrFound<MemberView>> {
    let added = app.add_member(&by, &name, &user).await?;
    if !added.is_new {
        return Ok(CreatedOrFound::Found(added.member));
    }
    let location = format!("/v1/groups/{name}/members/{user}");
    Ok(CreatedOrFound::Created(Created::at(location, added.member)))
}

async fn remove_member(app: App, by: Caller, Path((name, user)): OfMember) -> Done {
    app.remove_member(&by, &name, &user).await.map(|()| NoContent)
}

/// A caller, and when and from where they have signed in.
struct SignedIn(Caller, SignIn);

impl Argument for SignedIn {
    fn describe(operation: &mut Operation<'_>) {
        Caller::describe(operation);
    }
}

impl FromRequestParts<Service> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, service: &Service) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, service).await?;
        let client = ClientLimits::from_request_parts(parts, service).await?;
        let sign_in = sign_in(&caller, &client, service.db().now());
        Ok(Self(caller, sign_in))
    }
}

/// When the caller signed in, or else this moment, and from where.
fn sign_in(caller: &Caller, client: &ClientLimits, now: Timestamp) -> SignIn {
    let at_ms = caller.signed_in_at_s.and_then(|at| i64::try_from(at).ok()?.checked_mul(1000));
    SignIn { at: at_ms.map_or(now, Timestamp::from_millis), ip: Some(client.address().to_string()) }
}

async fn record_login(app: App, SignedIn(by, at): SignedIn) -> Answer<Me> {
    app.record_login(&by, &at).await.map(Json)
}

async fn get_me(app: App, by: Caller) -> Answer<Me> {
    app.me(&by).await.map(Json)
}

async fn update_me(app: App, SignedIn(by, at): SignedIn, new: Body<NewProfile>) -> Answer<Me> {
    app.update_profile(&by, &at, &new).await.map(Json)
}

async fn set_avatar(app: App, SignedIn(by, at): SignedIn, file: Uploaded) -> Answer<Me> {
    app.set_avatar(&by, &at, file.0).await.map(Json)
}

async fn remove_avatar(app: App, SignedIn(by, at): SignedIn) -> Done {
    app.remove_avatar(&by, &at).await.map(|()| NoContent)
}

async fn get_user(app: App, by: Option<Caller>, user: OfUser) -> Answer<UserView> {
    app.user(by.as_ref(), &user).await.map(Json)
}

async fn list_groups_of(
    app: App,
    by: Caller,
    user: OfUser,
    paging: ListPaging,
) -> Answer<Page<MembershipView>> {
    app.groups_of(&by, &user, &paging).await.map(Json)
}

async fn get_avatar(app: App, Path((user, file)): Path<(UserId, String)>) -> Result<StoredFile> {
    app.avatar(&user, &file).await
}

#[derive(Deserialize, JsonSchema)]
struct WithPrefix {
    /// How names begin.
    #[serde(default)]
    #[schemars(length(max = 100))]
    prefix: String,
}

async fn list_people(app: App, by: Caller, of: Query<WithPrefix>) -> Answer<Page<Person>> {
    let items = app.people(&by, &of.prefix).await?;
    Ok(Json(Page { items, next: None }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_web::limit::Rate;

    #[test]
    fn without_a_time_that_can_be_stored_somebody_signed_in_just_now() {
        let rate = Rate { per_second: 1.0, burst: 1.0 };
        let client = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), rate);
        let now = Timestamp::from_millis(7);
        for (signed_in_at_s, at_ms) in [(Some(5), 5_000), (None, 7), (Some(u64::MAX), 7)] {
            let caller = Caller { signed_in_at_s, ..Caller::default() };
            let expected =
                SignIn { at: Timestamp::from_millis(at_ms), ip: Some("192.0.2.1".to_owned()) };
            assert_eq!(sign_in(&caller, &client, now), expected);
        }
    }
}
