//! Leagues, their people and their players.

use super::{Shared, id_of, paths};
use crate::design::{InviteHash, LeagueId, Listing, Player, PlayerId, Role, UserId};
use crate::error::Error;
use crate::service::input::{
    AcceptInvite, GrantRole, InviteCode, LeagueChange, NewInvite, NewLeague, NewPlayer,
    PlayerChange,
};
use crate::text::{is_sha256_hex, is_user_id};
use crate::view::{
    GrantView, InvitePreview, InviteView, LeagueInfo, LeagueView, MeView, NewInviteView,
};
use singlet_web::prelude::*;

paths! {
    /// Of a league.
    OfLeague {
        /// The id of the league.
        league,
    }

    /// Of somebody in a league.
    OfUser {
        /// The id of the league.
        league,
        /// The id of the user.
        user,
    }

    /// Of an invitation.
    OfInvite {
        /// The id of the league.
        league,
        /// The hash of the invitation's code.
        hash,
    }

    /// Of a player.
    OfPlayer {
        /// The id of the player.
        player,
    }
}

fn league_id(text: &str) -> Result<LeagueId, Error> {
    id_of(text, Error::LeagueNotFound)
}

impl OfUser {
    fn user(&self) -> Result<UserId, Error> {
        let user = UserId::new(self.user.as_str()).ok();
        user.filter(|user| is_user_id(user.as_str())).ok_or(Error::GrantNotFound)
    }
}

impl OfPlayer {
    fn id(&self) -> Result<PlayerId, Error> {
        id_of(&self.player, Error::PlayerNotFound)
    }
}

pub(super) async fn create_league(
    State(shared): State<Shared>,
    caller: Caller,
    new: Body<NewLeague>,
) -> Result<Created<LeagueInfo>, Error> {
    let league = shared.service.create_league(&caller, &new).await?;
    Ok(Created::at(format!("/v1/leagues/{}", league.league_id), league))
}

pub(super) async fn list_leagues(
    State(shared): State<Shared>,
    paging: Paging,
) -> Result<Json<Page<Listing>>, Error> {
    let page = shared.service.list_leagues(paging.limit(), paging.cursor()?).await?;
    Ok(Json(page.into()))
}

pub(super) async fn me(
    State(shared): State<Shared>,
    caller: Caller,
    paging: Paging<100, 100>,
) -> Result<Json<MeView>, Error> {
    let (user_id, leagues) = shared.service.me(&caller, paging.limit(), paging.cursor()?).await?;
    let Page { items: leagues, next } = leagues.into();
    Ok(Json(MeView { user_id, leagues, next }))
}

pub(super) async fn league(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfLeague>,
) -> Result<Json<LeagueView>, Error> {
    Ok(Json(shared.service.league(caller.as_ref(), &league_id(&of.league)?).await?))
}

pub(super) async fn update_league(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
    change: Body<LeagueChange>,
) -> Result<Json<LeagueInfo>, Error> {
    Ok(Json(shared.service.update_league(&caller, &league_id(&of.league)?, &change).await?))
}

pub(super) async fn delete_league(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
) -> Result<NoContent, Error> {
    shared.service.delete_league(&caller, &league_id(&of.league)?).await?;
    Ok(NoContent)
}

pub(super) async fn create_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
    new: Body<NewPlayer>,
) -> Result<Created<Player>, Error> {
    let player = shared.service.create_player(&caller, &league_id(&of.league)?, &new).await?;
    Ok(Created::at(format!("/v1/players/{}", player.player_id), player))
}

