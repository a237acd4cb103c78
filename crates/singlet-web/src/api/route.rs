//! One route: a method, a path, a function, and what there is to say about it.

use super::document::generator;
use super::operation::{Described, Operation, Validators};
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

/// One route. It needs a name and a description before it can be part of an
/// [`Api`](super::Api).
pub struct Route<S> {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    problems: Vec<&'static ProblemType>,
    is_idempotent: bool,
    describe: fn(&mut Operation<'_>),
    handler: MethodRouter<S>,
    replay_check: Option<DeclaredCheck<S>>,
}

/// What is asked before an answer is repeated, and what it says about its arguments.
struct DeclaredCheck<S> {
    describe: fn(&mut Operation<'_>),
    call: Box<dyn Fn(Request, S) -> BoxFuture<'static, Response<Body>> + Send + Sync>,
}

/// A function without its type. Axum's machinery around a function is compiled once for each type of
/// function that it sees, and this is the only one.
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
                    describe: H::describe,
                    handler: on(MethodFilter::$method, Erased::new(function)),
                    replay_check: None,
                }
            }
        )+

        /// The same functions, for modules in which `delete` and `put` are operations of the store.
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
    /// A route that only reads.
    get GET;
    /// A route that makes something, or does something that may not be done twice.
    post POST;
    /// A route that puts something in its place, whatever was there.
    put PUT;
    /// A route that changes parts of something.
    patch PATCH;
    /// A route that removes something.
    delete DELETE;
}

impl<S: Clone + Send + Sync + 'static> Route<S> {
    /// Names and describes the operation, as OpenAPI shows it. Names are unique within a system.
    #[must_use]
    pub fn describe(mut self, operation_id: &'static str, description: &'static str) -> Self {
        self.name = operation_id;
        self.description = description;
        self
    }

    /// Declares the problems that the function returns, besides those of its arguments.
    #[must_use]
    pub fn problems<P: Into<&'static ProblemType>, const N: usize>(
        mut self,
        problems: [P; N],
    ) -> Self {
        self.problems.extend(problems.map(Into::into));
        self
    }

    /// Lets clients repeat a request by sending an
    /// [`Idempotency-Key`](crate::idempotency) along: it is carried out once.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Asks for permission again before an answer to an [idempotent](Route::idempotent) request is
    /// repeated: for answers that depend on a grant. `check` is called with the request, and if it
    /// refuses, its refusal is the response. It takes arguments as the route's function does, asks
    /// for the role that the route needs, and changes nothing. The kept answer stays: a caller who
    /// gets the role back is told it.
    ///
    /// The check must not ask for what the request itself has removed. A repeated deletion of a goal
    /// asks for a role in the game, not for the goal.
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

    pub(super) fn operation<'a>(&self, schemas: &'a mut SchemaGenerator) -> Operation<'a> {
        let mut operation = Operation::new(schemas, self.path);
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
            // The whole body is read to compare requests, whatever the function takes of it.
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
            // Only its problems are the route's: what it takes, the function takes too.
            let mut schemas = generator();
            let mut of_check = Operation::new(&mut schemas, self.path);
            (check.describe)(&mut of_check);
            for problem_type in of_check.problems {
                operation.add_problem(problem_type);
            }
        }
        // What can meet every request, before or behind the function.
        for problem_type in [&RATE_LIMITED, &TIMEOUT, &INTERNAL, &BUSY, &UNAVAILABLE] {
            operation.add_problem(problem_type);
        }
        operation
    }

    /// The function, with what its arguments need to know about the route in every request, and the
    /// check that it answers only with problems that it declares.
    pub(super) fn into_handler(
        self,
        system: &'static str,
        state: &S,
        described: Described,
    ) -> MethodRouter<S> {
        let Described { validators, problems, security, may_sign_in, body_bytes_max, headers } =
            described;
        let replay_check = self.replay_check.map(|check| -> ReplayCheck {
            let state = state.clone();
            Box::new(move |request| (check.call)(request, state.clone()))
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
            // Further out than the layer above, which may read the body.
            Some(bytes_max) => handler.layer(DefaultBodyLimit::max(bytes_max)),
            None => handler,
        }
    }
}

/// What every route does around its function. Boxed, so that it is compiled once.
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
    Box::pin(async move {
        let work = async {
            match scope {
                Some(scope) => idempotency::answer(&scope, request, next).await,
                None => next.run(request).await,
            }
        };
        let mut response = in_turns(turns, &contract.cost, work).await;
        if let Some(if_none_match) = if_none_match {
            response = not_modified(response, &if_none_match);
        }
        let mut response = declared.check_response(response);
        response.extensions_mut().insert(OperationId(contract.name));
        response
    })
}

/// The operation that has answered. In the extensions of responses, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationId(pub &'static str);

/// What a route promises. Its arguments find this in the request.
pub(super) struct Contract {
    name: &'static str,
    pub(super) validators: Validators,
    problems: Vec<&'static ProblemType>,
    /// The headers that it declares, in small letters.
    headers: Vec<String>,
    /// What requests of the route compute.
    cost: RouteCost,
}

/// Whether the route to which a request with these extensions goes declares this header. The name is
/// in small letters.
pub(crate) fn is_declared_header(extensions: &Extensions, name: &str) -> bool {
    let contract = extensions.get::<Arc<Contract>>();
    contract.is_some_and(|contract| contract.headers.iter().any(|header| header == name))
}

/// The problems that a route declares, and whether the server is strict about them.
#[derive(Default)]
pub(crate) struct DeclaredProblems {
    /// `None` for a function that is called outside of an [`Api`](super::Api).
    contract: Option<Arc<Contract>>,
    strict: Option<StrictProblems>,
}

impl DeclaredProblems {
    /// Those of the route to which a request with these extensions goes.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        Self { contract: extensions.get().cloned(), strict: extensions.get().cloned() }
    }

    /// A problem that the route does not declare is the program's mistake, and not the client's: it
    /// is logged, and where the server is strict, it is recorded.
    ///
    /// # Errors
    ///
    /// Where the server is strict, the problem to be sent instead.
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

    /// The response, if it is one that the route declares, or if the server is not strict.
    fn check_response(&self, response: Response<Body>) -> Response<Body> {
        let checked = response.extensions().get::<Problem>().map(|problem| self.check(problem));
        match checked {
            Some(Err(problem)) => problem.into_response(),
            Some(Ok(())) | None => response,
        }
    }
}

/// Makes routes fail that answer with a problem type which they do not declare, or send one by
/// [`Socket::refuse`](crate::live::Socket::refuse). In the extensions of every request of a server
/// that tests use. Clones share what is recorded.
#[derive(Clone, Debug, Default)]
pub struct StrictProblems(Arc<Mutex<Vec<String>>>);

/// How many undeclared problems are recorded: one is enough to fail a test.
const RECORDED_MAX: usize = 100;

impl StrictProblems {
    /// What was answered and not declared, in the order of the answers.
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
