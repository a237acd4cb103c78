//! The routes, and the system as a whole.

mod admin;
mod leagues;
mod matches;
mod parameters;
mod teams;
mod user;

pub(crate) use matches::DisplayView;

use crate::demo;
use crate::design::Cricket;
use crate::error::Error;
use crate::jobs::Jobs;
use crate::live::Streams;
use crate::service::Service;
use singlet_web::api::Api;
use singlet_web::job::JobStatuses;
use singlet_web::{OpenError, Opened, Resources, System};

/// What routes work on.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) service: Service,
    pub(crate) jobs: Jobs,
    pub(crate) streams: Streams,
}

/// The system, for the list of the command `singlet`.
#[must_use]
pub fn system() -> System {
    System::new("cricket", "Cricket", "Live cricket scores, matches to follow, and pushes.")
        .design::<Cricket>()
        .problems::<Error>()
        .personas(demo::PERSONAS)
        .open(open)
        .demo(demo::load)
}

async fn open(resources: Resources) -> Result<Opened, OpenError> {
    let service = Service::new(resources.database().await?, resources.random().clone());
    let jobs = Jobs::open(&service, &resources)?;
    Ok(opened(service, jobs, resources.jobs()))
}

fn opened(service: Service, jobs: Jobs, statuses: &JobStatuses) -> Opened {
    let streams = Streams::new(&service, &jobs, statuses);
    let shared = Shared { service, jobs: jobs.clone(), streams: streams.clone() };
    let mut opened = Opened::new(api(shared)).pages(pages());
    for live in streams.all() {
        opened = opened.live(live);
    }
    for job in jobs.all().into_iter().chain(streams.jobs()) {
        opened = opened.job(job);
    }
    opened
}

fn api(shared: Shared) -> Api<Shared> {
    let api = Api::new(shared);
    let api = matches::add_to(api);
    let api = teams::add_to(api);
    let api = leagues::add_to(api);
    let api = user::add_to(api);
    admin::add_to(api)
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
