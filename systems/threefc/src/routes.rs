//! HTTP: each function calls the service for one request. The table of a module's routes comes first.
//!
//! Writes take an Idempotency-Key, except those whose repetition changes nothing: a goal has a marker
//! with its event id, and a change to the values that are stored already writes nothing.
//! `replay_if` names the permission that the repetition of an answer needs.

mod game;
mod league;
mod season;

use crate::design::{GameId, LeagueId, PlayerId, SeasonId, SessionId, ThreeFc};
use crate::error::{Error, Result};
use crate::service::Service;
use crate::{demo, live};
use singlet_web::prelude::*;
use std::ops::Deref;

#[derive(Clone)]
struct Shared {
    service: Service,
    live: Live,
}

impl Deref for Shared {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

type App = State<Shared>;
type Reply<T> = Result<Json<T>>;
type OfLeague = Path<LeagueId>;
type OfSeason = Path<SeasonId>;
type OfSession = Path<SessionId>;
type OfGame = Path<GameId>;
type OfPlayer = Path<PlayerId>;
type Done = Result<NoContent>;

pub fn system() -> System {
    System::new(
        "threefc",
        "3FC",
        "Leagues of three-sided football: live scores, standings and leaderboards.",
    )
    .design::<ThreeFc>()
    .accepts(crate::design::accepted())
    .problems::<Error>()
    .personas(&demo::PERSONAS)
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
        "/leagues/{league}" => "pages/league.html",
        "/leagues/{league}/admin" => "pages/admin.html",
        "/seasons/{season}" => "pages/season.html",
        "/games/{game}" => "pages/game.html",
        "/games/{game}/score" => "pages/score.html",
        "/join/{league}" => "pages/join.html",
        "/threefc.css" => "pages/threefc.css",
        "/index.js" => "pages/index.js",
        "/league.js" => "pages/league.js",
        "/season.js" => "pages/season.js",
        "/game.js" => "pages/game.js",
        "/score.js" => "pages/score.js",
        "/score-sheets.js" => "pages/score-sheets.js",
        "/goal-form.js" => "pages/goal-form.js",
        "/outbox.js" => "pages/outbox.js",
        "/admin.js" => "pages/admin.js",
        "/admin-seasons.js" => "pages/admin-seasons.js",
        "/admin-games.js" => "pages/admin-games.js",
        "/admin-people.js" => "pages/admin-people.js",
        "/join.js" => "pages/join.js",
        "/api.js" => "pages/api.js",
        "/clock.js" => "pages/clock.js",
        "/follow.js" => "pages/follow.js",
        "/forms.js" => "pages/forms.js",
        "/game-parts.js" => "pages/game-parts.js",
        "/game-state.js" => "pages/game-state.js",
        "/history.js" => "pages/history.js",
        "/teams.js" => "pages/teams.js",
    };
    let api = Api::new(Shared { service, live: live.clone() })
        .path_ids([
            ("league", "The id of the league.", Error::LeagueNotFound),
            ("season", "The id of the season.", Error::SeasonNotFound),
            ("session", "The id of the session.", Error::SessionNotFound),
            ("game", "The id of the game.", Error::GameNotFound),
            ("team", "The id of the team.", Error::TeamNotFound),
            ("player", "The id of the player.", Error::PlayerNotFound),
            ("event", "The event id of the goal.", Error::GoalNotFound),
            ("user", "The id of the user.", Error::GrantNotFound),
            ("hash", "The hash of the invitation's code.", Error::InviteNotFound),
        ])
        .keyed_writes();
    let api = game::routes(season::routes(league::routes(api)));
    Opened::new(api).pages(pages).live(&live)
}

/// All of a list that is not read in parts.
fn whole<T, U: From<T>>(items: Vec<T>) -> Json<Page<U>> {
    Json(Page { items, next: None }.map(U::from))
}
