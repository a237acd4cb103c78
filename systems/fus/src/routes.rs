//! HTTP: each handler parses a request, calls the service and maps its answer.

mod bodies;
mod people;
mod sites;
mod squash;
mod upload;

use crate::demo;
use crate::design::{Fus, TaskId};
use crate::error::Error;
use crate::service::Service;
use singlet_web::api::Api;
use singlet_web::demo::Demo;
use singlet_web::job::{Job, JobRun};
use singlet_web::page::Asset;
use singlet_web::{OpenError, Opened, Resources, System};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Who continues a deletion after its first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionMode {
    /// The server, as soon as the request is answered; the job if the server dies before the end.
    Background,
    /// The job alone: for tests that look at what a request itself has written.
    JobOnly,
}

/// What the routes work on.
#[derive(Clone)]
struct Shared {
    service: Service,
    deletions: DeletionMode,
}

impl Shared {
    /// Runs a task while the client has its answer already.
    fn run_in_background(&self, task: TaskId) {
        if self.deletions == DeletionMode::JobOnly {
            return;
        }
        let service = self.service.clone();
        tokio::spawn(async move {
            if let Err(error) = service.run_task(&task).await {
                tracing::warn!(%task, %error, "the job goes on with a task");
            }
        });
    }
}

/// The system, for the list of the command `singlet`.
#[must_use]
pub fn system() -> System {
    system_with(DeletionMode::Background)
}

/// The system, with another way to continue deletions.
#[must_use]
pub fn system_with(deletions: DeletionMode) -> System {
    System::new("fus", "FUS", "A catalogue of sites with ratings and comments, and a squash club.")
        .design::<Fus>()
        .problems::<Error>()
        .personas(&demo::PERSONAS)
        .open(move |resources: Resources| async move {
            let service = open_service(&resources).await?;
            service.ensure_squash().await.map_err(OpenError::system)?;
            Ok(opened(service, deletions))
        })
        .demo(async |resources: Resources, demo: Demo| {
            demo::load(&open_service(&resources).await?, demo).await
        })
}

async fn open_service(resources: &Resources) -> Result<Service, OpenError> {
    let (random, blobs) = (resources.random().clone(), resources.blobs().clone());
    Ok(Service::new(resources.database().await?, random, blobs))
}

fn opened(service: Service, deletions: DeletionMode) -> Opened {
    let (finish, tags, images) = (service.clone(), service.clone(), service.clone());
    let finish = Job::every("finish-tasks", MINUTE / 2, move |run: JobRun| {
        let service = finish.clone();
        async move { service.finish_tasks(&run).await }
    });
    let tags = Job::every("forget-tags", DAY, move |run: JobRun| {
        let service = tags.clone();
        async move { service.forget_tags(&run).await }
    });
    let images = Job::every("forget-images", DAY, move |run: JobRun| {
        let service = images.clone();
        async move { service.forget_images(&run).await }
    });
    let shared = Shared { service, deletions };
    let api = Api::new(shared);
    let api = squash::routes(people::routes(sites::routes(api)));
    Opened::new(api)
        .pages(pages())
        .job(finish.leased(MINUTE))
        .job(tags.leased(MINUTE))
        .job(images.leased(MINUTE))
}

fn pages() -> Vec<Asset> {
    singlet_web::assets! {
        "/" => "pages/index.html",
        "/site/{id}" => "pages/index.html",
        "/new" => "pages/edit.html",
        "/edit/{id}" => "pages/edit.html",
        "/me" => "pages/me.html",
        "/groups" => "pages/groups.html",
        "/squash" => "pages/squash.html",
        "/squash/enter" => "pages/enter.html",
        "/squash/standings" => "pages/standings.html",
        "/squash/players" => "pages/players.html",
        "/fus.css" => "pages/fus.css",
        "/index.js" => "pages/index.js",
        "/edit.js" => "pages/edit.js",
        "/me.js" => "pages/me.js",
        "/groups.js" => "pages/groups.js",
        "/squash.js" => "pages/squash.js",
        "/enter.js" => "pages/enter.js",
        "/standings.js" => "pages/standings.js",
        "/players.js" => "pages/players.js",
        "/account.js" => "pages/account.js",
        "/club.js" => "pages/club.js",
        "/combobox.js" => "pages/combobox.js",
        "/comments.js" => "pages/comments.js",
        "/form-chart.js" => "pages/form-chart.js",
        "/format.js" => "pages/format.js",
        "/menu.js" => "pages/menu.js",
        "/person.js" => "pages/person.js",
        "/rating.js" => "pages/rating.js",
        "/site-view.js" => "pages/site-view.js",
        "/stars.js" => "pages/stars.js",
        "/tags.js" => "pages/tags.js",
    }
}
