//! The caller of a request.

use super::TokenError;
use super::issuer::Issuer;
use super::jwks::Jwks;
use super::key::KeySet;
use super::local::{LocalIssuer, is_forwarded};
use super::token::Token;
use crate::access::sign_in_required;
use crate::api::{Argument, Credential, Operation, Scheme};
use crate::limit::ClientLimits;
use crate::problem::{FORBIDDEN, Problem, UNAUTHENTICATED};
use crate::text::DisplayName;
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use singlet::backend::BoxFuture;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

/// Allowed length of a display name.
const NAME_CHARACTERS: RangeInclusive<usize> = 1..=40;
/// Characters that look like the `@` of an e-mail address.
const AT_SIGNS: [char; 3] = ['@', '\u{fe6b}', '\u{ff20}'];

/// How callers authenticate.
static BEARER: Scheme = Scheme {
    name: "bearer",
    kind: Credential::Bearer,
    description: "A token of the issuer that the server trusts.",
};

/// An authenticated caller.
///
/// As an argument of a function it makes sign-in required; `Option<Caller>` makes it optional. An
/// invalid token is rejected in both cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The issuer's permanent, unique id of the caller.
    pub subject: String,
    /// The `name` claim, if it can be shown to others.
    pub name: Option<String>,
    /// The e-mail address, unless the token marks it as unverified. Never shown to others.
    pub email: Option<String>,
    /// The groups the caller belongs to.
    pub groups: BTreeSet<String>,
    /// When the caller signed in, in Unix seconds: the claim `auth_time`, or else `iat`.
    pub signed_in_at_s: Option<u64>,
    /// When the token expires, in Unix seconds. The caller's streams end then.
    pub expires_at_s: Option<u64>,
}

/// When the token of a request expires, in Unix seconds; empty if the route did not authenticate
/// the caller. The server reads it for streaming responses.
#[derive(Clone, Default)]
pub(crate) struct TokenEnd(pub(crate) Arc<OnceLock<u64>>);

impl Caller {
    /// Requires membership in a group.
    ///
    /// # Errors
    ///
    /// [`FORBIDDEN`] if the caller is not in the group.
    pub fn require_group(&self, group: &str) -> Result<(), Problem> {
        if self.groups.contains(group) {
            return Ok(());
        }
        Err(Problem::new(&FORBIDDEN).detail(format!("this is for members of {group}")))
    }

    /// The subject as an id for table keys. `#` and `%` are percent-encoded, so ids of different
    /// subjects never collide.
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
    /// [`UNAUTHENTICATED`] if the type rejects the text, for example an empty one.
    pub fn id<I: FromStr>(&self) -> Result<I, Problem> {
        let text = self.subject.replace('%', "%25").replace('#', "%23");
        text.parse().map_err(|_| {
            Problem::new(&UNAUTHENTICATED).detail("the subject of the token is no identifier")
        })
    }

    /// The name to show others, or "Somebody" for callers without one. Names that may be e-mail
    /// addresses are not shown.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let name = self.name.as_deref().map(str::trim);
        name.filter(|name| public_name(name).is_some()).unwrap_or("Somebody")
    }
}

/// The name as shown to others; `None` if it is invalid or may be an e-mail address.
pub(super) fn public_name(name: &str) -> Option<String> {
    let name = DisplayName::parse(name, NAME_CHARACTERS).ok()?.into_string();
    (!name.contains(AT_SIGNS)).then_some(name)
}

/// Authenticates callers. An extension of every request to a [`Server`](crate::Server).
#[derive(Clone)]
pub struct Identity(Arc<Inner>);

struct Inner {
    issuer: Issuer,
    keys: Keys,
}

enum Keys {
    /// Keys of a remote issuer.
    Remote(Arc<Jwks>),
    /// Keys of the local issuer.
    Local(KeySet),
}

impl Identity {
    /// Trusts an issuer. Its keys are fetched with the first token.
    ///
    /// # Errors
    ///
    /// If the address of the keys is not `https` (or loopback).
    pub fn of(issuer: Issuer) -> Result<Self, String> {
        let keys = Keys::Remote(Arc::new(Jwks::new(&issuer.jwks_url)?));
        Ok(Self(Arc::new(Inner { issuer, keys })))
    }

