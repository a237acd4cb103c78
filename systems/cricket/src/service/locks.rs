//! The locks: what one server does at a time.
//!
//! A lock keeps servers from doing the same work. It is not what keeps the data right: a holder
//! that was paused past its lease may believe that it still has the lock. So a tick commits only
//! where the sequence and the snapshot's time are as it has read them
//! ([`FixtureService::tick`](super::FixtureService::tick)), and messages are claimed by conditional
//! writes.

use super::StoreError;
use super::store_error::condition_held;
use crate::design::{Cricket, Lock, LockKey, MatchId, Owner};
use singlet::backend::BoxFuture;
use singlet::prelude::*;
use singlet::{Error, item};
use singlet_web::job::{LeaseGrant, LeaseTable};
use singlet_web::random::{Random, RandomUnavailable};
use std::time::Duration;

/// How long a lock of a match or of the feed is held without being extended.
pub const LEASE: Duration = Duration::from_secs(10);

/// The locks: operations 40 to 42. Clones are one.
#[derive(Clone)]
pub struct LockService {
    db: Db<Cricket>,
}

/// What acquiring a lock came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// The caller has it.
    Held {
        /// Until when, in epoch milliseconds.
        expires_at: i64,
    },
    /// Somebody else has it.
    Busy {
        /// Who.
        owner: Owner,
        /// Until when, in epoch milliseconds.
        expires_at: i64,
    },
}

impl LockKey {
    /// The lock of one match, which a tick holds.
    #[must_use]
    pub fn of_match(id: &MatchId) -> Self {
        Self::named("match:", id.as_str())
    }

    /// The lock of the feed: whoever has it polls.
    #[must_use]
    pub fn feed() -> Self {
        Self::named("feed:", "livescores")
    }

    /// The lock of a job.
    #[must_use]
    pub fn of_job(name: &str) -> Self {
        Self::named("job:", name)
    }
}

impl Owner {
    /// An owner that no other server is: `{host}-{pid}-{8 hex}`.
    ///
    /// # Errors
    ///
    /// If there are no random numbers.
    pub fn of_this_process(random: &Random) -> Result<Self, RandomUnavailable> {
        let host = std::env::var("HOSTNAME").ok().filter(|host| !host.is_empty());
        let host = host.unwrap_or_else(|| "host".to_owned()).replace('#', "-");
        let bytes: [u8; 4] = random.bytes()?;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self::named(&format!("{host}-{}-", std::process::id()), &hex))
    }
}

impl LockService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db }
    }

    /// 40 Acquires a lock, if it is free or has expired by now.
    pub async fn acquire(
        &self,
        key: &LockKey,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Acquired, StoreError> {
        let now = self.db.now();
        let expires_at = now.after(lease).as_millis();
        let lock = Lock { lock_key: key.clone(), owner: owner.clone(), expires_at };
        let is_free = Condition::missing().or(Lock::EXPIRES_AT.le(now.as_millis()));
        match self.db.run(put(&lock).only_if(is_free)).await {
            Ok(()) => Ok(Acquired::Held { expires_at }),
            Err(Error::ConditionFailed { item: Some(stored), .. }) => {
                let stored: Lock = item::decode_item(&stored).map_err(Error::from)?;
                // Over a network a write may be sent twice, and the second time be refused because
                // of the first.
                if stored == lock {
                    return Ok(Acquired::Held { expires_at });
                }
                Ok(Acquired::Busy { owner: stored.owner, expires_at: stored.expires_at })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// 41 Releases a lock. `false` if somebody else has it, or nobody.
    pub async fn release(&self, key: &LockKey, owner: &Owner) -> Result<bool, StoreError> {
        condition_held(self.db.run(delete(Lock::key(key)).only_if(Lock::OWNER.eq(owner))).await)
    }

    /// 42 Extends a lock to `lease` from now. Returns until when in epoch milliseconds; `None` if
    /// somebody else has it, or nobody.
    pub async fn extend(
        &self,
        key: &LockKey,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Option<i64>, StoreError> {
        let expires_at = self.db.now().after(lease).as_millis();
        let change =
            update(Lock::key(key)).set(Lock::EXPIRES_AT, expires_at).only_if(Lock::OWNER.eq(owner));
        Ok(condition_held(self.db.run(change).await)?.then_some(expires_at))
    }

    /// Who has which lock at this moment, by key: for the page of admins.
    pub async fn all(&self) -> Result<Vec<Lock>, StoreError> {
        let now = self.db.now().as_millis();
        let mut locks = self.db.scan(Scan::<Lock>::table()).all().await?;
        locks.retain(|lock| lock.expires_at > now);
        locks.sort_by(|one, other| one.lock_key.cmp(&other.lock_key));
        Ok(locks)
    }

    /// The locks as leases of the kit's jobs: the job `league-sync` has the lock `job:league-sync`.
    #[must_use]
    pub fn leases(&self, owner: Owner) -> JobLocks {
        JobLocks { locks: self.clone(), owner }
    }
}

/// The locks as leases of the kit's jobs.
pub struct JobLocks {
    locks: LockService,
    owner: Owner,
}

impl LeaseTable for JobLocks {
    fn acquire<'a>(
        &'a self,
        name: &'a str,
        duration: Duration,
    ) -> BoxFuture<'a, Result<Option<LeaseGrant>, Error>> {
        Box::pin(async move {
            let acquired = self.locks.acquire(&key_of_lease(name), &self.owner, duration).await;
            Ok(match acquired.map_err(into_model)? {
                // Greater for every later holder: the lock before this one had expired by now, or
                // was released.
                Acquired::Held { expires_at } => {
                    let fence = u64::try_from(expires_at).unwrap_or_default();
                    Some(LeaseGrant::new(name, self.owner.as_str(), fence))
                }
                Acquired::Busy { .. } => None,
            })
        })
    }

    fn extend<'a>(
        &'a self,
        grant: &'a LeaseGrant,
        duration: Duration,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move {
            let extended =
                self.locks.extend(&key_of_lease(&grant.name), &self.owner, duration).await;
            Ok(extended.map_err(into_model)?.is_some())
        })
    }

    fn release<'a>(&'a self, grant: &'a LeaseGrant) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move {
            let released = self.locks.release(&key_of_lease(&grant.name), &self.owner).await;
            released.map_err(into_model)
        })
    }
}

/// The kit calls a lease by the system and the job: `cricket.league-sync`.
fn key_of_lease(name: &str) -> LockKey {
    LockKey::of_job(name.split_once('.').map_or(name, |(_, job)| job))
}

fn into_model(error: StoreError) -> Error {
    match error {
        StoreError::Store(error) => error,
        StoreError::StoreBusy { not_done } => {
            Error::Unprocessed { count: not_done.len(), keys: Vec::new() }
        }
    }
}
