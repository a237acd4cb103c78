//! `cricket-locks`: what one server does at a time.

use singlet::prelude::*;

id! {
    /// What is locked: `match:{matchId}`, `feed:livescores`, `job:{name}`.
    LockKey,
    /// Who has a lock: `{host}-{pid}-{8 hex}`.
    Owner,
}

/// The locks. There is no time to live: an expired lock is free at its very millisecond.
#[table(name = "cricket-locks", key = (lockKey), entities(Lock))]
pub struct Locks;

/// A lock that somebody has, or had.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Locks, key = ("{lock_key}"), rename_all = "camelCase")]
pub struct Lock {
    /// What is locked.
    pub lock_key: LockKey,
    /// By whom.
    pub owner: Owner,
    /// Until when, in epoch milliseconds. At that millisecond it is free.
    pub expires_at: i64,
}

impl LockKey {
    pub(crate) fn named(kind: &str, name: &str) -> Self {
        Self(format!("{kind}{name}").replace('#', "-"))
    }
}

impl Owner {
    pub(crate) fn named(process: &str, unique: &str) -> Self {
        Self(format!("{process}{unique}").replace('#', "-"))
    }
}
