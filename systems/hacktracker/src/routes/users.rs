//! Users, and the lists for admins.

use super::Shared;
use crate::design::{Team, User};
use crate::error::Error;
use crate::input::{NewUser, UserChange};
use crate::view::{Career, GameView, List, MyTeam};
use axum::extract::State;
use singlet_web::api::{Api, Body, Created, CreatedOrFound, Json, Page, Paging, get, patch, post};
use singlet_web::identity::Caller;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    api.route(
        post("/users", sign_up)
            .idempotent()
            .describe("signUp", "Creates the caller's profile with a team for personal statistics.")
            .problems([Error::UserNotFound]),
    )
    .route(
        get("/users/me", my_user)
            .describe("getMyUser", "Shows the caller's profile.")
            .problems([Error::UserNotFound]),
    )
    .route(
        patch("/users/me", change_my_user)
            .describe("changeMyUser", "Changes the caller's profile.")
            .problems([Error::UserNotFound]),
    )
    .route(get("/users/me/teams", my_teams).describe("listMyTeams", "Lists the caller's teams."))
    .route(
        get("/users/me/stats", career)
            .describe("getMyCareer", "Shows the caller's statistics over all teams."),
    )
    .route(get("/users", list_users).describe("listUsers", "Lists all users, for admins."))
    .route(get("/teams", list_teams).describe("listTeams", "Lists all teams, for admins."))
    .route(get("/games", list_games).describe("listGames", "Lists all games, for admins."))
}

async fn sign_up(
    State(shared): State<Shared>,
    caller: Caller,
    new: Body<NewUser>,
) -> Result<CreatedOrFound<User>, Error> {
    let (user, is_new) = shared.service.sign_up(&caller, &new).await?;
    Ok(match is_new {
        true => CreatedOrFound::Created(Created::at("/users/me", user)),
        false => CreatedOrFound::Found(user),
    })
}

async fn my_user(State(shared): State<Shared>, caller: Caller) -> Result<Json<User>, Error> {
    Ok(Json(shared.service.my_user(&caller).await?))
}

async fn change_my_user(
    State(shared): State<Shared>,
    caller: Caller,
    change: Body<UserChange>,
) -> Result<Json<User>, Error> {
    Ok(Json(shared.service.change_my_user(&caller, &change).await?))
}

async fn my_teams(
    State(shared): State<Shared>,
    caller: Caller,
) -> Result<Json<List<MyTeam>>, Error> {
    Ok(Json(shared.service.my_teams(&caller).await?))
}

async fn career(State(shared): State<Shared>, caller: Caller) -> Result<Json<Career>, Error> {
    Ok(Json(shared.service.career(&caller).await?))
}

async fn list_users(
    State(shared): State<Shared>,
    caller: Caller,
    paging: Paging,
) -> Result<Json<Page<User>>, Error> {
    Ok(Json(shared.service.list_users(&caller, &paging).await?))
}

async fn list_teams(
    State(shared): State<Shared>,
    caller: Caller,
    paging: Paging,
) -> Result<Json<Page<Team>>, Error> {
    Ok(Json(shared.service.list_teams(&caller, &paging).await?))
}

async fn list_games(
    State(shared): State<Shared>,
    caller: Caller,
    paging: Paging,
) -> Result<Json<Page<GameView>>, Error> {
    Ok(Json(shared.service.list_games(&caller, &paging).await?))
}
