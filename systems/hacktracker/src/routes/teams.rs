//! Teams, members, invites, players and their statistics.

use super::{OfSeason, OfTeam, Shared, check_manager, of_team};
use crate::design::{AtBat, InviteCode, Membership, Player, PlayerId, Team, TeamId, UserId};
use crate::error::Error;
use crate::input::{
    MemberChange, NewInvite, NewLink, NewPlayers, NewTeam, PlayerChange, TeamChange,
};
use crate::view::{InviteView, List, MemberView, OpenInvite, PlayerStats, TeamPage, TeamStats};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{
    Api, Body, Created, Json, NoContent, Page, Paging, Path, Query, delete, get, patch, post, put,
};
use singlet_web::identity::Caller;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    players(invites(members(teams(api))))
}

fn teams(api: Api<Shared>) -> Api<Shared> {
    api.route(
        post("/teams", create_team)
            .idempotent()
            .describe("createTeam", "Creates a team, with the caller as its owner.")
            .problems([
                Error::UserNotFound,
                Error::NumberTaken,
                Error::TooManyTeams,
                Error::TooManyLinks,
            ]),
    )
    .route(of_team(
        get("/teams/{team}", team_page)
            .describe("getTeam", "Shows a team with its members, its roster and its invites."),
    ))
    .route(of_team(
        patch("/teams/{team}", change_team)
            .describe("changeTeam", "Changes name and description of a team.")
            .problems([Error::PersonalTeam]),
    ))
    .route(of_team(
        delete("/teams/{team}", delete_team)
            .describe("deleteTeam", "Deletes a team. It can be recovered for thirty days.")
            .problems([Error::PersonalTeam]),
    ))
    .route(of_team(
        post("/teams/{team}/recover", recover_team)
            .idempotent()
            .describe("recoverTeam", "Recovers a deleted team.")
            .problems([Error::PersonalTeam, Error::RecoveryExpired]),
    ))
    .route(of_team(
        get("/teams/{team}/stats", team_stats)
            .describe("getTeamStats", "Shows the statistics of a team, by player."),
    ))
}

fn members(api: Api<Shared>) -> Api<Shared> {
    api.route(of_team(
        get("/teams/{team}/members", list_members)
            .describe("listMembers", "Lists the members of a team with their names."),
    ))
    .route(of_team(
        patch("/teams/{team}/members/{user}", change_member)
            .describe("changeMember", "Changes a member's role or status.")
            .problems([Error::LastOwner, Error::MemberNotFound]),
    ))
    .route(of_team(
        delete("/teams/{team}/members/{user}", remove_member)
            .describe("removeMember", "Removes a member. Everybody may leave a team.")
            .problems([Error::LastOwner, Error::PersonalTeam]),
    ))
}

fn invites(api: Api<Shared>) -> Api<Shared> {
    api.route(of_team(
        post("/teams/{team}/invites", invite)
            .idempotent()
            .replay_if(check_inviter)
            .describe("createInvite", "Makes a link with which somebody can join the team.")
            .problems([Error::PersonalTeam, Error::PlayerLinked, Error::TooManyInvites]),
    ))
    .route(of_team(
        get("/teams/{team}/invites", list_invites)
            .describe("listInvites", "Lists open invites.")
            .problems([Error::PersonalTeam]),
    ))
    .route(of_team(
        delete("/teams/{team}/invites/{code}", withdraw_invite)
            .describe("withdrawInvite", "Withdraws an invite.")
            .problems([Error::PersonalTeam]),
    ))
    .route(of_team(
        get("/teams/{team}/invites/{code}", see_invite)
            .describe("getInvite", "Shows an invite to whoever has its code.")
            .problems([Error::InviteNotFound]),
    ))
    .route(of_team(
        post("/teams/{team}/invites/{code}/accept", accept_invite)
            .idempotent()
            .describe("acceptInvite", "Joins the team of an invite.")
            .problems([
                Error::InviteNotFound,
                Error::AlreadyMember,
                Error::PlayerLinked,
                Error::UserNotFound,
                Error::TeamFull,
                Error::TooManyTeams,
                Error::TooManyLinks,
            ]),
    ))
}

