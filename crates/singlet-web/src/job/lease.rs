//! Leases on named work.

use crate::Web;
use singlet::Error;
use singlet::backend::{BackendError, BoxFuture};
use singlet::prelude::*;
use std::time::Duration;

id! {
    /// The name of a lease.
    LeaseName,
}

/// A stored lease. The item is never deleted, so that fences never repeat.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("LEASE#{name}"), rename_all = "camelCase")]
pub struct LeaseItem {
    /// The name of the lease.
    #[attribute(in_key)]
    pub name: LeaseName,
    /// The current or last owner.
    pub owner: String,
    /// How many times it was acquired.
    pub fence: u64,
    /// When it ends, in Unix milliseconds. It is free from that millisecond on.
    pub expires_at: i64,
}

/// An acquired lease.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseGrant {
    /// The name of the lease.
    pub name: String,
    /// The owner.
    pub owner: String,
    /// The fencing token, greater for every later holder.
    pub fence: u64,
}

impl LeaseGrant {
    /// A grant, for implementations of [`LeaseTable`].
    #[must_use]
    pub fn new(name: impl Into<String>, owner: impl Into<String>, fence: u64) -> Self {
        Self { name: name.into(), owner: owner.into(), fence }
    }
}

/// Storage of leases: [`Leases`], or a system's own table.
pub trait LeaseTable: Send + Sync {
    /// Acquires a lease; `None` if it is held. The fence is greater than all before.
    fn acquire<'a>(
        &'a self,
        name: &'a str,
        duration: Duration,
    ) -> BoxFuture<'a, Result<Option<LeaseGrant>, Error>>;

    /// Extends a lease to `duration` from now; `false` if it has ended or has another owner.
    fn extend<'a>(
        &'a self,
        grant: &'a LeaseGrant,
        duration: Duration,
    ) -> BoxFuture<'a, Result<bool, Error>>;

    /// Releases a lease; `false` if it has another owner.
    fn release<'a>(&'a self, grant: &'a LeaseGrant) -> BoxFuture<'a, Result<bool, Error>>;
}

/// Leases in the kit's table: `LEASE#{name}` with `owner`, `expiresAt` (ms) and `fence`. Clones
/// share the owner.
///
/// ```
/// use singlet::Db;
/// use singlet_web::{Web, job::{LeaseTable as _, Leases}};
/// use std::time::Duration;
///
/// # singlet::block_on(async {
/// let db = Db::<Web>::memory().await?;
/// let (one, other) = (Leases::new(db.clone(), "one"), Leases::new(db, "other"));
/// let minute = Duration::from_secs(60);
/// let grant = one.acquire("clean-up", minute).await?.unwrap();
/// assert!(other.acquire("clean-up", minute).await?.is_none());
/// assert!(one.release(&grant).await?);
/// assert_eq!(other.acquire("clean-up", minute).await?.unwrap().fence, grant.fence + 1);
/// # Ok::<(), singlet::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Leases {
    pub(super) db: Db<Web>,
    owner: String,
}

impl Leases {
    /// Leases for this owner. Use a new random name at each start.
    #[must_use]
    pub fn new(db: Db<Web>, owner: impl Into<String>) -> Self {
        Self { db, owner: owner.into() }
    }

    /// The current holder of a lease.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn holder(&self, name: &str) -> Result<Option<String>, Error> {
        let item = self.db.get(LeaseItem::key(&lease_name(name)?).consistent()).await?;
        let now = self.db.now().as_millis();
        Ok(item.filter(|item| item.expires_at > now).map(|item| item.owner))
    }
}

impl LeaseTable for Leases {
    fn acquire<'a>(
        &'a self,
        name: &'a str,
        duration: Duration,
    ) -> BoxFuture<'a, Result<Option<LeaseGrant>, Error>> {
        Box::pin(async move {
            let now = self.db.now();
            let is_free = LeaseItem::EXPIRES_AT.le(now.as_millis());
            let acquire = upsert(LeaseItem::key(&lease_name(name)?))
                .add(LeaseItem::FENCE, 1)
                .set(LeaseItem::OWNER, self.owner.as_str())
                .set(LeaseItem::EXPIRES_AT, now.after(duration).as_millis())
                .only_if(LeaseItem::EXPIRES_AT.missing().or(is_free))
                .returning_new();
            match self.db.run(acquire).await {
                Ok(item) => Ok(Some(LeaseGrant::new(name, item.owner, item.fence))),
                Err(Error::ConditionFailed { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn extend<'a>(
        &'a self,
        grant: &'a LeaseGrant,
        duration: Duration,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move {
            let now = self.db.now();
            let is_held = LeaseItem::EXPIRES_AT.gt(now.as_millis());
            self.change(grant, now.after(duration), is_held).await
        })
    }

    fn release<'a>(&'a self, grant: &'a LeaseGrant) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move {
            let any = LeaseItem::EXPIRES_AT.exists();
            self.change(grant, self.db.now(), any).await
        })
    }
}

impl Leases {
    /// Changes the expiry of a lease with this fence.
    async fn change(
        &self,
        grant: &LeaseGrant,
        expires_at: Timestamp,
        condition: Condition<LeaseItem>,
    ) -> Result<bool, Error> {
        let is_ours =
            LeaseItem::FENCE.eq(grant.fence).and(LeaseItem::OWNER.eq(grant.owner.as_str()));
        let change = update(LeaseItem::key(&lease_name(&grant.name)?))
            .set(LeaseItem::EXPIRES_AT, expires_at.as_millis())
            .only_if(is_ours.and(condition));
        match self.db.run(change).await {
            Ok(_) => Ok(true),
            Err(Error::ConditionFailed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

pub(super) fn lease_name(name: &str) -> Result<LeaseName, Error> {
    LeaseName::new(name).map_err(|error| BackendError::Failed(Box::new(error)).into())
}
