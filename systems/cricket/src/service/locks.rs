//! Locks keep servers from doing the same work.
//!
//! They are not what keeps the data right: a holder that was paused past its lease may believe that
//! it still has the lock. So a tick commits only where the sequence and the snapshot's time are as
//! it has read them ([`FixtureService::tick`](super::FixtureService::tick)), and messages are
//! claimed by conditional writes.

use super::{LockService, held};
use crate::design::{Lock, LockKey, Owner};
use singlet::backend::BoxFuture;
use singlet::prelude::*;
use singlet::{Error, Result};
use singlet_web::job::{LeaseGrant, LeaseTable};
use singlet_web::random::{Random, RandomUnavailable};
use std::time::Duration;

/// How long a lock of a match or of the feed is held without being extended.
pub const LEASE: Duration = Duration::from_secs(10);

/// Times are in epoch milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acquired {
    Held { expires_at: i64 },
    Busy { owner: Owner, expires_at: i64 },
}

impl Owner {
    /// An owner that no other server is: `{host}-{pid}-{8 hex}`.
    pub fn of_this_process(random: &Random) -> Result<Self, RandomUnavailable> {
        let host = std::env::var("HOSTNAME").ok().filter(|host| !host.is_empty());
        let host = host.unwrap_or_else(|| "host".to_owned());
        let unique = u32::from_be_bytes(random.bytes()?);
        Ok(Self::named(&format!("{host}-{}-{unique:08x}", std::process::id())))
    }
}

impl LockService {
    /// 40 Acquires a lock, if it is free or has expired by now.
    pub async fn acquire(&self, key: &LockKey, owner: &Owner, lease: Duration) -> Result<Acquired> {
        self.db
            .attempt(async |db| {
                let lock = self.new_lock(key, owner, lease);
                // The network may repeat the write, which then finds its own lock.
                let is_same = Lock::OWNER.eq(owner).and(Lock::EXPIRES_AT.eq(lock.expires_at));
                match db.run(put(&lock).only_if(self.is_free().or(is_same))).await {
                    Ok(()) => Ok(Acquired::Held { expires_at: lock.expires_at }),
                    Err(refused @ Error::ConditionFailed { .. }) => {
                        let stored = db.get(Lock::key(key).consistent()).await?;
                        // Released in between: it is free again.
                        let Lock { owner, expires_at, .. } = stored.ok_or(refused)?;
                        Ok(Acquired::Busy { owner, expires_at })
                    }
                    Err(error) => Err(error),
                }
            })
            .await
    }

    /// Acquires a lock, or extends it if the caller has it already. Returns until when; `None` if
    /// another server has it.
    pub async fn hold(&self, key: &LockKey, owner: &Owner, lease: Duration) -> Result<Option<i64>> {
        let lock = self.new_lock(key, owner, lease);
        let is_ours = self.is_free().or(Lock::OWNER.eq(owner));
        Ok(held(self.db.run(put(&lock).only_if(is_ours)).await)?.map(|()| lock.expires_at))
    }

    fn new_lock(&self, key: &LockKey, owner: &Owner, lease: Duration) -> Lock {
        let expires_at = self.db.now().after(lease).as_millis();
        Lock { lock_key: key.clone(), owner: owner.clone(), expires_at }
    }

    fn is_free(&self) -> Condition<Lock> {
        Condition::missing().or(Lock::EXPIRES_AT.le(self.db.now().as_millis()))
    }

    /// 41 Releases a lock. `false` if the caller does not have it.
    pub async fn release(&self, key: &LockKey, owner: &Owner) -> Result<bool> {
        let change = delete(Lock::key(key)).only_if(Lock::OWNER.eq(owner));
        Ok(held(self.db.run(change).await)?.is_some())
    }

    /// 42 Extends a lock to `lease` from now. Returns until when; `None` if the caller does not have
    /// it.
    pub async fn extend(
        &self,
        key: &LockKey,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Option<i64>> {
        let expires_at = self.db.now().after(lease).as_millis();
        let change =
            update(Lock::key(key)).set(Lock::EXPIRES_AT, expires_at).only_if(Lock::OWNER.eq(owner));
        Ok(held(self.db.run(change).await)?.map(|()| expires_at))
    }

    /// The locks that are held now, by key: for the page of admins.
    pub async fn all(&self) -> Result<Vec<Lock>> {
        let now = self.db.now().as_millis();
        let mut locks = self.db.scan(Scan::<Lock>::table()).all().await?;
        locks.retain(|lock| lock.expires_at > now);
        locks.sort_by_key(|lock| lock.lock_key.clone());
        Ok(locks)
    }

    pub fn leases(&self, owner: Owner) -> JobLocks {
        JobLocks { locks: self.clone(), owner }
    }
}

/// The locks as leases of the kit's jobs: the job `league-sync` has the lock `job:league-sync`.
pub struct JobLocks {
    locks: LockService,
    owner: Owner,
}

impl LeaseTable for JobLocks {
    fn acquire<'a>(
        &'a self,
        name: &'a str,
        duration: Duration,
    ) -> BoxFuture<'a, Result<Option<LeaseGrant>>> {
        Box::pin(async move {
            let acquired =
                self.locks.acquire(&LockKey::of_lease(name), &self.owner, duration).await?;
            let Acquired::Held { expires_at } = acquired else { return Ok(None) };
            // Greater for every later holder: the lock before this one had expired by now, or was
            // released.
            let fence = u64::try_from(expires_at).unwrap_or_default();
            Ok(Some(LeaseGrant::new(name, self.owner.as_str(), fence)))
        })
    }

    fn extend<'a>(
        &'a self,
        grant: &'a LeaseGrant,
        duration: Duration,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let extended =
                self.locks.extend(&LockKey::of_lease(&grant.name), &self.owner, duration).await?;
            Ok(extended.is_some())
        })
    }

    fn release<'a>(&'a self, grant: &'a LeaseGrant) -> BoxFuture<'a, Result<bool>> {
        Box::pin(
            async move { self.locks.release(&LockKey::of_lease(&grant.name), &self.owner).await },
        )
    }
}