fn players(api: Api<Shared>) -> Api<Shared> {
    api.route(of_team(
        get("/teams/{team}/players", list_players).describe("listPlayers", "Shows the roster."),
    ))
    .route(of_team(
        post("/teams/{team}/players", add_players)
            .idempotent()
            .replay_if(check_manager)
            .describe("addPlayers", "Adds 1 to 25 players to the roster, all or none.")
            .problems([Error::NumberTaken, Error::RosterFull, Error::PersonalTeam]),
    ))
    .route(of_player(
        get("/teams/{team}/players/{player}", show_player).describe("getPlayer", "Shows a player."),
    ))
    .route(of_player(
        patch("/teams/{team}/players/{player}", change_player)
            .describe(
                "changePlayer",
                "Changes a player. The linked user may change the own names and positions.",
            )
            .problems([Error::NumberTaken]),
    ))
    .route(of_player(
        delete("/teams/{team}/players/{player}", remove_player)
            .describe("removePlayer", "Removes a player who is not linked and has no at-bat.")
            .problems([Error::PlayerLinked, Error::PlayerHasAtBats, Error::PersonalTeam]),
    ))
    .route(of_player(
        put("/teams/{team}/players/{player}/link", link_player)
            .describe("linkPlayer", "Links a player to a member.")
            .problems([
                Error::PlayerLinked,
                Error::MemberLinked,
                Error::MemberNotFound,
                Error::TooManyLinks,
                Error::PersonalTeam,
            ]),
    ))
    .route(of_player(
        delete("/teams/{team}/players/{player}/link", unlink_player)
            .describe("unlinkPlayer", "Takes the link of a player off again.")
            .problems([Error::PersonalTeam]),
    ))
    .route(of_player(
        get("/teams/{team}/players/{player}/atbats", list_at_bats)
            .describe("listAtBats", "Lists a player's at-bats, the newest first."),
    ))
    .route(of_player(
        get("/teams/{team}/players/{player}/stats", player_stats)
            .describe("getPlayerStats", "Shows a player's statistics, by game and in all."),
    ))
}

fn of_player(route: singlet_web::api::Route<Shared>) -> singlet_web::api::Route<Shared> {
    of_team(route).problems([Error::PlayerNotFound])
}

#[derive(Deserialize, JsonSchema)]
struct OfMember {
    /// The id of the team.
    team: TeamId,
    /// The id of the user.
    user: UserId,
}

#[derive(Deserialize, JsonSchema)]
struct OfInvite {
    /// The id of the team.
    team: TeamId,
    /// The code of the invite.
    code: InviteCode,
}

#[derive(Deserialize, JsonSchema)]
struct OfPlayer {
    /// The id of the team.
    team: TeamId,
    /// The id of the player.
    player: PlayerId,
}

async fn create_team(
    State(shared): State<Shared>,
    caller: Caller,
    new: Body<NewTeam>,
) -> Result<Created<Team>, Error> {
    let team = shared.service.create_team(&caller, &new).await?;
    Ok(Created::at(format!("/teams/{}", team.team_id), team))
}

async fn team_page(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
) -> Result<Json<TeamPage>, Error> {
    Ok(Json(shared.service.team_page(&caller, &of.team).await?))
}

async fn change_team(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    change: Body<TeamChange>,
) -> Result<Json<Team>, Error> {
    Ok(Json(shared.service.change_team(&caller, &of.team, &change).await?))
}

async fn delete_team(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
) -> Result<NoContent, Error> {
    shared.service.delete_team(&caller, &of.team).await.map(|()| NoContent)
}

async fn recover_team(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
) -> Result<NoContent, Error> {
    shared.service.recover_team(&caller, &of.team).await.map(|()| NoContent)
}

