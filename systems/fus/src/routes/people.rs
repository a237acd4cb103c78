//! Groups, members and profiles.

use super::Shared;
use super::bodies::{GroupBody, GroupRest, ProfileBody};
use super::sites::ListPaging;
use super::upload::{Avatar, ImageReply, Uploaded, sign_in};
use crate::error::Error;
use crate::service::require_admin;
use crate::view::{GroupView, Me, MemberView, MembershipView, Person, UserView};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{
    Api, Body, Created, CreatedOrFound, IfMatch, Json, NoContent, Page, Path, Query, Versioned,
    delete, get, post, put,
};
use singlet_web::identity::Caller;
use singlet_web::limit::ClientLimits;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        GroupBusy, GroupExists, GroupNotFound, GroupReserved, ImageNotFound, MemberNotFound,
        PermissionNotHeld, SelfJoin, SquashOnly, TooManyGroups, UserNotFound,
    };
    api.route(
        get("/v1/groups", list)
            .describe("listGroups", "Lists groups, by name. For those with groups.read."),
    )
    .route(
        post("/v1/groups", create)
            .idempotent()
            .replay_if(check_admin)
            .describe("createGroup", "Makes a group. For admins.")
            .problems([GroupExists, GroupBusy, GroupReserved, PermissionNotHeld]),
    )
    .route(
        get("/v1/groups/{name}", show)
            .describe("getGroup", "Shows a group. For those with groups.read.")
            .problems([GroupNotFound]),
    )
    .route(
        put("/v1/groups/{name}", change)
            .describe("updateGroup", "Changes what a group is for and may do. For admins.")
            .problems([GroupNotFound, GroupReserved, PermissionNotHeld]),
    )
    .route(
        delete("/v1/groups/{name}", remove)
            .describe(
                "deleteGroup",
                "Deletes a group: its permissions stop at once, memberships end a moment later. \
                 For admins.",
            )
            .problems([GroupNotFound, GroupReserved]),
    )
    .route(
        get("/v1/groups/{name}/members", members)
            .describe(
                "listMembers",
                "Lists the members of a group. For those with groups.read; those of Squash are \
                 for Squash.",
            )
            .problems([GroupNotFound, SquashOnly]),
    )
    .route(
        put("/v1/groups/{name}/members/{userId}", add_member)
            .describe("addMember", "Adds somebody else to a group. For those with members.manage.")
            .problems([
                GroupNotFound,
                UserNotFound,
                SelfJoin,
                PermissionNotHeld,
                SquashOnly,
                TooManyGroups,
            ]),
    )
    .route(
        delete("/v1/groups/{name}/members/{userId}", remove_member)
            .describe("removeMember", "Takes somebody out of a group. Everybody may leave.")
            .problems([MemberNotFound, PermissionNotHeld, SquashOnly]),
    )
    .route(
        post("/v1/me/login", login)
            .describe("recordLogin", "Notes that you have signed in, and makes your profile."),
    )
    .route(get("/v1/me", me).describe("getMe", "Shows who you are and what you may do."))
    .route(put("/v1/me", update_me).describe("updateMe", "Changes what others see of you."))
    .route(
        put("/v1/me/avatar", set_avatar)
            .describe("setAvatar", "Changes your picture: a PNG, JPEG or WebP."),
    )
    .route(delete("/v1/me/avatar", remove_avatar).describe("removeAvatar", "Removes your picture."))
    .route(
        get("/v1/users/{userId}", user)
            .describe("getUser", "Shows somebody; when they signed in, to those with logins.read.")
            .problems([UserNotFound]),
    )
    .route(
        get("/v1/users/{userId}/groups", groups_of)
            .describe("listGroupsOf", "Lists the groups that somebody is in.")
            .problems([UserNotFound]),
    )
    .route(
        get("/v1/users/{userId}/avatar/{file}", avatar)
            .describe("getAvatar", "The picture of somebody.")
            .problems([ImageNotFound]),
    )
    .route(
        get("/v1/people", people).describe(
            "listPeople",
            "Lists people whose names begin so. For those with groups.read.",
        ),
    )
}

