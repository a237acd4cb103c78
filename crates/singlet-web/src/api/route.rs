//! A route: a method, a path, a function and its description.

use super::argument::refuse_query;
use super::document::generator;
use super::operation::{Described, Operation, Validators};
use super::path::PathId;
use super::raw::RawBound;
use super::signature::Signature;
use crate::blob::not_modified;
use crate::heavy::{ClientTurns, RouteCost, in_turns};
use crate::idempotency::{self, ReplayCheck, Scope};
use crate::problem::{
    ANSWER_NOT_KEPT, BUSY, IN_PROGRESS, INTERNAL, INVALID, KEY_REUSED, MALFORMED, Problem,
    ProblemType, RATE_LIMITED, TIMEOUT, TOO_LARGE, UNAVAILABLE, WEAK_KEY,
};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::http::header::IF_NONE_MATCH;
use axum::http::{Extensions, Method, Response};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::SchemaGenerator;
use serde_json::json;
use singlet::backend::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};

/// A route. It needs a name and a description to be added to an [`Api`](super::Api).
pub struct Route<S> {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    problems: Vec<&'static ProblemType>,
    is_idempotent: bool,
    is_unkeyed: bool,
    /// The function's type name, for [`Route::about`].
    function: &'static str,
    describe: fn(&mut Operation<'_>),
    handler: MethodRouter<S>,
    replay_check: Option<DeclaredCheck<S>>,
}

/// The check before a stored response is replayed, and its description.
struct DeclaredCheck<S> {
    describe: fn(&mut Operation<'_>),
    call: Box<dyn Fn(Request, S) -> BoxFuture<'static, Response<Body>> + Send + Sync>,
}

/// A type-erased function, so that axum's handler machinery is compiled once.
struct Erased<S>(Arc<dyn Fn(Request, S) -> BoxFuture<'static, Response<Body>> + Send + Sync>);

impl<S> Erased<S> {
    fn new<H: Handler<T, S>, T: 'static>(function: H) -> Self {
        Self(Arc::new(move |request, state| Box::pin(function.clone().call(request, state))))
    }
}

impl<S> Clone for Erased<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Clone + Send + Sync + 'static> Handler<(), S> for Erased<S> {
    type Future = BoxFuture<'static, Response<Body>>;

