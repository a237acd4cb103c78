//! What was last given to be pushed.

use super::StoreError;
use super::store_error::condition_held;
use crate::design::{Cricket, MatchId, StateHash, TeamId};
use singlet::operation::Put;
use singlet::prelude::*;

/// What was last given to be pushed: operations 43 to 45. Clones are one.
#[derive(Clone)]
pub struct HashService {
    db: Db<Cricket>,
}

impl HashService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db }
    }

    /// 43 The state of a match from one perspective that was last given to be pushed.
    pub async fn get(&self, id: &MatchId, team: &TeamId) -> Result<Option<StateHash>, StoreError> {
        Ok(self.db.get(StateHash::key(id, team).consistent()).await?)
    }

    /// 44 Notes a newer state. `false` (fenced) if one is there that is as new.
    pub async fn put(&self, hash: &StateHash) -> Result<bool, StoreError> {
        condition_held(self.db.run(Self::put_operation(hash)).await)
    }

    /// 44 The same, not yet run, for the transaction of a tick.
    pub fn put_operation(hash: &StateHash) -> Put<'_, StateHash> {
        put(hash).only_if(Condition::missing().or(StateHash::SEQUENCE.lt(hash.sequence)))
    }

    /// 45 Deletes what is noted.
    pub async fn delete(&self, id: &MatchId, team: &TeamId) -> Result<(), StoreError> {
        Ok(self.db.run(delete(StateHash::key(id, team))).await?)
    }
}
