//! An HTTP interface that is declared once.
//!
//! A route is a method, a path and an async function. What the function takes and returns is
//! what the route takes and returns: [`Body`], [`Path`], [`Query`], [`Paging`], [`IfMatch`] and
//! [`RawBody`] on the way in, [`Json`], [`Versioned`], [`Created`] and [`NoContent`] on the way out,
//! an [`ApiError`](crate::problem::ApiError) when it is refused. From the signatures come the
//! router, the checks, the OpenAPI document and the page that shows it; so none of them can
//! disagree with the code, and no route can be missing.
//!
//! ```
//! use axum::extract::State;
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use singlet_web::api::{Json, Api, Body, post};
//! use singlet_web::problem::Problem;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Throw {
//!     #[schemars(range(min = 1, max = 100))]
//!     dice: u32,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Thrown {
//!     eyes: u32,
//! }
//!
//! async fn throw(State(luck): State<u32>, body: Body<Throw>) -> Result<Json<Thrown>, Problem> {
//!     Ok(Json(Thrown { eyes: body.dice * luck }))
//! }
//!
//! let api = Api::new(6)
//!     .route(post("/throws", throw).describe("throwDice", "Throws some dice."));
//! assert_eq!(api.document()["paths"]["/throws"]["post"]["operationId"], "throwDice");
//! ```

mod argument;
mod change;
mod description;
mod document;
mod event_id;
mod operation;
mod page;
mod paging;
mod raw;
mod reply;
mod route;
mod signature;
mod version;

pub(crate) use argument::read_body;
pub use argument::{Argument, Body, Path, Query};
pub use change::Change;
pub use document::unused_problems;
pub use event_id::LastEventId;
pub use operation::{Credential, Operation, Scheme};
pub use paging::{Page, Paging};
pub use raw::{RawBody, RawKind};
pub(crate) use raw::{reserve_early, room};
pub use reply::{Created, CreatedOrFound, Json, NoContent, Reply};
pub(crate) use route::{DeclaredProblems, is_declared_header};
pub use route::{OperationId, Route, StrictProblems, delete, get, patch, post, put};
pub use signature::Signature;
pub use version::{IfMatch, Versioned};

use crate::problem::ProblemType;
use axum::Router;
use document::Document;
use operation::Described;
use schemars::SchemaGenerator;
use serde_json::Value;

/// The routes of one system, with what they work on.
pub struct Api<S> {
    name: &'static str,
    state: S,
    routes: Vec<(Route<S>, Described)>,
    schemas: SchemaGenerator,
    document: Document,
}

impl<S: Clone + Send + Sync + 'static> Api<S> {
    /// An interface without routes.
    pub fn new(state: S) -> Self {
        Self {
            name: "",
            state,
            routes: Vec::new(),
            schemas: document::generator(),
            document: Document::default(),
        }
    }

    /// Sets the system's name, which is the first part of all its paths, and what the system is. A
    /// [`System`](crate::System) does this.
    #[must_use]
    pub fn named(mut self, name: &'static str, description: &str) -> Self {
        self.name = name;
        self.document.set_name(name, description);
        self
    }

    /// Adds a route.
    ///
    /// # Panics
    ///
    /// If the route has no name or no description, if its name is taken, or if the path and the
    /// function do not name the same parameters: mistakes of the program, found when it starts.
    #[must_use]
    pub fn route(mut self, route: Route<S>) -> Self {
        let operation = route.operation(&mut self.schemas);
        self.document.add(&route, &operation);
        let described = operation.into_described();
        self.routes.push((route, described));
        self
    }

    /// Explains problem types on the page, in the order of the calls.
    #[must_use]
    pub fn problems(mut self, types: &[&'static ProblemType]) -> Self {
        for problem_type in types {
            self.document.add_problem(problem_type);
        }
        self
    }

    /// The OpenAPI document.
    #[must_use]
    pub fn document(&self) -> Value {
        self.document.finish(&self.schemas)
    }

    /// The router: all routes, and two more that tell about them, `/openapi.json` and `/api`.
    pub fn into_router(self) -> Router {
        let document = self.document();
        let mut router = Router::new();
        for (route, described) in self.routes {
            let path = route.path;
            router = router.route(path, route.into_handler(self.name, &self.state, described));
        }
        router.with_state(self.state).merge(page::router(self.name, &document))
    }
}
