//! An HTTP interface that is declared once.
//!
//! A route is a method, a path and an async function. What the function takes and returns is
//! what the route takes and returns: [`Body`], [`Path`] and [`Query`] on the way in, [`Json`],
//! [`Created`] and [`NoContent`] on the way out, [`Problem`](crate::problem::Problem) when it is
//! refused. From the signatures come the router, the checks, the OpenAPI document and the page
//! that shows it; so none of them can disagree with the code, and no route can be missing.
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
//! let api = Api::new("dice", "Throws dice.", 6)
//!     .route(post("/throws", throw).describe("throwDice", "Throws some dice."));
//! assert_eq!(api.document()["paths"]["/throws"]["post"]["operationId"], "throwDice");
//! ```

mod argument;
mod document;
mod operation;
mod page;
mod reply;
mod route;
mod signature;

pub(crate) use argument::read_body;
pub use argument::{Argument, Body, Path, Query};
pub use operation::{Credential, Operation, Scheme};
pub use reply::{Created, Json, NoContent, Page, Reply};
pub use route::{Route, delete, get, patch, post, put};
pub use signature::Signature;

use crate::problem::ProblemType;
use axum::Router;
use document::Document;
use schemars::SchemaGenerator;
use serde_json::Value;

/// The routes of one system, with what they work on.
pub struct Api<S> {
    name: &'static str,
    state: S,
    router: Router<S>,
    schemas: SchemaGenerator,
    document: Document,
}

impl<S: Clone + Send + Sync + 'static> Api<S> {
    /// An interface without routes. Its name is the first part of all its paths.
    pub fn new(name: &'static str, description: &str, state: S) -> Self {
        Self {
            name,
            state,
            router: Router::new(),
            schemas: document::generator(),
            document: Document::new(name, description),
        }
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
        let path = route.path;
        self.router = self.router.route(path, route.into_handler(self.name, operation));
        self
    }

    /// Explains a reason for refusal on the page, in the order of the calls.
    #[must_use]
    pub fn problems(mut self, codes: &'static [&'static ProblemType]) -> Self {
        for code in codes {
            self.document.add_problem(code);
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
        self.router.with_state(self.state).merge(page::router(self.name, &document))
    }
}
