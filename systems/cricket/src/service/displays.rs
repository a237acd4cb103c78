//! What pages and phones show.

use super::StoreError;
use super::store_error::condition_held;
use crate::design::{Cricket, MatchId, StoredDisplay, TeamId};
use singlet::prelude::*;
use std::time::Duration;

/// How long a state is kept.
const KEPT: Duration = Duration::from_secs(60);
/// How long the last state of a match is kept.
const FINAL_KEPT: Duration = Duration::from_hours(24);

/// What pages and phones show: operations 46 and 47. Clones are one.
#[derive(Clone)]
pub struct DisplayService {
    db: Db<Cricket>,
}

impl DisplayService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db }
    }

    /// 46 What is shown of a match from one perspective.
    pub async fn get(
        &self,
        id: &MatchId,
        team: &TeamId,
    ) -> Result<Option<StoredDisplay>, StoreError> {
        Ok(self.db.get(StoredDisplay::key(id, team)).await?)
    }

    /// 47 Keeps what is shown, unless what is there is newer. `false` if it is.
    pub async fn put(
        &self,
        id: &MatchId,
        team: &TeamId,
        state: String,
        sequence: u64,
        is_final: bool,
    ) -> Result<bool, StoreError> {
        let kept = if is_final { FINAL_KEPT } else { KEPT };
        let display = StoredDisplay {
            match_id: id.clone(),
            team_id: team.clone(),
            state,
            sequence,
            expires: Expiry::at(self.db.now().after(kept)),
        };
        let is_older = Condition::missing().or(StoredDisplay::SEQUENCE.le(sequence));
        condition_held(self.db.run(put(&display).only_if(is_older)).await)
    }
}