    fn call(self, request: Request, state: S) -> Self::Future {
        (self.0)(request, state)
    }
}

macro_rules! methods {
    ($($(#[$attribute:meta])* $function:ident $method:ident;)+) => {
        $(
            $(#[$attribute])*
            pub fn $function<H, T, S>(path: &'static str, function: H) -> Route<S>
            where
                H: Handler<T, S> + Signature<T>,
                T: 'static,
                S: Clone + Send + Sync + 'static,
            {
                Route {
                    method: Method::$method,
                    path,
                    name: "",
                    description: "",
                    problems: Vec::new(),
                    is_idempotent: false,
                    is_unkeyed: false,
                    function: std::any::type_name::<H>(),
                    describe: H::describe,
                    handler: on(MethodFilter::$method, Erased::new(function)),
                    replay_check: None,
                }
            }
        )+

        /// The same functions, for modules in which `delete` and `put` are store operations.
        impl<S: Clone + Send + Sync + 'static> Route<S> {
            $(
                $(#[$attribute])*
                pub fn $function<H, T>(path: &'static str, function: H) -> Self
                where
                    H: Handler<T, S> + Signature<T>,
                    T: 'static,
                {
                    $function(path, function)
                }
            )+
        }
    };
}

methods! {
    /// A route that reads.
    get GET;
    /// A route that creates something or triggers an action.
    post POST;
    /// A route that creates or replaces something.
    put PUT;
    /// A route that changes parts of something.
    patch PATCH;
    /// A route that deletes something.
    delete DELETE;
}

impl<S: Clone + Send + Sync + 'static> Route<S> {
    /// Sets the operation's name, unique within a system, and its description for OpenAPI.
    #[must_use]
    pub fn describe(mut self, operation_id: &'static str, description: &'static str) -> Self {
        self.name = operation_id;
        self.description = description;
        self
    }

    /// Describes the operation and names it after its function: `create_league` becomes
    /// `createLeague`.
    ///
    /// ```
    /// use singlet_web::prelude::*;
    ///
    /// async fn create_league() -> NoContent {
    ///     NoContent
    /// }
    ///
    /// let api = Api::new(())
    ///     .route(Route::post("/leagues", create_league).about("Creates a league."));
    /// let operation = &api.document()["paths"]["/leagues"]["post"];
    /// assert_eq!(operation["operationId"], "createLeague");
    /// ```
    ///
    /// # Panics
    ///
    /// If the function is a closure. Use [`describe`](Self::describe) instead.
    #[must_use]
    pub fn about(self, description: &'static str) -> Self {
        let name = operation_id(self.function);
        assert!(!name.is_empty(), "{} {} needs a function with a name", self.method, self.path);
        self.describe(name, description)
    }

    /// Exempts the route from [`Api::keyed_writes`](super::Api::keyed_writes): for a write that is
    /// idempotent by design, such as one with an event id from the client.
    #[must_use]
    pub fn unkeyed(mut self) -> Self {
        self.is_unkeyed = true;
        self
    }

    /// Makes a write idempotent unless it is unkeyed.
    pub(super) fn keyed_if_write(&mut self) {
        self.is_idempotent |= !self.is_unkeyed && self.method != Method::GET;
    }

    /// Declares the problems the function returns. Its arguments declare their own.
    #[must_use]
    pub fn problems<P: Into<&'static ProblemType>, const N: usize>(
        mut self,
        problems: [P; N],
    ) -> Self {
        self.problems.extend(problems.map(Into::into));
        self
    }

    /// Accepts an [`Idempotency-Key`](crate::idempotency), so that clients can safely retry.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Rechecks access before the response of an [idempotent](Route::idempotent) request is
    /// replayed. `check` takes arguments like the route's function, requires the same role, and
    /// changes nothing; its refusal becomes the response. The stored response stays, for a caller
    /// who regains the role.
    ///
    /// It may take fewer path parameters than the function: the first ones, or some in a struct.
    ///
    /// The check must not depend on anything the request removed. A repeated deletion of a goal
    /// checks the role in the game, not the goal.
    ///
    /// ```
    /// use singlet_web::prelude::*;
    ///
    /// async fn invite(caller: Caller) -> Result<Json<String>, Problem> {
    ///     check_inviter(caller).await?;
    ///     Ok(Json("a code".to_owned()))
    /// }
    ///
    /// async fn check_inviter(caller: Caller) -> Result<NoContent, Problem> {
    ///     caller.require_group("Admins").map(|()| NoContent)
    /// }
    ///
    /// let route = Route::<()>::post("/invites", invite)
    ///     .describe("invite", "Invites somebody.")
    ///     .idempotent()
    ///     .replay_if(check_inviter);
    /// ```
    #[must_use]
    pub fn replay_if<H, T>(mut self, check: H) -> Self
    where
        H: Handler<T, S> + Signature<T>,
        T: 'static,
    {
        self.is_idempotent = true;
        let call = move |request, state| -> BoxFuture<'static, Response<Body>> {
            Box::pin(check.clone().call(request, state))
        };
        self.replay_check = Some(DeclaredCheck { describe: H::describe, call: Box::new(call) });
        self
    }

    pub(super) fn operation<'a>(
        &self,
        schemas: &'a mut SchemaGenerator,
        path_ids: &'a [PathId],
    ) -> Operation<'a> {
        let mut operation = Operation::new(schemas, self.path, path_ids);
        (self.describe)(&mut operation);
        for problem_type in &self.problems {
            operation.add_problem(problem_type);
        }
        if self.is_idempotent {
            let description = "A name for this request that nobody can guess, such as a random UUID. \
                         The same request with the same key is carried out once.";
            // The quotes around a key are not counted.
            let (min, max) = (idempotency::KEY_LEN_MIN, idempotency::KEY_LEN_MAX + 2);
            let schema = json!({"type": "string", "minLength": min, "maxLength": max});
            operation.header_of("Idempotency-Key", false, description, &schema);
            // The whole body is read to compare requests, regardless of the function's arguments.
            let of_keys = [
                &KEY_REUSED,
                &IN_PROGRESS,
                &ANSWER_NOT_KEPT,
                &INVALID,
                &WEAK_KEY,
                &MALFORMED,
                &TOO_LARGE,
            ];
            for problem_type in of_keys {
                operation.add_problem(problem_type);
            }
        }
        if let Some(check) = &self.replay_check {
            // Only its problems are added: the function takes the same arguments.
            let mut schemas = generator();
            let mut of_check = Operation::new(&mut schemas, self.path, path_ids);
            (check.describe)(&mut of_check);
            for problem_type in of_check.problems {
                operation.add_problem(problem_type);
            }
            operation.check_validators = of_check.validators;
        }
        // Any route can return these. INVALID: unknown query parameters.
        for problem_type in [&INVALID, &RATE_LIMITED, &TIMEOUT, &INTERNAL, &BUSY, &UNAVAILABLE] {
            operation.add_problem(problem_type);
        }
        operation
    }

    /// Wraps the function: provides the contract to its arguments and checks that it only returns
    /// declared problems.
    pub(super) fn into_handler(
        self,
        system: &'static str,
        state: &S,
        described: Described,
    ) -> MethodRouter<S> {
        let Described {
            validators,
            check_validators,
            problems,
            security,
            may_sign_in,
            body_bytes_max,
            headers,
        } = described;
        let replay_check = self.replay_check.map(|check| -> ReplayCheck {
            let state = state.clone();
            let contract = Arc::new(Contract {
                name: self.name,
                validators: check_validators,
                problems: problems.clone(),
                headers: headers.clone(),
                cost: RouteCost::default(),
            });
            Box::new(move |mut request| {
                request.extensions_mut().insert(Arc::clone(&contract));
                (check.call)(request, state.clone())
            })
        });
        let scope = self.is_idempotent.then(|| {
            let (route, schemes) = (self.name, security);
            Arc::new(Scope { system, route, schemes, may_sign_in, replay_check })
        });
        let contract = Arc::new(Contract {
            name: self.name,
            validators,
            problems,
            headers,
            cost: RouteCost::default(),
        });
        let layer = middleware::from_fn(move |request: Request, next: Next| {
            layered(Arc::clone(&contract), scope.clone(), body_bytes_max, request, next)
        });
        let handler = self.handler.layer(layer);
        match body_bytes_max {
            // Outside the layer above, which may read the body.
            Some(bytes_max) => handler.layer(DefaultBodyLimit::max(bytes_max)),
            None => handler,
        }
    }
}

/// The operation id of a function: `createLeague` for `routes::create_league`. Empty for a closure.
fn operation_id(function: &str) -> &'static str {
    let path = function.split('<').next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.chars().all(is_name) {
        return "";
    }
    let mut id = String::with_capacity(name.len());
    for (index, word) in name.split('_').filter(|word| !word.is_empty()).enumerate() {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        let first = if index == 0 { first.to_owned() } else { first.to_ascii_uppercase() };
        id.extend([first.as_str(), rest]);
    }
    // Leaked once per route at startup.
    id.leak()
}