async fn team_stats(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    season: Query<OfSeason>,
) -> Result<Json<TeamStats>, Error> {
    let season = season.season.as_deref();
    Ok(Json(shared.service.team_stats(&caller, &of.team, season).await?))
}

async fn list_members(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    paging: Paging<100, 100>,
) -> Result<Json<Page<MemberView>>, Error> {
    Ok(Json(shared.service.members(&caller, &of.team, &paging).await?))
}

async fn change_member(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMember>,
    change: Body<MemberChange>,
) -> Result<Json<Membership>, Error> {
    Ok(Json(shared.service.change_member(&caller, &of.team, &of.user, &change).await?))
}

async fn remove_member(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfMember>,
) -> Result<NoContent, Error> {
    shared.service.remove_member(&caller, &of.team, &of.user).await.map(|()| NoContent)
}

async fn invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    new: Body<NewInvite>,
) -> Result<Created<InviteView>, Error> {
    let invite = shared.service.invite(&caller, &of.team, &new).await?;
    Ok(Created::at(format!("/teams/{}/invites/{}", of.team, invite.code), invite))
}

/// The code of an invite still works: it is told again to those who may make one.
async fn check_inviter(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    new: Body<NewInvite>,
) -> Result<NoContent, Error> {
    shared.service.check_inviter(&caller, &of.team, new.role).await.map(|()| NoContent)
}

async fn list_invites(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
) -> Result<Json<List<InviteView>>, Error> {
    Ok(Json(shared.service.invites(&caller, &of.team).await?))
}

async fn withdraw_invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfInvite>,
) -> Result<NoContent, Error> {
    shared.service.withdraw_invite(&caller, &of.team, &of.code).await.map(|()| NoContent)
}

async fn see_invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfInvite>,
) -> Result<Json<OpenInvite>, Error> {
    Ok(Json(shared.service.see_invite(&caller, &of.team, &of.code).await?))
}

async fn accept_invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfInvite>,
) -> Result<Json<Membership>, Error> {
    Ok(Json(shared.service.accept_invite(&caller, &of.team, &of.code).await?))
}

async fn list_players(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
) -> Result<Json<List<Player>>, Error> {
    Ok(Json(shared.service.players(&caller, &of.team).await?))
}

async fn add_players(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
    new: Body<NewPlayers>,
) -> Result<Created<List<Player>>, Error> {
    let players = shared.service.add_players(&caller, &of.team, &new.players).await?;
    Ok(Created::at(format!("/teams/{}/players", of.team), players))
}

async fn show_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
) -> Result<Json<Player>, Error> {
    Ok(Json(shared.service.player(&caller, &of.team, &of.player).await?))
}

async fn change_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
    change: Body<PlayerChange>,
) -> Result<Json<Player>, Error> {
    Ok(Json(shared.service.change_player(&caller, &of.team, &of.player, &change).await?))
}

async fn remove_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
) -> Result<NoContent, Error> {
    shared.service.remove_player(&caller, &of.team, &of.player).await.map(|()| NoContent)
}

async fn link_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
    link: Body<NewLink>,
) -> Result<Json<Player>, Error> {
    Ok(Json(shared.service.link_player(&caller, &of.team, &of.player, &link.user_id).await?))
}

async fn unlink_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
) -> Result<NoContent, Error> {
    shared.service.unlink_player(&caller, &of.team, &of.player).await.map(|()| NoContent)
}

async fn list_at_bats(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
    paging: Paging,
) -> Result<Json<Page<AtBat>>, Error> {
    Ok(Json(shared.service.at_bats_of(&caller, &of.team, &of.player, &paging).await?))
}

async fn player_stats(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
    season: Query<OfSeason>,
) -> Result<Json<PlayerStats>, Error> {
    let season = season.season.as_deref();
    Ok(Json(shared.service.player_stats(&caller, &of.team, &of.player, season).await?))
}
