//! Users, and the lists for admins.

use super::{App, Reply, Season, Shared, WholePaging};
use crate::design::{Team, TeamId, User};
use crate::error::{Error, Result};
use crate::input::{NewUser, UserChange};
use crate::view::{Career, GameView, MyTeam};
use singlet_web::api::{get, patch, post};
use singlet_web::prelude::*;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    let unknown = || [Error::UserNotFound];
    api.route(
        post("/users", sign_up)
            .about("Creates the caller's profile with a team for personal statistics.")
            .problems(unknown())
            .idempotent(),
    )
    .route(
        get("/users/me", get_my_user).about("Shows the caller's profile.").problems(unknown()),
    )
    .route(
        patch("/users/me", change_my_user)
            .about("Changes the caller's profile, and the name of linked players who have the old one.")
            .problems(unknown()),
    )
    .route(get("/users/me/teams", list_my_teams).about("Lists the caller's teams."))
    .route(
        get("/users/me/stats", get_my_career)
            .about("Shows the caller's statistics over all teams, or of one team or season.")
            .problems([Error::TeamNotFound]),
    )
    .route(get("/users", list_users).about("Lists all users, for admins."))
    .route(get("/teams", list_teams).about("Lists all teams, for admins."))
    .route(get("/games", list_games).about("Lists all games, for admins."))
}

async fn sign_up(app: App, by: Caller, new: Body<NewUser>) -> Result<CreatedOrFound<User>> {
    let (user, is_new) = app.sign_up(&by, &new).await?;
    Ok(match is_new {
        true => CreatedOrFound::Created(Created::at("/users/me", user)),
        false => CreatedOrFound::Found(user),
    })
}

async fn get_my_user(app: App, by: Caller) -> Reply<User> {
    app.my_user(&by).await.map(Json)
}

async fn change_my_user(app: App, by: Caller, change: Body<UserChange>) -> Reply<User> {
    app.change_my_user(&by, &change).await.map(Json)
}

async fn list_my_teams(app: App, by: Caller, paging: WholePaging) -> Reply<Page<MyTeam>> {
    app.my_teams(&by, &paging).await.map(Json)
}

#[derive(Deserialize, JsonSchema)]
struct OfOwnTeam {
    /// Only at-bats for this team, which may be a personal one.
    team: Option<TeamId>,
}

async fn get_my_career(
    app: App,
    by: Caller,
    of: Query<OfOwnTeam>,
    season: Season,
) -> Reply<Career> {
    app.career(&by, of.team.as_ref(), season.season.as_deref()).await.map(Json)
}

async fn list_users(app: App, by: Caller, paging: Paging) -> Reply<Page<User>> {
    app.list_users(&by, &paging).await.map(Json)
}

async fn list_teams(app: App, by: Caller, paging: Paging) -> Reply<Page<Team>> {
    app.list_teams(&by, &paging).await.map(Json)
}

async fn list_games(app: App, by: Caller, paging: Paging) -> Reply<Page<GameView>> {
    app.list_games(&by, &paging).await.map(Json)
}