/// Common handling around a route's function. Boxed, so that it is compiled once.
#[inline(never)]
fn layered(
    contract: Arc<Contract>,
    scope: Option<Arc<Scope>>,
    body_bytes_max: Option<usize>,
    mut request: Request,
    next: Next,
) -> BoxFuture<'static, Response<Body>> {
    request.extensions_mut().insert(Arc::clone(&contract));
    let declared = DeclaredProblems::of(request.extensions());
    if let Some(bytes_max) = body_bytes_max {
        request.extensions_mut().insert(RawBound(bytes_max));
    }
    let if_none_match = request.headers().get(IF_NONE_MATCH).cloned();
    let turns = ClientTurns::of(request.extensions());
    let unknown = match contract.validators.read_query() {
        // The arguments reject unknown parameters.
        true => Ok(()),
        false => refuse_query(request.uri()),
    };
    Box::pin(async move {
        let mut response = match (unknown, scope) {
            (Err(problem), _) => problem.into_response(),
            (Ok(()), Some(scope)) => {
                let contract = Arc::clone(&contract);
                let run = move |request| -> BoxFuture<'static, Response<Body>> {
                    Box::pin(
                        async move { in_turns(turns, &contract.cost, next.run(request)).await },
                    )
                };
                idempotency::answer(scope, request, Box::new(run)).await
            }
            (Ok(()), None) => in_turns(turns, &contract.cost, next.run(request)).await,
        };
        if let Some(if_none_match) = if_none_match {
            response = not_modified(response, &if_none_match);
        }
        let mut response = declared.check_response(response);
        response.extensions_mut().insert(OperationId(contract.name));
        response
    })
}

