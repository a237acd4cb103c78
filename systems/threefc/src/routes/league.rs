//! Leagues, their people and their players.

use super::{App, Done, OfLeague, OfPlayer, Reply, Shared, whole};
use crate::design::*;
use crate::error::{Error, Result};
use crate::service::input::{
    AcceptInvite, GrantRole, InviteCode, LeagueChange, NewInvite, NewLeague, NewPlayer,
    PlayerChange,
};
use crate::service::{ADMIN, SCOREKEEPER};
use crate::view::{GrantView, InvitePreview, LeagueInfo, LeagueView, MeView, NewInviteView};
use singlet_web::api::{delete, get, patch, post, put};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::*;
    api.route(
        post("/v1/leagues", create_league)
            .about("Creates a league, with the caller as its first admin.")
            .problems([IdTaken, LimitReached]),
    )
    .route(get("/v1/leagues", list_leagues).about("Lists public leagues, by id."))
    .route(get("/v1/me", me).about("Shows the caller's leagues and roles."))
    .route(get("/v1/leagues/{league}", get_league).about("Shows a league and its seasons."))
    .route(
        patch("/v1/leagues/{league}", update_league).about("Changes a league.").replay_if(as_admin),
    )
    .route(
        delete("/v1/leagues/{league}", delete_league)
            .about("Deletes a league without seasons, with its people and players.")
            .problems([LeagueNotEmpty, LeagueTooLarge]),
    )
    .route(
        post("/v1/leagues/{league}/players", create_player)
            .about("Creates a player of a league.")
            .replay_if(as_scorekeeper)
            .problems([IdTaken, LimitReached]),
    )
    .route(
        get("/v1/leagues/{league}/players", list_players).about("Lists the players of a league."),
    )
    .route(get("/v1/players/{player}", get_player).about("Shows a player."))
    .route(
        patch("/v1/players/{player}", update_player)
            .about("Changes or archives a player.")
            .replay_if(as_player_admin),
    )
    .route(
        put("/v1/leagues/{league}/acl/{user}", grant_role)
            .about(
                "Gives a role to a person who has a role in some league, or changes their role. \
                 Other people are invited.",
            )
            .replay_if(as_admin_or_self)
            .problems([UserNotFound, LastAdmin, LimitReached]),
    )
    .route(
        delete("/v1/leagues/{league}/acl/{user}", revoke_role)
            .about("Removes a role: any as an admin, or your own.")
            .problems([LastAdmin]),
    )
    .route(get("/v1/leagues/{league}/acl", list_grants).about("Lists the roles in a league."))
    .route(
        post("/v1/leagues/{league}/invites", invite)
            .about("Creates an invitation. Its code is shown once.")
            .replay_if(as_admin)
            .problems([LimitReached]),
    )
    .route(get("/v1/leagues/{league}/invites", list_invites).about("Lists open invitations."))
    .route(
        delete("/v1/leagues/{league}/invites/{hash}", delete_invite)
            .about("Deletes an invitation."),
    )
    .route(
        post("/v1/leagues/{league}/invites/preview", preview_invite)
            .about("Shows the league and the role of an invitation.")
            .unkeyed()
            .problems([InviteNotFound]),
    )
    .route(
        post("/v1/leagues/{league}/invites/accept", accept_invite)
            .about("Accepts an invitation.")
            .problems([InviteNotFound, LimitReached]),
    )
}

forward! {
    update_league = update_league(league: LeagueId)[change: Body<LeagueChange>] -> LeagueInfo;
    delete_league = delete_league(league: LeagueId);
    update_player = update_player(player: PlayerId)[change: Body<PlayerChange>] -> Player;
    revoke_role = revoke_role(league: LeagueId, user: UserId);
    delete_invite = delete_invite(league: LeagueId, hash: InviteHash);
}

async fn create_league(app: App, by: Caller, new: Body<NewLeague>) -> Result<Created<LeagueInfo>> {
    let made = app.create_league(&by, &new).await?;
    Ok(Created::at(format!("/v1/leagues/{}", made.league.league_id), made))
}

