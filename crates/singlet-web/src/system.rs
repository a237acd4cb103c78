//! A system: everything that the server has to know about it, as one value.
//!
//! A system is declared first ([`System`]) and opened on its [`Resources`] when the server starts
//! ([`Opened`]). So a list of systems can be shown, checked and given demo data before any of them
//! runs.

mod error;
mod persona;
mod resources;

pub use error::OpenError;
pub(crate) use error::in_full;
pub use persona::Persona;
pub use resources::Resources;

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
use std::future::Future;

type Load = dyn Fn(Resources, Demo) -> BoxFuture<'static, Result<(), DemoError>> + Send + Sync;
type Open = dyn Fn(Resources) -> BoxFuture<'static, Result<Opened, OpenError>> + Send + Sync;

/// A system: everything that the server has to know about it. Its crate has one function that
/// returns it.
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
    pub(crate) personas: &'static [Persona],
    pub(crate) open: Box<Open>,
    pub(crate) demo: Option<Box<Load>>,
}

/// What pages say about a system.
#[derive(Clone, Debug)]
pub(crate) struct SystemInfo {
    /// The first part of all its paths.
    pub(crate) name: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// What it is, in a sentence.
    pub(crate) description: &'static str,
    /// The problems that it declares.
    pub(crate) problems: Vec<&'static ProblemType>,
}

/// The system that has answered. In the extensions of responses, for counting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnsweredBy(pub(crate) &'static str);

impl System {
    /// A system that is served below `/{name}`.
    ///
    /// # Panics
    ///
    /// If the name is not made of lower-case letters, digits and `-`.
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
            personas: &[],
            open: Box::new(|_| Box::pin(async { Ok(Opened::from(Router::new())) })),
            demo: None,
        }
    }

    /// Declares the tables. [`Resources::database`] opens only declared designs.
    #[must_use]
    pub fn design<D: Declaration>(mut self) -> Self {
        self.designs.push(Design::of::<D>());
        self
    }

    /// Lists the problem types of an error on `/problems`.
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

    /// People of the demo data, for the local sign-in page and for tests.
    #[must_use]
    pub fn personas(mut self, personas: &'static [Persona]) -> Self {
        self.personas = personas;
        self
    }

    /// Opens the system on its resources. Called once when the server starts.
    #[must_use]
    pub fn open<F>(mut self, open: impl Fn(Resources) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Opened, OpenError>> + Send + 'static,
    {
        self.open = Box::new(move |resources| Box::pin(open(resources)));
        self
    }

    /// Fills an empty store, through the services.
    #[must_use]
    pub fn demo<F>(mut self, load: impl Fn(Resources, Demo) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), DemoError>> + Send + 'static,
    {
        self.demo = Some(Box::new(move |resources, demo| Box::pin(load(resources, demo))));
        self
    }

    /// The first part of all its paths.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.info.name
    }
}

/// A running system: what [`System::open`] returns.
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

    /// Has the server follow the changes that this pushes, until it stops.
    #[must_use]
    pub fn live(mut self, live: &Live) -> Self {
        self.lives.push(live.clone());
        self
    }

    /// Has the server run this job, until it stops.
    #[must_use]
    pub fn job(mut self, job: Job) -> Self {
        self.jobs.push(job);
        self
    }
}

/// Routes of axum without a document: for tests of the server, and for what OpenAPI cannot say.
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
