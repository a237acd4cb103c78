//! The caller of a request.

use super::TokenError;
use super::issuer::Issuer;
use super::jwks::Jwks;
use super::key::KeySet;
use super::local::{LocalIssuer, is_forwarded};
use super::token::Token;
use crate::access::sign_in_required;
use crate::api::{Argument, Credential, Operation, Scheme};
use crate::problem::{FORBIDDEN, Problem, UNAUTHENTICATED};
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// How callers show who they are.
static BEARER: Scheme = Scheme {
    name: "bearer",
    kind: Credential::Bearer,
    description: "A token of the issuer that the server trusts.",
};

/// Somebody whom an issuer vouches for.
///
/// As an argument of a function it makes the route one for people who have signed in;
/// `Option<Caller>` makes it one for everybody that knows those who have. A token that is wrong is
/// refused in both cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// What the issuer calls them: unique and for ever.
    pub subject: String,
    /// What people call them.
    pub name: Option<String>,
    /// Their address, if the token tells. It is shown to nobody else.
    pub email: Option<String>,
    /// The groups that they are in.
    pub groups: BTreeSet<String>,
}

impl Caller {
    /// Insists on a group.
    ///
    /// # Errors
    ///
    /// [`FORBIDDEN`] for those who are not in it.
    pub fn require_group(&self, group: &str) -> Result<(), Problem> {
        if self.groups.contains(group) {
            return Ok(());
        }
        Err(Problem::new(&FORBIDDEN).detail(format!("this is for members of {group}")))
    }

    /// The subject as an id of the system's, for keys of its tables: `#` and `%` are
    /// percent-encoded, so that two subjects never have one id.
    ///
    /// ```
    /// use singlet_web::identity::Caller;
    ///
    /// singlet::id!(UserId);
    ///
    /// let caller = Caller { subject: "team#7".into(), ..Caller::default() };
    /// let id: UserId = caller.id()?;
    /// assert_eq!(id.as_str(), "team%237");
    /// # Ok::<(), singlet_web::problem::Problem>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`UNAUTHENTICATED`] if the type takes no such text, such as an empty one.
    pub fn id<I: FromStr>(&self) -> Result<I, Problem> {
        let text = self.subject.replace('%', "%25").replace('#', "%23");
        text.parse().map_err(|_| {
            Problem::new(&UNAUTHENTICATED).detail("the subject of the token is no identifier")
        })
    }

    /// What to show others: the name, and never the subject or the address.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.name.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or("Unnamed")
    }
}

/// Tells who is calling. Part of every request that a [`Server`](crate::Server) answers.
#[derive(Clone)]
pub struct Identity(Arc<Inner>);

struct Inner {
    issuer: Issuer,
    keys: Keys,
}

enum Keys {
    /// Of an issuer elsewhere.
    Remote(Box<Jwks>),
    /// Of our own.
    Local(KeySet),
}

impl Identity {
    /// Trusts an issuer. Its keys are fetched when the first token comes.
    ///
    /// # Errors
    ///
    /// If the address of the keys is none that can be trusted.
    pub fn of(issuer: Issuer) -> Result<Self, String> {
        let keys = Keys::Remote(Box::new(Jwks::new(&issuer.jwks_url)?));
        Ok(Self(Arc::new(Inner { issuer, keys })))
    }

    /// Trusts the issuer for trying things out.
    #[must_use]
    pub fn local(local: &LocalIssuer) -> Self {
        let keys = Keys::Local(local.keys());
        Self(Arc::new(Inner { issuer: LocalIssuer::issuer(), keys }))
    }

    /// Whether tokens are good in requests with these headers: those of the local issuer are only
    /// for clients on this machine.
    fn takes_tokens_with(&self, headers: &HeaderMap) -> bool {
        matches!(self.0.keys, Keys::Remote(_)) || !is_forwarded(headers)
    }

    /// The caller that a token stands for.
    ///
    /// # Errors
    ///
    /// If the token is not good.
    pub async fn caller(&self, token: &str) -> Result<Caller, TokenError> {
        let Inner { issuer, keys } = &*self.0;
        let token = Token::parse(token)?;
        let claims = match keys {
            Keys::Remote(jwks) => jwks.verify(&token).await?,
            Keys::Local(keys) => keys.verify(&token)?,
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        issuer.caller(&claims, now.as_secs())
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Identity").field(&self.0.issuer).finish()
    }
}

impl Argument for Caller {
    fn describe(operation: &mut Operation<'_>) {
        operation.requires(&BEARER);
        operation.add_problem(&UNAUTHENTICATED);
        operation.add_problem(&FORBIDDEN);
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let caller =
            <Self as OptionalFromRequestParts<S>>::from_request_parts(parts, state).await?;
        caller.ok_or_else(sign_in_required)
    }
}

impl Argument for Option<Caller> {
    fn describe(operation: &mut Operation<'_>) {
        operation.header("Authorization", false, "A bearer token, for those who have one.");
        operation.add_problem(&UNAUTHENTICATED);
        operation.add_problem(&FORBIDDEN);
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        let Some(authorization) = parts.headers.get(AUTHORIZATION) else { return Ok(None) };
        let identity = parts.extensions.get::<Identity>().cloned().ok_or_else(|| {
            Problem::new(&UNAUTHENTICATED).detail("this server knows no issuer of tokens")
        })?;
        let authorization = authorization.to_str().unwrap_or_default();
        let (scheme, token) = authorization.split_once(' ').unwrap_or_default();
        let refused = || Problem::new(&UNAUTHENTICATED).detail("the token is not accepted");
        if !scheme.eq_ignore_ascii_case("bearer") || !identity.takes_tokens_with(&parts.headers) {
            return Err(refused());
        }
        // Why exactly it is not accepted helps mostly those who try to make one up.
        identity.caller(token.trim()).await.map(Some).map_err(|why| {
            tracing::info!(%why, "token rejected");
            refused()
        })
    }
}
