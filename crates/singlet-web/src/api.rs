//! HTTP APIs declared by function signatures.
//!
//! A route is a method, a path and an async function. Its arguments ([`Body`], [`Path`], [`Query`],
//! [`Paging`], [`IfMatch`], [`RawBody`]) and results ([`Json`], [`Versioned`], [`Created`],
//! [`NoContent`], or an [`ApiError`](crate::problem::ApiError)) define the router, the validation,
//! the OpenAPI document and its page, so these cannot drift from the code.
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
mod path;
mod raw;
mod reply;
mod route;
mod signature;
mod version;

pub(crate) use argument::read_body;
pub use argument::{Argument, Body, Query};
pub use change::Change;
pub use document::unused_problems;
pub use event_id::LastEventId;
pub use operation::{Credential, Operation, Scheme};
pub use paging::{Page, Paging};
pub use path::Path;
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
use path::PathId;
use schemars::SchemaGenerator;
use serde_json::Value;

/// The routes of one system and their shared state.
pub struct Api<S> {
    name: &'static str,
    state: S,
    path_ids: Vec<PathId>,
    are_writes_keyed: bool,
    routes: Vec<(Route<S>, Described)>,
    schemas: SchemaGenerator,
    document: Document,
}

impl<S: Clone + Send + Sync + 'static> Api<S> {
    /// An API without routes.
    pub fn new(state: S) -> Self {
        Self {
            name: "",
            state,
            path_ids: Vec::new(),
            are_writes_keyed: false,
            routes: Vec::new(),
            schemas: document::generator(),
            document: Document::default(),
        }
    }

    /// Sets the system's name, which prefixes all its paths, and its description. Called by
    /// [`System`](crate::System).
    #[must_use]
    pub fn named(mut self, name: &'static str, description: &str) -> Self {
        self.name = name;
        self.document.set_name(name, description);
        self
    }

    /// Declares path parameters shared by all routes of the system: name, description, and the
    /// problem for a malformed value, which routes with the parameter then declare automatically.
    /// Call this before adding routes.
    ///
    /// ```
    /// use singlet_web::prelude::*;
    ///
    /// singlet::id!(GameId);
    ///
    /// problems! {
    ///     /// Why the league refuses a request.
    ///     enum Error {
    ///         /// There is no game with this id.
    ///         GameNotFound = 404, "game-not-found", "Game not found";
    ///     }
    /// }
    ///
    /// async fn show_game(Path(game): Path<GameId>) -> Result<Json<GameId>, Error> {
    ///     Ok(Json(game))
    /// }
    ///
    /// let api = Api::new(())
    ///     .path_ids([("game", "The id of the game.", Error::GameNotFound)])
    ///     .route(Route::get("/games/{game}", show_game).describe("showGame", "Shows a game."));
    ///
    /// let parameter = &api.document()["paths"]["/games/{game}"]["get"]["parameters"][0];
    /// assert_eq!(parameter["description"], "The id of the game.");
    /// ```
    ///
    /// # Panics
    ///
    /// If routes were added already, or the name is declared twice.
    #[must_use]
    pub fn path_ids<P: Into<&'static ProblemType>, const N: usize>(
        mut self,
        ids: [(&'static str, &'static str, P); N],
    ) -> Self {
        assert!(self.routes.is_empty(), "`path_ids` comes before the first route");
        for (name, description, problem) in ids {
            let is_new = self.path_ids.iter().all(|id| id.name != name);
            assert!(is_new, "the path parameter {name} is declared twice");
            let (problem, others) = (problem.into(), Vec::new());
            self.path_ids.push(PathId { name, description, problem, others });
        }
        self
    }

    /// Declares further problems of all routes with this path parameter.
    ///
    /// # Panics
    ///
    /// If routes were added already, or the parameter is not in [`path_ids`](Self::path_ids).
    #[must_use]
    pub fn path_problems<P: Into<&'static ProblemType>, const N: usize>(
        mut self,
        name: &str,
        problems: [P; N],
    ) -> Self {
        assert!(self.routes.is_empty(), "`path_problems` comes before the first route");
        let id = self.path_ids.iter_mut().find(|id| id.name == name);
        assert!(id.is_some(), "`path_ids` does not have the parameter {name}");
        if let Some(id) = id {
            id.others.extend(problems.map(Into::into));
        }
        self
    }

    /// Makes the writes among all following routes [idempotent](Route::idempotent), except
    /// [unkeyed](Route::unkeyed) ones.
    #[must_use]
    pub fn keyed_writes(mut self) -> Self {
        self.are_writes_keyed = true;
        self
    }

    /// Adds a route.
    ///
    /// # Panics
    ///
    /// If the route has no name or description, its name is taken, or path and function disagree on
    /// the parameters.
    #[must_use]
    pub fn route(mut self, mut route: Route<S>) -> Self {
        if self.are_writes_keyed {
            route.keyed_if_write();
        }
        let operation = route.operation(&mut self.schemas, &self.path_ids);
        self.document.add(&route, &operation);
        let described = operation.into_described();
        self.routes.push((route, described));
        self
    }

    /// Lists problem types on the API page, in this order.
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

    /// The router: all routes, plus `/openapi.json` and `/api`.
    ///
    /// # Panics
    ///
    /// If a parameter declared by [`path_ids`](Self::path_ids) is unused.
    pub fn into_router(self) -> Router {
        for PathId { name, .. } in &self.path_ids {
            let mut paths = self.routes.iter().map(|(route, _)| route.path);
            let is_used = paths.any(|path| document::path_parameters(path).any(|one| one == *name));
            assert!(is_used, "no path has the parameter {name}");
        }
        let document = self.document();
        let mut router = Router::new();
        for (route, described) in self.routes {
            let path = route.path;
            router = router.route(path, route.into_handler(self.name, &self.state, described));
        }
        router.with_state(self.state).merge(page::router(self.name, &document))
    }
}
