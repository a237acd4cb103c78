//! All systems, opened and ready to be served.

use super::not_found::NotFound;
use super::status::{self, Status};
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
use crate::problem;
use crate::random::Random;
use crate::store::Store;
use crate::system::{
    AnsweredBy, OpenError, Opened, Resources, System, SystemInfo, check_table_names,
};
use axum::Router;
use axum::extract::Request;
use axum::http::header::{HeaderValue, LOCATION};
use axum::middleware::map_response;
use axum::response::{Redirect, Response};
use axum::routing::get;
use singlet::Db;
use singlet_console::Console;
use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

/// Path prefixes of the server itself.
const RESERVED_NAMES: &[&str] = &["assets", "console", "jobs", "metrics", "problems"];

/// Options for opening systems.
#[non_exhaustive]
pub struct SiteOptions {
    /// Whether demo data is loaded.
    pub demo: DemoPolicy,
    /// The accepted token issuer.
    pub identity: IdentitySource,
    /// Where files are stored; in memory by default.
    pub blobs: Blobs,
    /// The source of randomness; the operating system by default.
    pub random: Random,
    /// Lines for the home page, such as where the data is.
    pub notes: Vec<String>,
    /// Enables the console at `/console`, for this machine only.
    pub console: Option<ConsoleOptions>,
    /// Whether jobs run; on by default. Turn them off on a server that leaves them to others, and
    /// in tests of what requests write.
    pub run_jobs: bool,
    /// Fails routes that return undeclared problem types: for tests.
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
            console: None,
            run_jobs: true,
            strict_problems: None,
        }
    }
}

/// Options of the console.
#[derive(Clone, Debug, Default)]
pub struct ConsoleOptions {
    /// Where the data is, for display: `in memory`, `folder ./data`.
    pub place: String,
    /// Whether the home page links to it. Only useful if all visitors are on this machine.
    pub is_linked: bool,
    /// The DynamoDB endpoint with the same data, for requests copied as commands.
    pub endpoint: Option<String>,
}

/// The accepted token issuer.
#[derive(Default)]
#[non_exhaustive]
pub enum IdentitySource {
    /// No tokens are accepted.
    #[default]
    None,
    /// Tokens of an issuer.
    Issuer(Identity),
    /// Tokens of the local issuer, which lets anyone sign in as any persona. Adds the sign-in page.
    /// Only for a server on loopback that stores its data itself.
    Local(LocalIssuer),
}

/// Opened systems, ready to be [served](super::Server::serve).
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
    /// If two systems share a name, or a system cannot be opened.
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
        check_table_names(&systems, store.settings())?;
        let has_console = options.console.as_ref().is_some_and(|about| about.is_linked);
        let console = options.console.map(|about| console(about, &systems, &store));
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
        let pages = home::pages(&infos, &options.notes, has_console);
        let not_found = NotFound::new(&infos);
        let status = Status::new(&kit.metrics, &kit.jobs, lives.clone());
        let router = router
            .merge(page::router(page::shared().into_iter().chain(pages)))
            .merge(status::for_this_machine(console.unwrap_or_default()))
            .merge(status.into_router())
            .fallback(move |request: Request| ready(not_found.answer(&request)))
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

/// The console for all tables of the store, with the systems' designs.
fn console(about: ConsoleOptions, systems: &[System], store: &Store) -> Router {
    let designs = systems.iter().filter(|system| !system.designs.is_empty()).map(System::declared);
    let console = Console::new(store.backend(), about.place).with_designs(designs);
    match about.endpoint {
        Some(url) => console.with_endpoint(url).router(),
        None => console.router(),
    }
}

/// A lease owner name, unique per start.
fn new_owner() -> Result<String, OpenError> {
    // Not from scripted numbers: several servers of one test need different names.
    Random::new().uuid_v4().map_err(|_| OpenError::Random)
}

fn check_names(systems: &[System]) -> Result<(), OpenError> {
    let mut names: BTreeSet<&str> = RESERVED_NAMES.iter().copied().collect();
    match systems.iter().find(|system| !names.insert(system.info.name)) {
        Some(second) => Err(OpenError::DuplicateName(second.info.name)),
        None => Ok(()),
    }
}

/// Adds the routes and pages of a system under its name.
fn mount(router: Router, info: &SystemInfo, opened: Opened, sign_in: Option<&str>) -> Router {
    let (name, path) = (info.name, format!("/{}", info.name));
    let pages = opened.pages.into_iter();
    let pages = pages.map(|asset| page::fill(asset, name, info.title, sign_in));
    let problems: Arc<[_]> = info.problems.clone().into();
    let of_system = (opened.router)(info).merge(page::router(pages)).layer(map_response(
        move |mut response: Response| {
            response.extensions_mut().insert(AnsweredBy(name));
            problem::qualify(&mut response, name, &problems);
            ready(with_full_location(name, response))
        },
    ));
    // A trailing slash redirects to the system's page.
    let without_slash = Redirect::permanent(&path);
    router.route(&format!("{path}/"), get(async move || without_slash)).nest(&path, of_system)
}

/// Systems do not know their path prefix.
fn with_full_location(name: &str, mut response: Response) -> Response {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let path = location.filter(|path| path.starts_with('/') && !path.starts_with("//"));
    if let Some(full) = path.and_then(|path| HeaderValue::try_from(format!("/{name}{path}")).ok()) {
        response.headers_mut().insert(LOCATION, full);
    }
    response
}
