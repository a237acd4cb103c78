//! HTTP: every function takes a request apart, calls the service, and shows what it says.

mod games;
mod scoring;
mod teams;
mod users;

use crate::demo;
use crate::design::{HackTracker, Role};
use crate::error::Error;
use crate::live;
use crate::service::Service;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{Api, NoContent, Path, Route};
use singlet_web::demo::Demo;
use singlet_web::identity::Caller;
use singlet_web::job::Job;
use singlet_web::live::Live;
use singlet_web::problem::INVALID;
use singlet_web::{OpenError, Opened, Resources, System};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const PURGE_LEASE: Duration = Duration::from_secs(60);

/// What the routes work on.
#[derive(Clone)]
struct Shared {
    service: Service,
    live: Live,
}

/// The system, for the list of the command `singlet`.
#[must_use]
pub fn system() -> System {
    System::new(
        "hacktracker",
        "HackTracker",
        "Softball teams: rosters, games scored at-bat by at-bat, and statistics.",
    )
    .design::<HackTracker>()
    .problems::<Error>()
    .personas(demo::PERSONAS)
    .open(async |resources: Resources| Ok(opened(open_service(&resources).await?)))
    .demo(async |resources: Resources, demo: Demo| {
        demo::load(&open_service(&resources).await?, demo).await
    })
}

async fn open_service(resources: &Resources) -> Result<Service, OpenError> {
    Ok(Service::new(resources.database().await?, resources.random().clone()))
}

fn opened(service: Service) -> Opened {
    let live = live::live(&service);
    let pages = singlet_web::assets! {
        "/" => "pages/index.html",
        "/team/{team}" => "pages/team.html",
        "/game/{game}" => "pages/game.html",
        "/score/{game}" => "pages/score.html",
        "/player/{team}/{player}" => "pages/player.html",
        "/me" => "pages/player.html",
        "/join/{team}/{code}" => "pages/join.html",
        "/hacktracker.css" => "pages/hacktracker.css",
        "/index.js" => "pages/index.js",
        "/team.js" => "pages/team.js",
        "/roster.js" => "pages/roster.js",
        "/schedule.js" => "pages/schedule.js",
        "/team-stats.js" => "pages/team-stats.js",
        "/members.js" => "pages/members.js",
        "/game.js" => "pages/game.js",
        "/lineup.js" => "pages/lineup.js",
        "/game-form.js" => "pages/game-form.js",
        "/game-view.js" => "pages/game-view.js",
        "/score.js" => "pages/score.js",
        "/score-bar.js" => "pages/score-bar.js",
        "/score-book.js" => "pages/score-book.js",
        "/score-halves.js" => "pages/score-halves.js",
        "/score-panel.js" => "pages/score-panel.js",
        "/score-plays.js" => "pages/score-plays.js",
        "/score-queue.js" => "pages/score-queue.js",
        "/score-undo.js" => "pages/score-undo.js",
        "/play-editor.js" => "pages/play-editor.js",
        "/player.js" => "pages/player.js",
        "/join.js" => "pages/join.js",
        "/rules.js" => "pages/rules.js",
        "/field.js" => "pages/field.js",
        "/words.js" => "pages/words.js",
        "/signed-in.js" => "pages/signed-in.js",
        "/score-form.js" => "pages/score-form.js",
    };
    let shared = Shared { service: service.clone(), live: live.clone() };
    let api = Api::new(shared);
    let api = scoring::routes(games::routes(teams::routes(users::routes(api))));
    let purge = Job::every("remove-members-of-deleted-teams", DAY, move |run| {
        service.clone().purge_job(run)
    });
    Opened::new(api).pages(pages).live(&live).job(purge.leased(PURGE_LEASE))
}

#[derive(Deserialize, JsonSchema)]
struct OfTeam {
    /// The id of the team.
    team: crate::design::TeamId,
}

#[derive(Deserialize, JsonSchema)]
struct OfGame {
    /// The id of the game.
    game: crate::design::GameId,
}

/// A season, to leave out the others.
#[derive(Deserialize, JsonSchema)]
struct OfSeason {
    /// Only this season.
    #[schemars(length(min = 1, max = 160))]
    season: Option<String>,
}

/// What every route of a team may answer.
fn of_team(route: Route<Shared>) -> Route<Shared> {
    route
        .problems([Error::TeamNotFound, Error::MembershipInactive, Error::TeamDeleted])
        .problems([&INVALID])
}

/// What every route of a game may answer.
fn of_game(route: Route<Shared>) -> Route<Shared> {
    route
        .problems([Error::GameNotFound, Error::MembershipInactive, Error::TeamDeleted])
        .problems([&INVALID])
}

/// What every change of a game may answer.
fn of_revision(route: Route<Shared>) -> Route<Shared> {
    of_game(route).problems([Error::GameMovedOn, Error::WrongStatus])
}

/// Refuses to repeat an answer to those who may no longer manage the team.
async fn check_manager(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfTeam>,
) -> Result<NoContent, Error> {
    shared.service.check_member(&caller, &of.team, Role::Manager).await.map(|()| NoContent)
}

/// Refuses to repeat an answer to those who may no longer score the game.
async fn check_scorekeeper(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
) -> Result<NoContent, Error> {
    shared.service.check_game(&caller, &of.game, Role::Scorekeeper).await.map(|()| NoContent)
}
