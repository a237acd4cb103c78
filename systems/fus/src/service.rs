//! The operations of the specification, one function each.
//!
//! Every write is one request or one conditional transaction, except three procedures that exceed a
//! transaction: see `task_run`. A write that depends on a read repeats it as a condition and
//! restarts from the read when the condition fails.

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
mod tags;
mod task_run;

pub use comments::{COMMENTS_ON_SITE_MAX, CommentBody, Reason};
pub use groups::{GroupChange, NewGroup, NewName};
pub use members::{Added, GROUPS_OF_USER_MAX};
pub use players::{Email, NewPlayer};
pub use profiles::{NewProfile, SignIn};
pub use ratings::NewRating;
pub use rights::Rights;
pub(crate) use rights::require_admin;
pub use sites::{NewSite, PageText};
pub use task_run::Outcome;

use crate::design::{Fus, Profile, Site, SiteId, TaskId, UserId};
use crate::error::{Error, Result};
use singlet::prelude::*;
use singlet_web::blob::Blobs;
use singlet_web::prelude::*;
use singlet_web::problem::FORBIDDEN;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Lists have fifty entries unless another number is asked for.
pub type ListPaging = Paging<50, 100>;

const DECODED_AT_ONCE: usize = 2;
const STANDINGS_AT_ONCE: usize = 4;
const USER_ID_LEN_MAX: usize = 64;
/// How many operations a transaction has room for.
const TRANSACTION_MAX: usize = 100;

/// Where long-running work continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionMode {
    /// The server, right after the response; the job if the server dies first.
    Background,
    /// The job alone, so that tests can inspect what the request itself wrote.
    JobOnly,
}

/// A cheap handle to the catalogue and the club.
#[derive(Clone)]
pub struct Service {
    db: Db<Fus>,
    random: Random,
    blobs: Blobs,
    decoding: Arc<Semaphore>,
    computing: Arc<Semaphore>,
    deletions: DeletionMode,
}

impl Service {
    /// A service that leaves what takes long to the jobs.
    pub fn new(db: Db<Fus>, random: Random, blobs: Blobs) -> Self {
        let decoding = Arc::new(Semaphore::new(DECODED_AT_ONCE));
        let computing = Arc::new(Semaphore::new(STANDINGS_AT_ONCE));
        Self { db, random, blobs, decoding, computing, deletions: DeletionMode::JobOnly }
    }

    pub fn with_deletions(self, deletions: DeletionMode) -> Self {
        Self { deletions, ..self }
    }

    pub fn db(&self) -> &Db<Fus> {
        &self.db
    }

    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Runs work after the response. If it fails, a job does it.
    fn in_background<F, A, T>(&self, what: &'static str, work: F)
    where
        F: FnOnce(Self) -> A,
        A: Future<Output = Result<T>> + Send + 'static,
    {
        if self.deletions == DeletionMode::JobOnly {
            return;
        }
        let work = work(self.clone());
        tokio::spawn(async move {
            if let Err(error) = work.await {
                tracing::warn!(%error, "{what} is left to a job");
            }
        });
    }

    /// Continues a deletion after the response.
    pub fn run_in_background(&self, task: TaskId) {
        self.in_background("a deletion", |service| async move { service.run_task(&task).await });
    }

    async fn live_site(&self, id: &SiteId) -> Result<Site> {
        let site = self.db.get(Site::key(id).consistent()).await?;
        site.filter(Site::is_live).ok_or(Error::SiteNotFound)
    }

    /// The live sites among these.
    async fn live_sites<'i>(
        &self,
        ids: impl Iterator<Item = &'i SiteId>,
    ) -> Result<BTreeMap<SiteId, Site>> {
        let ids: BTreeSet<&SiteId> = ids.collect();
        let found: Vec<Option<Site>> = self.db.get_many(ids.into_iter().map(Site::key)).await?;
        let live = found.into_iter().flatten().filter(Site::is_live);
        Ok(live.map(|site| (site.id.clone(), site)).collect())
    }

    /// The profiles of these users; users without one are skipped.
    async fn profiles_of<'i>(
        &self,
        users: impl Iterator<Item = &'i UserId>,
    ) -> Result<BTreeMap<UserId, Profile>> {
        let users: BTreeSet<&UserId> = users.collect();
        let found: Vec<Option<Profile>> =
            self.db.get_many(users.into_iter().map(Profile::key)).await?;
        Ok(found.into_iter().flatten().map(|profile| (profile.sub.clone(), profile)).collect())
    }
}

/// A text without line breaks, and with single blanks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_live_site() -> Condition<Site> {
    Condition::exists().and(Site::STATE.missing())
}

/// Condition: the site is unchanged since the read, and no task is working on it.
fn is_unchanged(site: &Site) -> Condition<Site> {
    is_live_site().and(Site::VERSION.eq(site.version)).and(Site::TASK_ID.missing())
}

/// The caller's id, checked for use in addresses and file names.
fn user_of(caller: &Caller) -> Result<UserId> {
    let text = caller.subject.as_str();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_id = text.len() <= USER_ID_LEN_MAX && text.bytes().all(is_allowed);
    UserId::new(text).ok().filter(|_| is_id).ok_or_else(|| {
        let detail = "The id of your account must have 1 to 64 letters, digits and hyphens here. \
                      Sign in with another account.";
        Problem::new(&FORBIDDEN).detail(detail).into()
    })
}
