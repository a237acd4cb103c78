//! HTTP: each handler parses a request, calls the service and maps its answer.

mod people;
mod sites;
mod squash;
mod upload;

use crate::demo;
use crate::design::{CommentId, Fus, GroupName, MatchId, PlayerId, SiteId, UserId};
use crate::error::{Error, Result};
use crate::service::{DeletionMode, Service};
use singlet_web::page::Asset;
use singlet_web::prelude::*;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3600);

type App = State<Service>;
type OfSite = Path<SiteId>;
type OfComment = Path<(SiteId, CommentId)>;
type OfGroup = Path<GroupName>;
type OfMember = Path<(GroupName, UserId)>;
type OfUser = Path<UserId>;
type OfPlayer = Path<PlayerId>;
type OfMatch = Path<MatchId>;
type Answer<T> = Result<Json<T>>;
type Current<T> = Result<Versioned<T>>;
type Done = Result<NoContent>;

fn versioned<T>(version: u64, value: T) -> Versioned<T> {
    Versioned { version, value }
}

pub fn system() -> System {
    system_with(DeletionMode::Background)
}

/// The system, with another way to continue deletions.
pub fn system_with(deletions: DeletionMode) -> System {
    System::new("fus", "FUS", "A catalogue of sites with ratings and comments, and a squash club.")
        .design::<Fus>()
        .accepts(crate::design::accepted())
        .problems::<Error>()
        .personas(&demo::PERSONAS)
        .open(move |resources: Resources| async move {
            let service = open_service(&resources).await?.with_deletions(deletions);
            service.ensure_squash().await.map_err(OpenError::system)?;
            Ok(opened(&service))
        })
        .demo(async |resources: Resources, demo: Demo| {
            demo::load(&open_service(&resources).await?, demo).await
        })
}

async fn open_service(resources: &Resources) -> Result<Service, OpenError> {
    let (random, blobs) = (resources.random().clone(), resources.blobs().clone());
    Ok(Service::new(resources.database().await?, random, blobs))
}

fn opened(service: &Service) -> Opened {
    let [finish, tags, images] = [(); 3].map(|()| service.clone());
    let finish =
        Job::every("finish-tasks", MINUTE / 2, move |run| finish.clone().finish_tasks(run));
    let tags = Job::every("forget-tags", DAY, move |run| tags.clone().forget_tags(run));
    let images = Job::every("forget-images", DAY, move |run| images.clone().forget_images(run));
    let api = Api::new(service.clone()).path_ids([
        ("siteId", "The id of the site.", Error::SiteNotFound),
        ("commentId", "The id of the comment.", Error::CommentNotFound),
        ("name", "The name of the group.", Error::GroupNotFound),
        ("userId", "The id of the user.", Error::UserNotFound),
        ("file", "The name of the file.", Error::ImageNotFound),
        ("playerId", "The id of the player.", Error::PlayerNotFound),
        ("matchId", "The id of the match.", Error::MatchNotFound),
    ]);
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
