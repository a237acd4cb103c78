//! Locks keep servers from doing the same work.
//!
//! A lock keeps servers from doing the same work. It is not what keeps the data right: a holder
//! that was paused past its lease may believe that it still has the lock. So a tick commits only
//! where the sequence and the snapshot's time are as it has read them
//! ([`FixtureService::tick`](super::FixtureService::tick)), and messages are claimed by conditional
//! writes.

use super::{LockService, held};
use crate::design::{Lock, LockKey, Owner};
use singlet::backend::BoxFuture;
use singlet::prelude::*;
use singlet::{Error, Result, item};
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
        let now = self.db.now();
        let expires_at = now.after(lease).as_millis();
        let lock = Lock { lock_key: key.clone(), owner: owner.clone(), expires_at };
        let is_free = Condition::missing().or(Lock::EXPIRES_AT.le(now.as_millis()));
        match self.db.run(put(&lock).only_if(is_free)).await {
            Ok(()) => Ok(Acquired::Held { expires_at }),
            Err(Error::ConditionFailed { item: Some(stored), .. }) => {
                let stored: Lock = item::decode_item(&stored)?;
                // Over a network a write may be sent twice, and the second time be refused because
                // of the first.
                if stored == lock {
                    return Ok(Acquired::Held { expires_at });
                }
                Ok(Acquired::Busy { owner: stored.owner, expires_at: stored.expires_at })
            }
            Err(error) => Err(error),
        }
    }

    /// Acquires a lock, or extends it if the caller has it already. Returns until when; `None` if
    /// another server has it.
    pub async fn hold(&self, key: &LockKey, owner: &Owner, lease: Duration) -> Result<Option<i64>> {
        match self.acquire(key, owner, lease).await? {
            Acquired::Held { expires_at } => Ok(Some(expires_at)),
            Acquired::Busy { owner: holder, .. } if holder == *owner => {
                self.extend(key, owner, lease).await
            }
            Acquired::Busy { .. } => Ok(None),
        }
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
            let acquired = self.locks.acquire(&key_of(name), &self.owner, duration).await?;
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
            let extended = self.locks.extend(&key_of(&grant.name), &self.owner, duration).await?;
            Ok(extended.is_some())
        })
    }

    fn release<'a>(&'a self, grant: &'a LeaseGrant) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move { self.locks.release(&key_of(&grant.name), &self.owner).await })
    }
}

/// The kit calls a lease by the system and the job: `cricket.league-sync`.
fn key_of(name: &str) -> LockKey {
    LockKey::of_job(name.split_once('.').map_or(name, |(_, job)| job))
}
