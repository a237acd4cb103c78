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

/// How many characters a name has that is shown to others.
const NAME_CHARACTERS: RangeInclusive<usize> = 1..=40;
/// What looks like the sign of an e-mail address.
const AT_SIGNS: [char; 3] = ['@', '\u{fe6b}', '\u{ff20}'];

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
    /// What people call them: the claim `name` of the token, if it can be shown to others.
    pub name: Option<String>,
    /// Their e-mail address, if the token has one, and does not say that it is unverified. It is
    /// shown to nobody else.
    pub email: Option<String>,
    /// The groups that they are in.
    pub groups: BTreeSet<String>,
    /// When they signed in, in seconds since 1970: the claim `auth_time` of the token, or else when
    /// it was issued.
    pub signed_in_at_s: Option<u64>,
    /// Until when their token is accepted, in seconds since 1970. Streams that they watch end then.
    pub expires_at_s: Option<u64>,
}

/// Until when the token of a request is accepted, in seconds since 1970; empty for requests whose
/// route did not ask who is calling. The server reads it when the response is a stream.
#[derive(Clone, Default)]
pub(crate) struct TokenEnd(pub(crate) Arc<OnceLock<u64>>);

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

    /// What to show others: the name, or "Somebody" for callers without one. Names that may be an
    /// e-mail address are not shown.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let name = self.name.as_deref().map(str::trim);
        name.filter(|name| public_name(name).is_some()).unwrap_or("Somebody")
    }
}

/// A name as others may see it. None if it is no name, or may be an e-mail address.
pub(super) fn public_name(name: &str) -> Option<String> {
    let name = DisplayName::parse(name, NAME_CHARACTERS).ok()?.into_string();
    (!name.contains(AT_SIGNS)).then_some(name)
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
    Remote(Arc<Jwks>),
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
        let keys = Keys::Remote(Arc::new(Jwks::new(&issuer.jwks_url)?));
        Ok(Self(Arc::new(Inner { issuer, keys })))
    }

    /// Trusts the issuer for trying things out.
    #[must_use]
    pub fn local(local: &LocalIssuer) -> Self {
        let keys = Keys::Local(local.keys());
        Self(Arc::new(Inner { issuer: LocalIssuer::issuer(), keys }))
    }

    /// Whether these are tokens of the local issuer, which signs in everybody.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.0.keys, Keys::Local(_))
    }

    /// Whether tokens are accepted in this request: those of the local issuer are only for clients
    /// on this machine.
    fn takes_tokens_in(&self, request: &Parts) -> bool {
        let client = request.extensions.get::<ClientLimits>();
        let is_of_this_machine = client.is_some_and(ClientLimits::is_of_this_machine);
        !self.is_local() || (is_of_this_machine && !is_forwarded(request))
    }

    /// The caller that a token stands for.
    ///
    /// # Errors
    ///
    /// If the token is not good.
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
                // Who signs in there has typed the subject as a name.
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

/// In the extensions of a request that was counted as a change. Its caller may be asked for again,
/// as with an `Idempotency-Key`.
#[derive(Clone, Copy)]
struct ChangeCounted;

/// Counts a request that may change something, once its caller is known.
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

/// Who is calling, if anybody says so. Boxed: what checks tokens, and asks for keys over the network,
/// is compiled here and not with every system.
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
        // Why exactly it is not accepted helps mostly those who try to make one up.
        let caller = identity.caller(token.trim()).await.map_err(|why| {
            tracing::info!(%why, "token rejected");
            refused()
        })?;
        count_change(parts, &caller)?;
        if let (Some(end), Some(TokenEnd(cell))) = (caller.expires_at_s, parts.extensions.get()) {
            // The second time it is the same token.
            let _ = cell.set(end);
        }
        Ok(Some(caller))
    })
}