async fn list_leagues(app: App, paging: Paging) -> Reply<Page<Listing>> {
    Ok(Json(app.list_leagues(paging.limit(), paging.cursor()?).await?.into()))
}

async fn me(app: App, by: Caller, paging: Paging<100, 100>) -> Reply<MeView> {
    let (user_id, leagues) = app.me(&by, paging.limit(), paging.cursor()?).await?;
    let Page { items: leagues, next } = leagues.into();
    Ok(Json(MeView { user_id, leagues, next }))
}

async fn get_league(app: App, by: Option<Caller>, id: OfLeague) -> Reply<LeagueView> {
    app.league(by.as_ref(), &id).await.map(Json)
}

async fn create_player(
    app: App,
    by: Caller,
    league: OfLeague,
    new: Body<NewPlayer>,
) -> Result<Created<Player>> {
    let player = app.create_player(&by, &league, &new).await?;
    Ok(Created::at(format!("/v1/players/{}", player.player_id), player))
}

async fn list_players(app: App, by: Option<Caller>, league: OfLeague) -> Reply<Page<LeaguePlayer>> {
    Ok(whole(app.players(by.as_ref(), &league).await?))
}

async fn get_player(app: App, by: Option<Caller>, id: OfPlayer) -> Reply<Player> {
    app.player(by.as_ref(), &id).await.map(Json)
}

async fn grant_role(
    app: App,
    by: Caller,
    Path((league, user)): Path<(LeagueId, UserId)>,
    new: Body<GrantRole>,
) -> Result<CreatedOrFound<GrantView>> {
    let (grant, is_new) = app.grant_role(&by, &league, &user, &new).await?;
    let grant = GrantView::new(grant, true);
    Ok(match is_new {
        true => CreatedOrFound::Created(Created::at(format!("/v1/leagues/{league}/acl"), grant)),
        false => CreatedOrFound::Found(grant),
    })
}

async fn list_grants(app: App, by: Caller, league: OfLeague) -> Reply<Page<GrantView>> {
    let items = app.grants(&by, &league).await?;
    Ok(Json(Page { items, next: None }.map(|grant| GrantView::new(grant, true))))
}

async fn invite(
    app: App,
    by: Caller,
    league: OfLeague,
    new: Body<NewInvite>,
) -> Result<Created<NewInviteView>> {
    let invite = app.invite(&by, &league, &new).await?;
    Ok(Created::at(format!("/v1/leagues/{}/invites", league.0), invite))
}

async fn list_invites(app: App, by: Caller, league: OfLeague) -> Reply<Page<Invitation>> {
    Ok(whole(app.invites(&by, &league).await?))
}

async fn preview_invite(
    app: App,
    by: Caller,
    league: OfLeague,
    invite: Body<InviteCode>,
) -> Reply<InvitePreview> {
    app.preview_invite(&by, &league, &invite.code).await.map(Json)
}

async fn accept_invite(
    app: App,
    by: Caller,
    league: OfLeague,
    accept: Body<AcceptInvite>,
) -> Reply<GrantView> {
    let grant = app.accept_invite(&by, &league, &accept).await?;
    let is_admin = grant.role == Role::Admin;
    Ok(Json(GrantView::new(grant, is_admin)))
}

pub(super) async fn as_admin(app: App, by: Caller, league: OfLeague) -> Done {
    app.league_for(Some(&by), &league, ADMIN).await.map(|_| NoContent)
}

async fn as_scorekeeper(app: App, by: Caller, league: OfLeague) -> Done {
    app.league_for(Some(&by), &league, SCOREKEEPER).await.map(|_| NoContent)
}

/// An admin who gave up the role gets the answer again.
async fn as_admin_or_self(
    app: App,
    by: Caller,
    Path((league, user)): Path<(LeagueId, UserId)>,
) -> Done {
    app.league_of_user(&by, &league, &user).await.map(|_| NoContent)
}

async fn as_player_admin(app: App, by: Caller, player: OfPlayer) -> Done {
    app.player_for(Some(&by), &player, ADMIN).await.map(|_| NoContent)
}
