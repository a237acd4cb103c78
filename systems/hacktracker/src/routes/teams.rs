//! Teams, members, invites, players and their statistics.

use super::{App, Done, OfPlayer, OfTeam, Reply, Season, Shared, WholePaging, check_manager};
use crate::design::{AtBat, InviteCode, Membership, Player, PlayerId, Team, TeamId, UserId};
use crate::error::{Error, Result};
use crate::input::{
    MemberChange, NewInvite, NewLink, NewPlayers, NewTeam, PlayerChange, TeamChange,
};
use crate::view::{InviteView, MemberView, OpenInvite, PlayerStats, TeamPage, TeamStats};
use singlet_web::api::{delete, get, patch, post, put};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        AlreadyMember, LastOwner, MemberLinked, MemberNotFound, NumberTaken, PersonalTeam,
        PlayerHasAtBats, PlayerLinked, RecoveryExpired, RosterFull, TeamFull, TooManyInvites,
        TooManyLinks, TooManyTeams, UserNotFound,
    };
    api.route(
        post("/teams", create_team)
            .about("Creates a team, with the caller as its owner.")
            .problems([UserNotFound, NumberTaken, TooManyTeams, TooManyLinks])
            .idempotent(),
    )
    .route(
        get("/teams/{team}", get_team)
            .about("Shows a team with its members, its roster and its invites."),
    )
    .route(patch("/teams/{team}", change_team).about("Changes name and description of a team."))
    .route(
        delete("/teams/{team}", delete_team)
            .about("Deletes a team. It can be recovered for thirty days.")
            .problems([PersonalTeam]),
    )
    .route(
        post("/teams/{team}/recover", recover_team)
            .about("Recovers a deleted team.")
            .problems([RecoveryExpired, TooManyTeams])
            .idempotent(),
    )
    .route(
        get("/teams/{team}/stats", get_team_stats)
            .about("Shows the statistics of a team, by player."),
    )
    .route(
        get("/teams/{team}/members", list_members)
            .about("Lists the members of a team with their names."),
    )
    .route(
        patch("/teams/{team}/members/{user}", change_member)
            .about("Changes a member's role or status.")
            .problems([LastOwner]),
    )
    .route(
        delete("/teams/{team}/members/{user}", remove_member)
            .about("Removes a member, or leaves the team.")
            .problems([LastOwner, PersonalTeam]),
    )
    .route(
        post("/teams/{team}/invites", create_invite)
            .about("Creates a link to join the team.")
            .problems([PersonalTeam, PlayerLinked, TooManyInvites])
            .idempotent()
            .replay_if(check_inviter),
    )
    .route(
        get("/teams/{team}/invites", list_invites)
            .about("Lists open invites.")
            .problems([PersonalTeam]),
    )
    .route(
        delete("/teams/{team}/invites/{code}", withdraw_invite)
            .about("Withdraws an invite.")
            .problems([PersonalTeam]),
    )
    .route(get("/teams/{team}/invites/{code}", get_invite).about("Shows an invite by its code."))
    .route(
        post("/teams/{team}/invites/{code}/accept", accept_invite)
            .about("Joins the team of an invite.")
            .problems([AlreadyMember, PlayerLinked, UserNotFound])
            .problems([TeamFull, TooManyTeams, TooManyLinks])
            .idempotent(),
    )
    .route(get("/teams/{team}/players", list_players).about("Shows the roster."))
    .route(
        post("/teams/{team}/players", add_players)
            .about("Adds 1 to 25 players to the roster, all or none.")
            .problems([NumberTaken, RosterFull, PersonalTeam])
            .idempotent()
            .replay_if(check_manager),
    )
    .route(get("/teams/{team}/players/{player}", get_player).about("Shows a player."))
    .route(
        patch("/teams/{team}/players/{player}", change_player)
            .about("Changes a player. The linked user may change the own names and positions.")
            .problems([NumberTaken]),
    )
    .route(
        delete("/teams/{team}/players/{player}", remove_player)
            .about("Removes an unlinked player without at-bats.")
            .problems([PlayerLinked, PlayerHasAtBats, PersonalTeam]),
    )
    .route(
        put("/teams/{team}/players/{player}/link", link_player)
            .about("Links a player to a member.")
            .problems([PlayerLinked, MemberLinked, MemberNotFound, TooManyLinks, PersonalTeam]),
    )
    .route(
        delete("/teams/{team}/players/{player}/link", unlink_player)
            .about("Unlinks a player from its user.")
            .problems([PersonalTeam]),
    )
    .route(
        get("/teams/{team}/players/{player}/atbats", list_at_bats)
            .about("Lists a player's at-bats, the newest first."),
    )
    .route(
        get("/teams/{team}/players/{player}/stats", get_player_stats)
            .about("Shows a player's statistics, by game and in all."),
    )
}