/// The operation that answered, as a response extension for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationId(pub &'static str);

/// The contract of a route, as a request extension for its arguments.
pub(super) struct Contract {
    name: &'static str,
    pub(super) validators: Validators,
    problems: Vec<&'static ProblemType>,
    /// Declared headers, in lower case.
    headers: Vec<String>,
    /// The CPU cost of the route's requests.
    cost: RouteCost,
}

/// Whether the request's route declares this header. The name is in lower case.
pub(crate) fn is_declared_header(extensions: &Extensions, name: &str) -> bool {
    let contract = extensions.get::<Arc<Contract>>();
    contract.is_some_and(|contract| contract.headers.iter().any(|header| header == name))
}

/// The problems a route declares, and whether the server enforces them.
#[derive(Default)]
pub(crate) struct DeclaredProblems {
    /// `None` outside of an [`Api`](super::Api).
    contract: Option<Arc<Contract>>,
    strict: Option<StrictProblems>,
}

impl DeclaredProblems {
    /// The declared problems of the request's route.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        Self { contract: extensions.get().cloned(), strict: extensions.get().cloned() }
    }

    /// Logs a problem the route does not declare, which is a bug in the system. In strict mode it
    /// is also recorded.
    ///
    /// # Errors
    ///
    /// In strict mode, the problem to send instead.
    pub(crate) fn check(&self, problem: &Problem) -> Result<(), Problem> {
        let problem_type = problem.problem_type();
        let Some(contract) = &self.contract else { return Ok(()) };
        if contract.problems.contains(&problem_type) {
            return Ok(());
        }
        let (route, name) = (contract.name, problem_type.name);
        tracing::error!(route, problem = name, "a problem type is not declared");
        let Some(strict) = &self.strict else { return Ok(()) };
        let detail = format!("{route} answered {name} without declaring it");
        strict.record(detail.clone());
        Err(Problem::new(&INTERNAL).detail(detail))
    }

    /// Replaces a response with an undeclared problem in strict mode.
    fn check_response(&self, response: Response<Body>) -> Response<Body> {
        let checked = response.extensions().get::<Problem>().map(|problem| self.check(problem));
        match checked {
            Some(Err(problem)) => problem.into_response(),
            Some(Ok(())) | None => response,
        }
    }
}

/// Strict mode, for tests: fails routes that return an undeclared problem type or send one with
/// [`Socket::refuse`](crate::live::Socket::refuse). Clones share the record.
#[derive(Clone, Debug, Default)]
pub struct StrictProblems(Arc<Mutex<Vec<String>>>);

/// Recorded problems, at most.
const RECORDED_MAX: usize = 100;

impl StrictProblems {
    /// The undeclared problems, oldest first.
    #[must_use]
    pub fn undeclared(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, what: String) {
        let mut recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if recorded.len() < RECORDED_MAX && !recorded.contains(&what) {
            recorded.push(what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::operation_id;

    #[test]
    fn operations_are_named_as_their_functions() {
        for (function, id) in [
            ("app::routes::create_league", "createLeague"),
            ("app::routes::me", "me"),
            ("app::routes::list<app::Game>", "list"),
            ("app::routes::routes::{{closure}}", ""),
        ] {
            assert_eq!(operation_id(function), id);
        }
    }
}