    /// Trusts the local issuer.
    #[must_use]
    pub fn local(local: &LocalIssuer) -> Self {
        let keys = Keys::Local(local.keys());
        Self(Arc::new(Inner { issuer: LocalIssuer::issuer(), keys }))
    }

    /// Whether this is the local issuer, which lets anyone sign in.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.0.keys, Keys::Local(_))
    }

    /// Whether tokens are accepted in this request: the local issuer only serves clients on this
    /// machine.
    fn takes_tokens_in(&self, request: &Parts) -> bool {
        let client = request.extensions.get::<ClientLimits>();
        let is_of_this_machine = client.is_some_and(ClientLimits::is_of_this_machine);
        !self.is_local() || (is_of_this_machine && !is_forwarded(request))
    }

    /// The caller a token identifies.
    ///
    /// # Errors
    ///
    /// If the token is invalid.
    #[inline(never)]
    pub fn caller<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Caller, TokenError>> {
        Box::pin(async move {
            let Inner { issuer, keys } = &*self.0;
            let token = Token::parse(token)?;
            let claims = match keys {
                Keys::Remote(jwks) => jwks.verify(&token).await?,
                Keys::Local(keys) => keys.verify(&token)?,
            };
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let mut caller = issuer.caller(&claims, now.as_secs())?;
            if self.is_local() && caller.name.is_none() {
                // Local sign-in uses the entered name as the subject.
                caller.name = public_name(&caller.subject);
            }
            Ok(caller)
        })
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Identity").field(&self.0.issuer).finish()
    }
}

/// Marks a request already counted as a change: its caller may be extracted twice, as with an
/// `Idempotency-Key`.
#[derive(Clone, Copy)]
struct ChangeCounted;

/// Counts a write against the caller's rate limit.
fn count_change(parts: &mut Parts, caller: &Caller) -> Result<(), Problem> {
    if parts.method.is_safe() || parts.extensions.get::<ChangeCounted>().is_some() {
        return Ok(());
    }
    if let Some(limits) = parts.extensions.get::<ClientLimits>() {
        limits.charge_change(&caller.subject)?;
    }
    parts.extensions.insert(ChangeCounted);
    Ok(())
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
        let _ = state;
        find_caller(parts).await?.ok_or_else(sign_in_required)
    }
}

impl Argument for Option<Caller> {
    fn describe(operation: &mut Operation<'_>) {
        operation.header("Authorization", false, "A bearer token, for those who have one.");
        operation.knows_callers();
        operation.add_problem(&UNAUTHENTICATED);
        operation.add_problem(&FORBIDDEN);
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        find_caller(parts).await
    }
}

/// The caller, if the request has a token. Boxed, so that token checks are compiled here and not in
/// every system.
#[inline(never)]
fn find_caller(parts: &mut Parts) -> BoxFuture<'_, Result<Option<Caller>, Problem>> {
    Box::pin(async move {
        let Some(authorization) = parts.headers.get(AUTHORIZATION) else { return Ok(None) };
        let identity = parts.extensions.get::<Identity>().cloned().ok_or_else(|| {
            Problem::new(&UNAUTHENTICATED).detail("this server knows no issuer of tokens")
        })?;
        let authorization = authorization.to_str().unwrap_or_default();
        let (scheme, token) = authorization.split_once(' ').unwrap_or_default();
        let refused = || Problem::new(&UNAUTHENTICATED).detail("the token is not accepted");
        if !scheme.eq_ignore_ascii_case("bearer") || !identity.takes_tokens_in(parts) {
            return Err(refused());
        }
        // The exact reason would mostly help forgers.
        let caller = identity.caller(token.trim()).await.map_err(|why| {
            tracing::info!(%why, "token rejected");
            refused()
        })?;
        count_change(parts, &caller)?;
        if let (Some(end), Some(TokenEnd(cell))) = (caller.expires_at_s, parts.extensions.get()) {
            // A second call sees the same token.
            let _ = cell.set(end);
        }
        Ok(Some(caller))
    })
}
