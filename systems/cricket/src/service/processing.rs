//! How far ticks have come.

use super::StoreError;
use crate::design::{Cricket, MatchId, ProcessingState};
use futures_util::{StreamExt, TryStreamExt, stream};
use singlet::operation::Put;
use singlet::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many matches are read at the same time.
const GETS_AT_ONCE_MAX: usize = 16;
/// How many states are kept in memory: more than there are matches in play at one time. A state has
/// up to 230 KB.
const REMEMBERED_MAX: usize = 256;

/// How far ticks have come: operations 55 to 57. Clones are one, with one memory.
#[derive(Clone)]
pub struct ProcessingService {
    db: Db<Cricket>,
    memory: Arc<Mutex<HashMap<MatchId, Arc<ProcessingState>>>>,
}

impl ProcessingService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db, memory: Arc::default() }
    }

    /// 55 How far a match is processed: from memory if that is of this sequence of the match, else
    /// from the table, consistently.
    pub async fn get(
        &self,
        id: &MatchId,
        sequence: u64,
    ) -> Result<Option<Arc<ProcessingState>>, StoreError> {
        let now = self.db.now();
        let remembered = self.memory().get(id).cloned();
        if let Some(state) = remembered
            && state.sequence == sequence
            && !state.expires_at.has_passed(now)
        {
            return Ok(Some(state));
        }
        let state = self.db.get(ProcessingState::key(id).consistent()).await?.map(Arc::new);
        match &state {
            Some(state) => self.remember(Arc::clone(state)),
            None => self.forget(id),
        }
        Ok(state)
    }

    /// 56 Sets how far a match is processed, by itself.
    pub async fn put(&self, state: &ProcessingState) -> Result<(), StoreError> {
        self.db.run(Self::put_operation(state)).await?;
        self.remember(Arc::new(state.clone()));
        Ok(())
    }

    /// 56 The same, not yet run, for the transaction of a tick or of a seek. Call
    /// [`remember`](Self::remember) after it.
    pub fn put_operation(state: &ProcessingState) -> Put<'_, ProcessingState> {
        put(state)
    }

    /// Keeps a state in memory that was committed.
    pub fn remember(&self, state: Arc<ProcessingState>) {
        let mut memory = self.memory();
        let is_full = memory.len() >= REMEMBERED_MAX && !memory.contains_key(&state.match_id);
        if is_full {
            // Any of them: it is read again when it is needed.
            let other = memory.keys().next().cloned();
            other.and_then(|other| memory.remove(&other));
        }
        memory.insert(state.match_id.clone(), state);
    }

    /// Forgets a state: its match is archived or deleted.
    pub fn forget(&self, id: &MatchId) {
        self.memory().remove(id);
    }

    /// 57 Loads the states of these matches into memory, 16 at once; of all matches without a list,
    /// by a Scan. Returns how many.
    pub async fn hydrate(&self, ids: Option<&[MatchId]>) -> Result<usize, StoreError> {
        let states = match ids {
            None => self.db.scan(Scan::<ProcessingState>::table()).all().await?,
            Some(ids) => {
                let gets: Vec<_> = ids
                    .iter()
                    .map(|id| self.db.get(ProcessingState::key(id).consistent()))
                    .collect();
                let read: Vec<Option<ProcessingState>> = stream::iter(gets)
                    .buffer_unordered(GETS_AT_ONCE_MAX)
                    .boxed()
                    .try_collect()
                    .await?;
                read.into_iter().flatten().collect()
            }
        };
        let count = states.len();
        for state in states {
            self.remember(Arc::new(state));
        }
        Ok(count)
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, HashMap<MatchId, Arc<ProcessingState>>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