#[derive(Deserialize, JsonSchema)]
struct OfGroup {
    /// The name of the group.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfMember {
    /// The name of the group.
    name: String,
    /// The id of the member.
    user_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfUser {
    /// The id of the user.
    user_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfAvatar {
    /// The id of the user.
    user_id: String,
    /// The name of the file.
    file: String,
}

#[derive(Deserialize, JsonSchema)]
struct WithPrefix {
    /// How names begin.
    #[serde(default)]
    #[schemars(length(max = 100))]
    prefix: String,
}

fn versioned(group: GroupView) -> Versioned<GroupView> {
    Versioned { version: group.version, value: group }
}

async fn list(
    State(shared): State<Shared>,
    caller: Caller,
    paging: ListPaging,
) -> Result<Json<Page<GroupView>>, Error> {
    Ok(Json(shared.service.groups(&caller, &paging).await?))
}

async fn create(
    State(shared): State<Shared>,
    caller: Caller,
    Body(new): Body<GroupBody>,
) -> Result<Created<GroupView>, Error> {
    let group = shared.service.create_group(&caller, &new.name, &new.rest.into()).await?;
    let version = group.version;
    Ok(Created::at(format!("/v1/groups/{}", group.name), group).version(version))
}

/// Refuses to repeat an answer to those who are no longer admins.
async fn check_admin(caller: Caller) -> Result<NoContent, Error> {
    require_admin(&caller).map(|_| NoContent)
}

async fn show(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGroup>,
) -> Result<Versioned<GroupView>, Error> {
    Ok(versioned(shared.service.group(&caller, &of.name).await?))
}

async fn change(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGroup>,
    IfMatch(version): IfMatch,
    Body(new): Body<GroupRest>,
) -> Result<Versioned<GroupView>, Error> {
    let group = shared.service.update_group(&caller, &of.name, version, &new.into()).await?;
    Ok(versioned(group))
}

async fn remove(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGroup>,
) -> Result<NoContent, Error> {
    let task = shared.service.delete_group(&caller, &of.name).await?;
    shared.run_in_background(task);
    Ok(NoContent)
}

async fn members(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGroup>,
    paging: ListPaging,
) -> Result<Json<Page<MemberView>>, Error> {
    Ok(Json(shared.service.members(&caller, &of.name, &paging).await?))
}

async fn add_member(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMember>,
) -> Result<CreatedOrFound<MemberView>, Error> {
    let OfMember { name, user_id } = &*of;
    let added = shared.service.add_member(&caller, name, user_id).await?;
    Ok(match added.is_new {
        true => {
            let location = format!("/v1/groups/{name}/members/{user_id}");
            CreatedOrFound::Created(Created::at(location, added.member))
        }
        false => CreatedOrFound::Found(added.member),
    })
}

async fn remove_member(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMember>,
) -> Result<NoContent, Error> {
    shared.service.remove_member(&caller, &of.name, &of.user_id).await.map(|()| NoContent)
}

async fn login(
    State(shared): State<Shared>,
    caller: Caller,
    client: ClientLimits,
) -> Result<Json<Me>, Error> {
    let sign_in = sign_in(&caller, &client, shared.service.db().now());
    Ok(Json(shared.service.record_login(&caller, &sign_in).await?))
}

async fn me(State(shared): State<Shared>, caller: Caller) -> Result<Json<Me>, Error> {
    Ok(Json(shared.service.me(&caller).await?))
}

async fn update_me(
    State(shared): State<Shared>,
    caller: Caller,
    client: ClientLimits,
    Body(new): Body<ProfileBody>,
) -> Result<Json<Me>, Error> {
    let sign_in = sign_in(&caller, &client, shared.service.db().now());
    let ProfileBody { display_name, description } = &new;
    let me = shared.service.update_profile(&caller, &sign_in, display_name, description).await?;
    Ok(Json(me))
}

async fn set_avatar(
    State(shared): State<Shared>,
    caller: Caller,
    client: ClientLimits,
    file: Uploaded<Avatar>,
) -> Result<Json<Me>, Error> {
    let sign_in = sign_in(&caller, &client, shared.service.db().now());
    Ok(Json(shared.service.set_avatar(&caller, &sign_in, file.bytes()).await?))
}

async fn remove_avatar(
    State(shared): State<Shared>,
    caller: Caller,
    client: ClientLimits,
) -> Result<NoContent, Error> {
    let sign_in = sign_in(&caller, &client, shared.service.db().now());
    shared.service.remove_avatar(&caller, &sign_in).await.map(|()| NoContent)
}

async fn user(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfUser>,
) -> Result<Json<UserView>, Error> {
    Ok(Json(shared.service.user(caller.as_ref(), &of.user_id).await?))
}

async fn groups_of(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfUser>,
    paging: ListPaging,
) -> Result<Json<Page<MembershipView>>, Error> {
    Ok(Json(shared.service.groups_of(&caller, &of.user_id, &paging).await?))
}

async fn avatar(State(shared): State<Shared>, of: Path<OfAvatar>) -> Result<ImageReply, Error> {
    Ok(ImageReply(shared.service.avatar(&of.user_id, &of.file).await?))
}

async fn people(
    State(shared): State<Shared>,
    caller: Caller,
    with: Query<WithPrefix>,
) -> Result<Json<Page<Person>>, Error> {
    let items = shared.service.people(&caller, &with.prefix).await?;
    Ok(Json(Page { items, next: None }))
}
