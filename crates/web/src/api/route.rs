//! One route: a method, a path, a function, and what there is to say about it.

use super::operation::{Operation, Validators};
use super::signature::Signature;
use crate::idempotency::{self, Scope};
use crate::problem::{
    IN_PROGRESS, INTERNAL, INVALID, KEY_REUSED, Problem, ProblemType, RATE_LIMITED, TIMEOUT,
    UNAVAILABLE, WEAK_KEY,
};
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::{self, Next};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::SchemaGenerator;
use std::sync::Arc;

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
    pub fn problems<const N: usize>(mut self, types: [&'static ProblemType; N]) -> Self {
        self.problems.extend(types);
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
        let mut operation = Operation::new(schemas);
        (self.describe)(&mut operation);
        for code in &self.problems {
            operation.add_problem(code);
        }
        if self.is_idempotent {
            let description = "A name for this request that nobody can guess, such as a random UUID. \
                         The same request with the same key is carried out once.";
            operation.header("Idempotency-Key", false, description);
            for code in [&KEY_REUSED, &IN_PROGRESS, &INVALID, &UNAVAILABLE, &WEAK_KEY] {
                operation.add_problem(code);
            }
        }
        // What can meet every request, before or behind the function.
        for code in [&RATE_LIMITED, &TIMEOUT, &INTERNAL] {
            operation.add_problem(code);
        }
        operation
    }

    /// The function, with what its arguments need to know about the route in every request, and
    /// with an eye on whether it keeps what it declares.
    pub(super) fn into_handler(
        self,
        system: &'static str,
        operation: Operation<'_>,
    ) -> MethodRouter<S> {
        let Operation { validators, problems, security, .. } = operation;
        let scope = self
            .is_idempotent
            .then(|| Arc::new(Scope { system, route: self.name, schemes: security }));
        let contract = Arc::new(Contract { name: self.name, validators, problems });
        let layer = middleware::from_fn(move |mut request: Request, next: Next| {
            let (contract, scope) = (Arc::clone(&contract), scope.clone());
            request.extensions_mut().insert(Arc::clone(&contract));
            async move {
                let response = match scope {
                    Some(scope) => idempotency::answer(&scope, request, next).await,
                    None => next.run(request).await,
                };
                if let Some(problem) = response.extensions().get::<Problem>() {
                    contract.check(problem);
                }
                response
            }
        });
        self.handler.layer(layer)
    }
}

/// What a route promises. Its arguments find this in the request.
pub(super) struct Contract {
    name: &'static str,
    pub(super) validators: Validators,
    problems: Vec<&'static ProblemType>,
}

impl Contract {
    fn check(&self, problem: &Problem) {
        if !self.problems.contains(&problem.code()) {
            let code = problem.code().name;
            tracing::error!(route = self.name, code, "refused for a reason that is not declared");
        }
    }
}
