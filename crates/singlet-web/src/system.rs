//! A system as one value.
//!
//! A [`System`] is declared first and opened on its [`Resources`] when the server starts
//! ([`Opened`]), so systems can be listed, checked and given demo data before they run.

mod error;
mod persona;
mod resources;
mod tables;

pub use error::OpenError;
pub(crate) use error::in_full;
pub use persona::Persona;
pub use resources::Resources;
pub(crate) use tables::check_table_names;

use crate::api::Api;
use crate::demo::{Demo, DemoError};
use crate::job::Job;
use crate::live::Live;
use crate::page::Asset;
use crate::problem::{ApiError, ProblemType};
use axum::Router;
use resources::Design;
use singlet::Declaration;
use singlet::backend::BoxFuture;
use singlet::design::Acceptance;
use std::future::Future;

type Load = dyn Fn(Resources, Demo) -> BoxFuture<'static, Result<(), DemoError>> + Send + Sync;
type Open = dyn Fn(Resources) -> BoxFuture<'static, Result<Opened, OpenError>> + Send + Sync;

/// The declaration of a system. Its crate has one function that returns it.
///
/// ```
/// use singlet_web::api::{Api, Json, get};
/// use singlet_web::{Opened, System};
///
/// async fn hello() -> Json<&'static str> {
///     Json("hello")
/// }
///
/// pub fn system() -> System {
///     System::new("hello", "Hello", "Says hello.").open(async |_| {
///         let greet = get("/greeting", hello).describe("greet", "Says hello.");
///         Ok(Opened::new(Api::new(()).route(greet)))
///     })
/// }
/// # assert_eq!(system().name(), "hello");
/// ```
pub struct System {
    pub(crate) info: SystemInfo,
    pub(crate) designs: Vec<Design>,
    accepted: Vec<Acceptance>,
    pub(crate) personas: &'static [Persona],
    pub(crate) open: Box<Open>,
    pub(crate) demo: Option<Box<Load>>,
}

/// Display information about a system.
#[derive(Clone, Debug)]
pub(crate) struct SystemInfo {
    /// The path prefix.
    pub(crate) name: &'static str,
    /// The display name.
    pub(crate) title: &'static str,
    /// A one-sentence description.
    pub(crate) description: &'static str,
    /// Declared problem types.
    pub(crate) problems: Vec<&'static ProblemType>,
}

/// The system that answered, as a response extension for metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnsweredBy(pub(crate) &'static str);

impl System {
    /// A system served under `/{name}`.
    ///
    /// # Panics
    ///
    /// If the name has characters other than lower-case letters, digits and `-`.
    #[must_use]
    pub fn new(name: &'static str, title: &'static str, description: &'static str) -> Self {
        let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        assert!(
            !name.is_empty() && name.bytes().all(is_allowed),
            "the name of a system has lower-case letters, digits and '-', not {name:?}"
        );
        Self {
            info: SystemInfo { name, title, description, problems: Vec::new() },
            designs: Vec::new(),
            accepted: Vec::new(),
            personas: &[],
            open: Box::new(|_| Box::pin(async { Ok(Opened::from(Router::new())) })),
            demo: None,
        }
    }

    /// Declares tables. [`Resources::database`] only opens declared designs.
    #[must_use]
    pub fn design<D: Declaration>(mut self) -> Self {
        self.designs.push(Design::of::<D>());
        self
    }

    /// Accepts findings of `singlet check` in the declared designs.
    #[must_use]
    pub fn accepts(mut self, accepted: impl IntoIterator<Item = Acceptance>) -> Self {
        self.accepted.extend(accepted);
        self
    }

    /// Lists the problem types of an error type on `/problems`.
    #[must_use]
    pub fn problems<E: ApiError>(self) -> Self {
        self.problem_types(E::TYPES)
    }

    /// Lists these problem types on `/problems`.
    #[must_use]
    pub fn problem_types(mut self, types: &'static [&'static ProblemType]) -> Self {
        self.info.problems.extend(types);
        self
    }

    /// Personas of the demo data, for local sign-in and tests.
    #[must_use]
    pub fn personas(mut self, personas: &'static [Persona]) -> Self {
        self.personas = personas;
        self
    }

    /// Sets the function that opens the system, called once at startup.
    #[must_use]
    pub fn open<F>(mut self, open: impl Fn(Resources) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Opened, OpenError>> + Send + 'static,
    {
        self.open = Box::new(move |resources| Box::pin(open(resources)));
        self
    }

    /// Sets the loader that fills an empty store through the services.
    #[must_use]
    pub fn demo<F>(mut self, load: impl Fn(Resources, Demo) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), DemoError>> + Send + 'static,
    {
        self.demo = Some(Box::new(move |resources, demo| Box::pin(load(resources, demo))));
        self
    }

    /// The declared designs and accepted findings, merged into one.
    #[must_use]
    pub fn declared(&self) -> singlet::design::Design {
        let mut all = singlet::design::Design::new(self.info.name);
        all.description = Some(self.info.description.to_owned());
        for design in &self.designs {
            let design = (design.declared)();
            all.tables.extend(design.tables);
            all.patterns.extend(design.patterns);
        }
        all.accepted.clone_from(&self.accepted);
        all
    }

    /// The name, which prefixes all paths.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.info.name
    }
}

/// A running system, returned by [`System::open`].
pub struct Opened {
    pub(crate) router: Box<dyn FnOnce(&SystemInfo) -> Router + Send>,
    pub(crate) pages: Vec<Asset>,
    pub(crate) lives: Vec<Live>,
    pub(crate) jobs: Vec<Job>,
}

impl Opened {
    /// A system with these routes.
    #[must_use]
    pub fn new<S: Clone + Send + Sync + 'static>(api: Api<S>) -> Self {
        let router = |info: &SystemInfo| {
            api.named(info.name, info.description).problems(&info.problems).into_router()
        };
        Self::with_router(router)
    }

    fn with_router(router: impl FnOnce(&SystemInfo) -> Router + Send + 'static) -> Self {
        Self { router: Box::new(router), pages: Vec::new(), lives: Vec::new(), jobs: Vec::new() }
    }

    /// Adds pages: HTML, CSS, ES modules (see [`assets!`](crate::assets)).
    #[must_use]
    pub fn pages(mut self, pages: Vec<Asset>) -> Self {
        self.pages.extend(pages);
        self
    }

    /// Runs this feed until the server stops.
    #[must_use]
    pub fn live(mut self, live: &Live) -> Self {
        self.lives.push(live.clone());
        self
    }

    /// Runs this job until the server stops.
    #[must_use]
    pub fn job(mut self, job: Job) -> Self {
        self.jobs.push(job);
        self
    }
}

/// Plain axum routes without an OpenAPI document: for server tests, and for what OpenAPI cannot
/// describe.
impl From<Router> for Opened {
    fn from(router: Router) -> Self {
        Self::with_router(|_| router)
    }
}

impl<S: Clone + Send + Sync + 'static> From<Api<S>> for Opened {
    fn from(api: Api<S>) -> Self {
        Self::new(api)
    }
}
