//! All systems, opened and ready to be served.

use super::status::Status;
use super::{exchange, home};
use crate::Web;
use crate::api::StrictProblems;
use crate::blob::Blobs;
use crate::cursors;
use crate::demo::{self, DemoPolicy};
use crate::idempotency::Idempotency;
use crate::identity::{Identity, LocalIssuer};
use crate::job::{JobStatuses, Leases, Runner};
use crate::live::Live;
use crate::metrics::Metrics;
use crate::outbound;
use crate::page;
use crate::random::Random;
use crate::store::Store;
use crate::system::{AnsweredBy, OpenError, Opened, Resources, System, SystemInfo};
use axum::Router;
use axum::http::header::{HeaderValue, LOCATION};
use axum::middleware::map_response;
use axum::response::{Redirect, Response};
use axum::routing::get;
use singlet::Db;
use std::collections::BTreeSet;

/// First parts of paths that are the server's own.
const RESERVED_NAMES: &[&str] = &["assets", "jobs", "metrics", "problems"];

/// What can be chosen when systems are opened.
#[non_exhaustive]
pub struct SiteOptions {
    /// Whether demo data is loaded.
    pub demo: DemoPolicy,
    /// Whose tokens are accepted.
    pub identity: IdentitySource,
    /// Where files are kept. In memory unless set.
    pub blobs: Blobs,
    /// Where random numbers come from. The operating system unless set.
    pub random: Random,
    /// Lines for the first page, such as where the data is.
    pub notes: Vec<String>,
    /// Whether the systems' jobs run. They do unless set otherwise: for a server that leaves them to
    /// others, and for tests that look at what requests write.
    pub run_jobs: bool,
    /// Makes routes fail that answer with problem types which they do not declare: for tests.
    pub strict_problems: Option<StrictProblems>,
}

impl Default for SiteOptions {
    fn default() -> Self {
        Self {
            demo: DemoPolicy::default(),
            identity: IdentitySource::default(),
            blobs: Blobs::memory(),
            random: Random::new(),
            notes: Vec::new(),
            run_jobs: true,
            strict_problems: None,
        }
    }
}

/// Whose tokens are accepted.
#[derive(Default)]
#[non_exhaustive]
pub enum IdentitySource {
    /// Nobody's: nobody can sign in.
    #[default]
    None,
    /// Those of an issuer.
    Issuer(Identity),
    /// Those of the local issuer, which signs in everybody as anybody. Adds the sign-in page with
    /// the personas of all systems. Only for a server on loopback that keeps its data itself.
    Local(LocalIssuer),
}

/// All systems, opened: ready to be [served](super::Server::serve).
pub struct Site {
    pub(super) router: Router,
    pub(super) identity: Option<Identity>,
    pub(super) idempotency: Idempotency,
    pub(super) strict_problems: Option<StrictProblems>,
    pub(super) metrics: Metrics,
    pub(super) lives: Vec<Live>,
    pub(super) jobs: Runner,
}