forward! {
    get_team = team_page(team: TeamId) -> TeamPage;
    change_team = change_team(team: TeamId)[change: Body<TeamChange>] -> Team;
    delete_team = delete_team(team: TeamId);
    recover_team = recover_team(team: TeamId);
    list_members = members(team: TeamId)[paging: WholePaging] -> Page<MemberView>;
    change_member = change_member(team: TeamId, user: UserId)[change: Body<MemberChange>] -> Membership;
    remove_member = remove_member(team: TeamId, user: UserId);
    list_invites = invites(team: TeamId)[paging: WholePaging] -> Page<InviteView>;
    withdraw_invite = withdraw_invite(team: TeamId, code: InviteCode);
    get_invite = see_invite(team: TeamId, code: InviteCode) -> OpenInvite;
    accept_invite = accept_invite(team: TeamId, code: InviteCode) -> Membership;
    list_players = players(team: TeamId)[paging: WholePaging] -> Page<Player>;
    get_player = player(team: TeamId, player: PlayerId) -> Player;
    change_player = change_player(team: TeamId, player: PlayerId)[change: Body<PlayerChange>] -> Player;
    remove_player = remove_player(team: TeamId, player: PlayerId);
    unlink_player = unlink_player(team: TeamId, player: PlayerId);
    list_at_bats = at_bats_of(team: TeamId, player: PlayerId)[paging: Paging] -> Page<AtBat>;
}

async fn create_team(app: App, by: Caller, new: Body<NewTeam>) -> Result<Created<Team>> {
    let team = app.create_team(&by, &new).await?;
    Ok(Created::at(format!("/teams/{}", team.team_id), team))
}

async fn get_team_stats(app: App, by: Caller, team: OfTeam, season: Season) -> Reply<TeamStats> {
    app.team_stats(&by, &team, season.season.as_deref()).await.map(Json)
}

async fn create_invite(
    app: App,
    by: Caller,
    team: OfTeam,
    new: Body<NewInvite>,
) -> Result<Created<InviteView>> {
    let invite = app.invite(&by, &team, &new).await?;
    Ok(Created::at(format!("/teams/{}/invites/{}", team.0, invite.code), invite))
}

/// The code still works, so a stored answer is repeated only to callers who may create invites.
async fn check_inviter(app: App, by: Caller, team: OfTeam, new: Body<NewInvite>) -> Done {
    app.inviter_of(&by, &team, new.role).await.map(|_| NoContent)
}

async fn add_players(
    app: App,
    by: Caller,
    team: OfTeam,
    new: Body<NewPlayers>,
) -> Result<Created<Page<Player>>> {
    let players = app.add_players(&by, &team, &new.players).await?;
    Ok(Created::at(format!("/teams/{}/players", team.0), players))
}

async fn link_player(
    app: App,
    by: Caller,
    Path((team, player)): OfPlayer,
    link: Body<NewLink>,
) -> Reply<Player> {
    app.link_player(&by, &team, &player, &link.user_id).await.map(Json)
}

async fn get_player_stats(
    app: App,
    by: Caller,
    Path((team, player)): OfPlayer,
    season: Season,
) -> Reply<PlayerStats> {
    app.player_stats(&by, &team, &player, season.season.as_deref()).await.map(Json)
}
