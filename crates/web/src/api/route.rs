//! One route: a method, a path, a function, and what there is to say about it.

use super::operation::{Described, Operation, Validators};
use super::raw::RawBound;
use super::signature::Signature;
use crate::blob::not_modified;
use crate::idempotency::{self, Scope};
use crate::problem::{
    ANSWER_NOT_KEPT, BUSY, IN_PROGRESS, INTERNAL, INVALID, KEY_REUSED, MALFORMED, Problem,
    ProblemType, RATE_LIMITED, TIMEOUT, TOO_LARGE, UNAVAILABLE, WEAK_KEY,
};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::http::header::IF_NONE_MATCH;
use axum::http::{Method, Response};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::SchemaGenerator;
use serde_json::json;
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
                    handler: on(MethodFilter::$method, function),
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
        described: Described,
    ) -> MethodRouter<S> {
        let Described { validators, problems, security, may_sign_in, body_bytes_max } = described;
        let scope = self
            .is_idempotent
            .then(|| Arc::new(Scope { system, route: self.name, schemes: security, may_sign_in }));
        let contract = Arc::new(Contract { name: self.name, validators, problems });
        let layer = middleware::from_fn(move |mut request: Request, next: Next| {
            let (contract, scope) = (Arc::clone(&contract), scope.clone());
            let strict = request.extensions().get::<StrictProblems>().cloned();
            request.extensions_mut().insert(Arc::clone(&contract));
            if let Some(bytes_max) = body_bytes_max {
                request.extensions_mut().insert(RawBound(bytes_max));
            }
            let if_none_match = request.headers().get(IF_NONE_MATCH).cloned();
            async move {
                let mut response = match scope {
                    Some(scope) => idempotency::answer(&scope, request, next).await,
                    None => next.run(request).await,
                };
                if let Some(if_none_match) = if_none_match {
                    response = not_modified(response, &if_none_match);
                }
                let mut response = contract.check(response, strict.as_ref());
                response.extensions_mut().insert(OperationId(contract.name));
                response
            }
        });
        let handler = self.handler.layer(layer);
        match body_bytes_max {
            // Further out than the layer above, which may read the body.
            Some(bytes_max) => handler.layer(DefaultBodyLimit::max(bytes_max)),
            None => handler,
        }
    }
}

/// The operation that has answered. In the extensions of responses, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationId(pub &'static str);

/// What a route promises. Its arguments find this in the request.
pub(super) struct Contract {
    name: &'static str,
    pub(super) validators: Validators,
    problems: Vec<&'static ProblemType>,
}

impl Contract {
    /// The response, if it is one that the route declares. Another problem is the program's mistake,
    /// and not the client's: it is logged, and where the server is strict, it is an error.
    fn check(&self, response: Response<Body>, strict: Option<&StrictProblems>) -> Response<Body> {
        let Some(problem) = response.extensions().get::<Problem>() else { return response };
        let problem_type = problem.problem_type();
        if self.problems.contains(&problem_type) {
            return response;
        }
        let (route, name) = (self.name, problem_type.name);
        tracing::error!(route, problem = name, "a problem type is not declared");
        let Some(strict) = strict else { return response };
        let detail = format!("{route} answered {name} without declaring it");
        strict.record(detail.clone());
        Problem::new(&INTERNAL).detail(detail).into_response()
    }
}

/// Makes routes fail that answer with a problem type which they do not declare. In the extensions of
/// every request of a server that tests use. Clones share what is recorded.
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
