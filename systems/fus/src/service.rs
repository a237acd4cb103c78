//! What can be done: the operations of the specification, each a function.
//!
//! Every write is one request or one transaction with conditions, except three procedures that are
//! larger than a transaction: see `task_run`. A write that depends on a read repeats it as a
//! condition; a lost condition restarts from the read.

mod comments;
mod groups;
mod images;
mod jobs;
mod matches;
mod members;
mod players;
mod profiles;
mod ratings;
mod rights;
mod search;
mod site_change;
mod site_delete;
mod sites;
mod standings;
mod task_run;
mod texts;

pub use comments::COMMENTS_ON_SITE_MAX;
pub use groups::NewGroup;
pub use images::StoredImage;
pub use members::{Added, GROUPS_OF_USER_MAX};
pub use players::NewPlayer;
pub use profiles::SignIn;
pub use ratings::NewRating;
pub use rights::Rights;
pub(crate) use rights::require_admin;
pub use sites::NewSite;
pub use task_run::Outcome;

use crate::design::{CommentId, Fus, GroupName, MatchId, PlayerId, Profile, Site, SiteId, UserId};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::blob::Blobs;
use singlet_web::identity::Caller;
use singlet_web::problem::{FORBIDDEN, Problem};
use singlet_web::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::str::FromStr;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How often an operation is tried when others are faster.
const TRIES_MAX: u32 = 10;
/// How many pictures are decoded at a time.
const DECODED_AT_ONCE: usize = 2;
/// How many standings are computed at a time.
const STANDINGS_AT_ONCE: usize = 4;
/// How many characters the id of a user has at most.
const USER_ID_LEN_MAX: usize = 64;
/// How many characters any other id has at most: none that the server makes is longer.
const ID_LEN_MAX: usize = 64;
/// How many operations a transaction has room for.
const TRANSACTION_MAX: usize = 100;

/// The catalogue and the club as others use them. Clones are one service.
#[derive(Clone)]
pub struct Service {
    db: Db<Fus>,
    random: Random,
    blobs: Blobs,
    decoding: Arc<Semaphore>,
    computing: Arc<Semaphore>,
}

impl Service {
    /// A service on a database that has the table, and on a store for pictures.
    #[must_use]
    pub fn new(db: Db<Fus>, random: Random, blobs: Blobs) -> Self {
        let decoding = Arc::new(Semaphore::new(DECODED_AT_ONCE));
        let computing = Arc::new(Semaphore::new(STANDINGS_AT_ONCE));
        Self { db, random, blobs, decoding, computing }
    }

    /// The database.
    #[must_use]
    pub fn db(&self) -> &Db<Fus> {
        &self.db
    }

    /// The store for pictures.
    #[must_use]
    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Reads, decides and writes, and begins again if somebody else was faster.
    async fn retrying<T, F, A>(&self, mut work: F) -> Result<T, Error>
    where
        F: FnMut() -> A,
        A: Future<Output = Result<T, Error>>,
    {
        self.db.attempt(|_| work()).times(TRIES_MAX).await.map_err(Error::after_retries)
    }

    /// A site that is there for everybody.
    async fn live_site(&self, id: &SiteId) -> Result<Site, Error> {
        let site = self.db.get(Site::key(id).consistent()).await?;
        site.filter(Site::is_live).ok_or(Error::SiteNotFound)
    }

    /// Those of these sites that are there for everybody.
    async fn live_sites<'i>(
        &self,
        ids: impl Iterator<Item = &'i SiteId>,
    ) -> Result<BTreeMap<SiteId, Site>, Error> {
        let ids: BTreeSet<&SiteId> = ids.collect();
        let found: Vec<Option<Site>> = self.db.get_many(ids.into_iter().map(Site::key)).await?;
        let live = found.into_iter().flatten().filter(Site::is_live);
        Ok(live.map(|site| (site.id.clone(), site)).collect())
    }

    /// The profiles of these users, as far as they have one.
    async fn profiles_of<'i>(
        &self,
        users: impl Iterator<Item = &'i UserId>,
    ) -> Result<BTreeMap<UserId, Profile>, Error> {
        let users: BTreeSet<&UserId> = users.collect();
        let found: Vec<Option<Profile>> =
            self.db.get_many(users.into_iter().map(Profile::key)).await?;
        Ok(found.into_iter().flatten().map(|profile| (profile.sub.clone(), profile)).collect())
    }
}

/// The condition that a site is there for everybody.
fn is_live_site() -> Condition<Site> {
    Condition::exists().and(Site::STATE.missing())
}

/// The condition that a site is as it was read, and that no task is at work on it.
fn is_unchanged(site: &Site) -> Condition<Site> {
    is_live_site().and(Site::VERSION.eq(site.version)).and(Site::TASK_ID.missing())
}

/// The id of a user in a path: `None` for what no token can have.
fn parse_user(text: &str) -> Option<UserId> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_id = text.len() <= USER_ID_LEN_MAX && text.bytes().all(is_allowed);
    UserId::new(text).ok().filter(|_| is_id)
}

/// Whoever is calling.
fn user_of(caller: &Caller) -> Result<UserId, Error> {
    parse_user(&caller.subject).ok_or_else(|| {
        let detail = "The id of your account must have 1 to 64 letters, digits and hyphens here. \
                      Sign in with another account.";
        Problem::new(&FORBIDDEN).detail(detail).into()
    })
}

/// An id from outside: `None` for what is no id.
fn parse_id<I: FromStr>(text: &str) -> Option<I> {
    let is_short = text.len() <= ID_LEN_MAX;
    is_short.then(|| text.parse().ok()).flatten()
}

/// Ids in a path that cannot be ids lead to what is missing.
fn site_id(text: &str) -> Result<SiteId, Error> {
    parse_id(text).ok_or(Error::SiteNotFound)
}

fn comment_id(text: &str) -> Result<CommentId, Error> {
    parse_id(text).ok_or(Error::CommentNotFound)
}

fn group_name(text: &str) -> Result<GroupName, Error> {
    parse_id(text).ok_or(Error::GroupNotFound)
}

fn player_id(text: &str) -> Result<PlayerId, Error> {
    parse_id(text).ok_or(Error::PlayerNotFound)
}

fn match_id(text: &str) -> Result<MatchId, Error> {
    parse_id(text).ok_or(Error::MatchNotFound)
}