impl Site {
    /// Opens systems on a store.
    ///
    /// # Errors
    ///
    /// If two systems have one name, or a system cannot be opened.
    pub async fn open(
        mut systems: Vec<System>,
        store: Store,
        options: SiteOptions,
    ) -> Result<Self, OpenError> {
        let (identity, sign_in) = match options.identity {
            IdentitySource::None => (None, None),
            IdentitySource::Issuer(identity) => (Some(identity), None),
            IdentitySource::Local(local) => {
                let identity = Identity::local(&local);
                let personas = systems.iter().map(|system| (system.info.clone(), system.personas));
                let sign_in = local.into_system(personas.collect());
                systems.push(sign_in);
                (Some(identity), Some("/local"))
            }
        };
        check_names(&systems)?;
        let web: Db<Web> = store.open().await?;
        let store = match store.has_cursor_key() {
            true => store,
            false => store.with_cursor_key(cursors::shared_key(&web).await?),
        };
        let kit = Resources {
            system: "",
            designs: Vec::new().into(),
            leases: Leases::new(web.clone(), new_owner()?),
            random: options.random,
            http: outbound::Client::lazy(outbound::ClientOptions::default()),
            blobs: options.blobs,
            jobs: JobStatuses::new(),
            metrics: Metrics::default(),
            store,
            web,
        };
        let mut router = Router::new();
        let (mut lives, mut jobs) = (Vec::new(), Vec::new());
        for system in &systems {
            let (system_name, designs) = (system.info.name, system.designs.clone().into());
            let blobs = kit.blobs.of_system(system_name);
            let resources = Resources { system: system_name, designs, blobs, ..kit.clone() };
            if options.demo == DemoPolicy::IfEmpty {
                let loaded = demo::load(system, &resources).await;
                loaded.map_err(|error| OpenError::Demo { system: system_name, error })?;
            }
            let mut opened = (system.open)(resources).await?;
            lives.extend(opened.lives.drain(..).map(|live| (system_name, live)));
            if options.run_jobs {
                jobs.extend(opened.jobs.drain(..).map(|job| (system_name, job)));
            }
            router = mount(router, &system.info, opened, sign_in);
        }
        let infos: Vec<&SystemInfo> = systems.iter().map(|system| &system.info).collect();
        let pages = home::pages(&infos, &options.notes);
        let status = Status::new(&kit.metrics, &kit.jobs, lives.clone());
        let router = router
            .merge(page::router(page::shared().into_iter().chain(pages)))
            .route("/assets/qr.svg", get(page::qr::show))
            .merge(status.into_router())
            .fallback(exchange::not_found)
            .method_not_allowed_fallback(exchange::method_not_allowed);
        Ok(Self {
            router,
            identity,
            jobs: Runner::new(jobs, &kit.jobs, &kit.leases, kit.clock()),
            idempotency: Idempotency::new(kit.web),
            strict_problems: options.strict_problems,
            metrics: kit.metrics,
            lives: lives.into_iter().map(|(_, live)| live).collect(),
        })
    }
}

/// A name for this start of the server, by which it holds leases.
fn new_owner() -> Result<String, OpenError> {
    // Not of the scripted numbers of a test: several servers of one test are several owners.
    Random::new().uuid_v4().map_err(|_| OpenError::Random)
}

fn check_names(systems: &[System]) -> Result<(), OpenError> {
    let mut names: BTreeSet<&str> = RESERVED_NAMES.iter().copied().collect();
    match systems.iter().find(|system| !names.insert(system.info.name)) {
        Some(second) => Err(OpenError::DuplicateName(second.info.name)),
        None => Ok(()),
    }
}

/// Adds the routes and pages of one system, below its name.
fn mount(router: Router, info: &SystemInfo, opened: Opened, sign_in: Option<&str>) -> Router {
    let (name, path) = (info.name, format!("/{}", info.name));
    let pages = opened.pages.into_iter();
    let pages = pages.map(|asset| page::fill(asset, name, info.title, sign_in));
    let of_system = (opened.router)(info).merge(page::router(pages)).layer(map_response(
        async move |mut response: Response| {
            response.extensions_mut().insert(AnsweredBy(name));
            with_full_location(name, response)
        },
    ));
    // The page of a system is at its name; a slash behind it means the same.
    let without_slash = Redirect::permanent(&path);
    router.route(&format!("{path}/"), get(async move || without_slash)).nest(&path, of_system)
}

/// Systems do not know the path that they are below.
fn with_full_location(name: &str, mut response: Response) -> Response {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let path = location.filter(|path| path.starts_with('/') && !path.starts_with("//"));
    if let Some(full) = path.and_then(|path| HeaderValue::try_from(format!("/{name}{path}")).ok()) {
        response.headers_mut().insert(LOCATION, full);
    }
    response
}
