//! Which messages were sent.

use super::StoreError;
use super::store_error::condition_held;
use crate::design::{Claim, Cricket, MatchId, Notification};
use singlet::prelude::*;

/// Which messages were sent: operations 38 and 39. Clones are one.
#[derive(Clone)]
pub struct PrematchService {
    db: Db<Cricket>,
}

impl PrematchService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db }
    }

    /// 38 Whether a message was sent, or is being sent.
    pub async fn was_sent(&self, id: &MatchId, claim: &Claim) -> Result<bool, StoreError> {
        Ok(self.db.get(Notification::key(id, claim).consistent()).await?.is_some())
    }

    /// 39 Claims to send a message: `true` for exactly one caller.
    pub async fn mark_sent(&self, id: &MatchId, claim: &Claim) -> Result<bool, StoreError> {
        let now = self.db.now();
        let notification = Notification {
            match_id: id.clone(),
            claim: claim.clone(),
            sent_at: now,
            expires_at: Expiry::at(now.after(Notification::KEPT)),
        };
        condition_held(self.db.run(create(&notification)).await)
    }

    /// Forgets that a message was sent: it may be sent again.
    pub async fn forget(&self, id: &MatchId, claim: &Claim) -> Result<(), StoreError> {
        Ok(self.db.run(delete(Notification::key(id, claim))).await?)
    }
}