pub(super) async fn list_players(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfLeague>,
) -> Result<Json<Page<Player>>, Error> {
    let items = shared.service.players(caller.as_ref(), &league_id(&of.league)?).await?;
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn player(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfPlayer>,
) -> Result<Json<Player>, Error> {
    Ok(Json(shared.service.player(caller.as_ref(), &of.id()?).await?))
}

pub(super) async fn update_player(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
    change: Body<PlayerChange>,
) -> Result<Json<Player>, Error> {
    Ok(Json(shared.service.update_player(&caller, &of.id()?, &change).await?))
}

pub(super) async fn grant_role(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfUser>,
    new: Body<GrantRole>,
) -> Result<CreatedOrFound<GrantView>, Error> {
    let (league, user) = (league_id(&of.league)?, of.user()?);
    let (grant, is_new) = shared.service.grant_role(&caller, &league, &user, &new).await?;
    let grant = GrantView::new(grant, true);
    Ok(match is_new {
        true => CreatedOrFound::Created(Created::at(format!("/v1/leagues/{league}/acl"), grant)),
        false => CreatedOrFound::Found(grant),
    })
}

pub(super) async fn revoke_role(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfUser>,
) -> Result<NoContent, Error> {
    shared.service.revoke_role(&caller, &league_id(&of.league)?, &of.user()?).await?;
    Ok(NoContent)
}

pub(super) async fn list_grants(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
) -> Result<Json<Page<GrantView>>, Error> {
    let items = shared.service.grants(&caller, &league_id(&of.league)?).await?;
    Ok(Json(Page { items, next: None }.map(|grant| GrantView::new(grant, true))))
}

pub(super) async fn invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
    new: Body<NewInvite>,
) -> Result<Created<NewInviteView>, Error> {
    let league = league_id(&of.league)?;
    let invite = shared.service.invite(&caller, &league, &new).await?;
    Ok(Created::at(format!("/v1/leagues/{league}/invites"), invite))
}

pub(super) async fn list_invites(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
) -> Result<Json<Page<InviteView>>, Error> {
    let items = shared.service.invites(&caller, &league_id(&of.league)?).await?;
    Ok(Json(Page { items, next: None }.map(InviteView::from)))
}

pub(super) async fn delete_invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfInvite>,
) -> Result<NoContent, Error> {
    let hash = InviteHash::new(of.hash.as_str()).ok();
    let hash = hash.filter(|hash| is_sha256_hex(hash.as_str())).ok_or(Error::InviteNotFound)?;
    shared.service.delete_invite(&caller, &league_id(&of.league)?, &hash).await?;
    Ok(NoContent)
}

pub(super) async fn preview_invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
    invite: Body<InviteCode>,
) -> Result<Json<InvitePreview>, Error> {
    let league = id_of(&of.league, Error::InviteNotFound)?;
    Ok(Json(shared.service.preview_invite(&caller, &league, &invite.code).await?))
}

pub(super) async fn accept_invite(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
    accept: Body<AcceptInvite>,
) -> Result<Json<GrantView>, Error> {
    let league = id_of(&of.league, Error::InviteNotFound)?;
    let grant = shared.service.accept_invite(&caller, &league, &accept).await?;
    let is_admin = grant.role == Role::Admin;
    Ok(Json(GrantView::new(grant, is_admin)))
}

pub(super) async fn check_admin(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
) -> Result<NoContent, Error> {
    let league = league_id(&of.league)?;
    shared.service.check_league(&caller, &league, Role::Admin).await.map(|()| NoContent)
}

pub(super) async fn check_scorekeeper(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfLeague>,
) -> Result<NoContent, Error> {
    let league = league_id(&of.league)?;
    shared.service.check_league(&caller, &league, Role::Scorekeeper).await.map(|()| NoContent)
}

/// An admin who has made themselves something else is told that it was done.
pub(super) async fn check_grant(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfUser>,
) -> Result<NoContent, Error> {
    let league = league_id(&of.league)?;
    shared.service.check_grant(&caller, &league, &of.user()?).await.map(|()| NoContent)
}

pub(super) async fn check_player_admin(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfPlayer>,
) -> Result<NoContent, Error> {
    shared.service.check_player_admin(&caller, &of.id()?).await.map(|()| NoContent)
}
