//! Role-based access to a resource.
//!
//! A service builds an [`Access`] from the caller's stored grant and requires a role. Refusals have
//! a fixed order: 401 for visitors, then the 404 of a hidden resource, then 403.

use crate::identity::Caller;
use crate::problem::{ApiError, FORBIDDEN, Problem, UNAUTHENTICATED};
use std::fmt::{self, Debug, Display};

/// A role on a resource. Greater roles include lesser ones. Declared by [`roles!`](crate::roles).
pub trait Role: Copy + Ord + Debug + Send + Sync + 'static {
    /// All roles in ascending order.
    const ALL: &'static [Self];

    /// The declared name.
    fn name(self) -> &'static str;
}

/// Declares the roles on a kind of resource, in ascending order.
///
/// ```
/// use singlet_web::access::Role;
///
/// singlet_web::roles! {
///     /// What a caller is to a league.
///     pub enum LeagueRole { Viewer, Scorekeeper, Admin }
/// }
///
/// assert!(LeagueRole::Admin > LeagueRole::Viewer);
/// assert_eq!(LeagueRole::ALL.len(), 3);
/// assert_eq!(LeagueRole::Scorekeeper.name(), "Scorekeeper");
/// ```
///
/// Other derives can be added, such as singlet's `Attribute` for stored roles.
#[macro_export]
macro_rules! roles {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $role:ident {
            $($(#[$variant_attribute:meta])* $variant:ident),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        $visibility enum $role {
            $($(#[$variant_attribute])* $variant),+
        }

        impl $crate::access::Role for $role {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => ::core::stringify!($variant)),+
                }
            }
        }
    };
}

/// A caller's access to a resource, built from the stored grant.
///
/// ```
/// use singlet_web::access::Access;
///
/// singlet_web::roles! {
///     enum Role { Viewer, Admin }
/// }
///
/// let access = Access::new(None, Some(Role::Viewer));
/// assert!(access.require(Role::Viewer).is_ok());
/// assert_eq!(access.require(Role::Admin).unwrap_err().problem_type().status, 401);
/// ```
#[derive(Clone, Debug)]
pub struct Access<R> {
    is_signed_in: bool,
    role: Option<R>,
    hidden_as: Option<Problem>,
    hides_from_visitors: bool,
}

impl<R: Role> Access<R> {
    /// `role` is the caller's stored grant, if any.
    #[must_use]
    pub fn new(caller: Option<&Caller>, role: Option<R>) -> Self {
        Self { is_signed_in: caller.is_some(), role, hidden_as: None, hides_from_visitors: false }
    }

    /// Callers without a role get this problem instead of 403: the one for a missing id.
    ///
    /// Where visitors may call the routes, refuse missing ids with [`missing`], which asks them to
    /// sign in first, as this does.
    #[must_use]
    pub fn hidden_as(self, missing: impl ApiError) -> Self {
        Self { hidden_as: Some(missing.into()), ..self }
    }

    /// Hides the resource from visitors as well, with the problem of [`Access::hidden_as`] instead
    /// of 401: for reads that need no sign-in if the resource is public. Refuse missing ids with
    /// the same problem.
    #[must_use]
    pub fn also_from_visitors(self) -> Self {
        Self { hides_from_visitors: true, ..self }
    }

    /// The caller's role.
    #[must_use]
    pub fn role(&self) -> Option<R> {
        self.role
    }

    /// Whether the caller has at least this role.
    #[must_use]
    pub fn has(&self, needed: R) -> bool {
        self.role.is_some_and(|role| role >= needed)
    }

    /// Requires at least this role.
    ///
    /// # Errors
    ///
    /// 401 for anonymous callers, then the 404 of a hidden resource, then 403.
    pub fn require(&self, needed: R) -> Result<(), Problem> {
        self.require_if(self.has(needed), WithArticle(needed.name()))
    }

    /// Refuses the caller unless `allowed`: for permissions outside the role order, such as "the
    /// owner, or oneself". `who` is shown: "Only the owner of Tidewall can do this."
    ///
    /// # Errors
    ///
    /// 401 for anonymous callers, then the 404 of a hidden resource, then 403.
    pub fn require_if(&self, allowed: bool, who: impl Display) -> Result<(), Problem> {
        if allowed {
            return Ok(());
        }
        let is_hidden_from_visitors = self.hides_from_visitors && self.hidden_as.is_some();
        if !self.is_signed_in && !is_hidden_from_visitors {
            return Err(sign_in_required());
        }
        Err(match (&self.hidden_as, self.role) {
            (Some(missing), None) => missing.clone(),
            _ => Problem::new(&FORBIDDEN).detail(format!("Only {who} can do this.")),
        })
    }
}

/// The refusal for a missing id of a resource kind that may be hidden: the same as
/// [`Access::hidden_as`] gives for a hidden resource.
#[must_use]
pub fn missing(caller: Option<&Caller>, missing: impl ApiError) -> Problem {
    match caller {
        Some(_) => missing.into(),
        None => sign_in_required(),
    }
}

/// The refusal for visitors.
pub(crate) fn sign_in_required() -> Problem {
    Problem::new(&UNAUTHENTICATED).detail("a bearer token is needed")
}

/// A role's name in a sentence: `TeamAdmin` is "a team admin".
struct WithArticle(&'static str);

impl Display for WithArticle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begins_with_vowel = self.0.starts_with(['A', 'E', 'I', 'O', 'U']);
        f.write_str(if begins_with_vowel { "an" } else { "a" })?;
        for character in self.0.chars() {
            if character.is_uppercase() {
                f.write_str(" ")?;
            }
            write!(f, "{}", character.to_lowercase())?;
        }
        Ok(())
    }
}
