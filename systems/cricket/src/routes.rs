//! The routes, and the system as a whole.

mod admin;
mod leagues;
mod matches;
mod user;

pub(crate) use admin::ADMIN_GROUP;

use crate::demo;
use crate::design::{Cricket, MatchId};
use crate::error::Error;
use crate::jobs::Jobs;
use crate::live::Streams;
use crate::service::Service;
use singlet_web::prelude::*;

#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) service: Service,
    pub(crate) jobs: Jobs,
    pub(crate) streams: Streams,
}

type App = State<Shared>;
type OfMatch = Path<MatchId>;
type Answer<T> = Result<Json<T>, Error>;
type Done = Result<NoContent, Error>;

pub fn system() -> System {
    System::new("cricket", "Cricket", "Live cricket scores, matches to follow, and pushes.")
        .design::<Cricket>()
        .accepts(crate::design::accepted())
        .problems::<Error>()
        .personas(demo::PERSONAS)
        .open(open)
        .demo(demo::load)
}

async fn open(resources: Resources) -> Result<Opened, OpenError> {
    let service = Service::new(resources.database().await?, resources.random().clone());
    let live = service.fixtures.live().await.map_err(OpenError::system)?;
    let live: Vec<MatchId> = live.into_iter().map(|fixture| fixture.match_id).collect();
    service.processing.hydrate(Some(&live)).await.map_err(OpenError::system)?;
    let jobs = Jobs::open(&service, &resources)?;
    let streams = Streams::new(&service, &jobs, resources.jobs());
    let shared = Shared { service, jobs: jobs.clone(), streams: streams.clone() };
    let mut opened = Opened::new(api(shared)).pages(pages());
    for live in streams.all() {
        opened = opened.live(live);
    }
    for job in jobs.all().into_iter().chain(streams.jobs()) {
        opened = opened.job(job);
    }
    Ok(opened)
}

fn api(shared: Shared) -> Api<Shared> {
    let api = Api::new(shared).path_ids([
        ("match", "The id of the match.", Error::MatchNotFound),
        ("team", "The id of the team.", Error::TeamNotFound),
        ("league", "The id of the league.", Error::LeagueNotFound),
        ("season", "The id of the season.", Error::SeasonNotFound),
    ]);
    admin::routes(user::routes(leagues::routes(matches::routes(api))))
}

fn pages() -> Vec<singlet_web::page::Asset> {
    singlet_web::assets! {
        "/" => "pages/index.html",
        "/match/{id}" => "pages/index.html",
        "/pushes" => "pages/pushes.html",
        "/admin" => "pages/admin.html",
        "/cricket.css" => "pages/cricket.css",
        "/index.js" => "pages/index.js",
        "/match-list.js" => "pages/match-list.js",
        "/match-view.js" => "pages/match-view.js",
        "/follow.js" => "pages/follow.js",
        "/balls.js" => "pages/balls.js",
        "/scorecard.js" => "pages/scorecard.js",
        "/charts.js" => "pages/charts.js",
        "/pushes.js" => "pages/pushes.js",
        "/admin.js" => "pages/admin.js",
        "/replay.js" => "pages/replay.js",
        "/format.js" => "pages/format.js",
        "/nav.js" => "pages/nav.js",
    }
}
