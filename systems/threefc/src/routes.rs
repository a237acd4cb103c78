//! HTTP: every function takes a request apart, calls the service, and shows what it says.

mod api;
mod game;
mod league;
mod season;

use crate::demo;
use crate::design::ThreeFc;
use crate::error::Error;
use crate::live;
use crate::service::Service;
use crate::text::parse_reference;
use singlet_web::demo::Demo;
use singlet_web::live::Live;
use singlet_web::problem::{NOT_FOUND, Problem};
use singlet_web::{OpenError, Opened, Resources, System};
use std::str::FromStr;

/// The state that the routes share.
#[derive(Clone)]
struct Shared {
    service: Service,
    live: Live,
}

/// The system.
#[must_use]
pub fn system() -> System {
    System::new(
        "threefc",
        "3FC",
        "Leagues of three-sided football: live scores, standings and leaderboards.",
    )
    .design::<ThreeFc>()
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
    let api = api::api(Shared { service, live: live.clone() });
    Opened::new(api).pages(pages).live(&live)
}

/// An id in a path. A malformed one gets the same 404 as an unknown one.
fn id_of<I: FromStr>(text: &str, missing: Error) -> Result<I, Error> {
    parse_reference(text, missing)
}

/// The number of a third in a path.
fn third_of(text: &str) -> Result<u8, Error> {
    match text {
        "1" => Ok(1),
        "2" => Ok(2),
        "3" => Ok(3),
        _ => Err(Problem::new(&NOT_FOUND).into()),
    }
}

/// Declares what is in a path.
macro_rules! paths {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$field_attribute:meta])* $field:ident),+ $(,)? })+) => {
        $(
            $(#[$attribute])*
            #[derive(serde::Deserialize, schemars::JsonSchema)]
            pub(super) struct $name {
                $($(#[$field_attribute])* pub(super) $field: String),+
            }
        )+
    };
}
use paths;
