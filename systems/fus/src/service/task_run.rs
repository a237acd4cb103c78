//! Tasks: procedures larger than one transaction.
//!
//! A change runs inside its request, a deletion in the background after the response; the job
//! `finish-tasks` resumes both if the server died. Concurrent runs are safe: steps are idempotent
//! and conditional on the item still naming the task. On a conflict the task is read again; a
//! missing task is done.

use super::Service;
use crate::design::{Fus, GroupName, Payload, Phase, SiteId, Task, TaskId, TaskKind};
use crate::error::{Error, Result};
use singlet::prelude::*;
use singlet::table::StoredIn;
use singlet::transaction::Transaction;
use singlet::{Key, Projection, Retryable as _};
use singlet_web::prelude::*;

/// Failures after which a task stops.
pub(super) const FAILURES_MAX: u32 = 100;
/// Delay before the first retry; later retries wait longer.
const PAUSE: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_secs(600);
const ERROR_CHARS_MAX: usize = 500;

/// How many items one transaction of a deletion deletes.
const DELETED_AT_ONCE: usize = 25;
/// Items of one kind read per round of a deletion.
pub(super) const READ_AT_ONCE: usize = 1_000;
/// How long to wait for an index that lags behind.
const LAG: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// A round has deleted items, and others are left: the next round follows at once.
    More,
    /// Items are left that an index does not show yet: the task goes on after this time.
    Later(Duration),
}

impl Outcome {
    /// The outcome of a round with items left. If nothing was deleted, the index is lagging: wait.
    pub(super) fn unfinished(deleted: usize) -> Self {
        if deleted > 0 { Self::More } else { Self::Later(LAG) }
    }
}

impl Service {
    /// Due at once.
    pub(super) fn new_task(&self, kind: TaskKind, target: String) -> Result<Task> {
        let now = self.db.now();
        Ok(Task {
            task_id: self.random.id(now)?,
            kind,
            target,
            phase: Phase::Add,
            payload: Payload::default(),
            attempts: 0,
            next_at: now,
            last_error: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// Runs a task until it is done or has to wait. A missing task is done.
    pub async fn run_task(&self, id: &TaskId) -> Result<Outcome> {
        loop {
            match self.run_round(id).await? {
                Outcome::More => {}
                ended => return Ok(ended),
            }
        }
    }

    /// One round. A change needs one, a deletion may need many.
    async fn run_round(&self, id: &TaskId) -> Result<Outcome> {
        self.db.attempt(|_| self.try_task(id)).await
    }

    async fn try_task(&self, id: &TaskId) -> Result<Outcome> {
        let Some(task) = self.db.get(Task::key(id).consistent()).await? else {
            return Ok(Outcome::Done);
        };
        let target = task.target.clone();
        let site = target.strip_prefix("SITE#").and_then(|id| SiteId::new(id).ok());
        let group = target.strip_prefix("GROUP#").and_then(|name| GroupName::new(name).ok());
        match (task.kind, site, group) {
            (TaskKind::SiteChange, Some(site), _) => self.continue_site_change(&site, task).await,
            (TaskKind::SiteDelete, Some(site), _) => self.continue_site_delete(&site, id).await,
            (TaskKind::GroupDelete, _, Some(group)) => self.continue_group_delete(&group, id).await,
            // Never written by this program.
            _ => {
                tracing::error!(task = %id, target, "a task without a target is dropped");
                self.db.run(delete(Task::key(id))).await?;
                Ok(Outcome::Done)
            }
        }
    }

    /// Deletes items and decrements their counter, 25 per transaction, and returns the number
    /// deleted. Skips items that are missing or have changed.
    ///
    /// `count` adds the counter update to a transaction, `remove` the delete of one item.
    pub(super) async fn delete_counted<E>(
        &self,
        items: &[E],
        key: impl Fn(&E) -> Key<E>,
        count: impl Fn(i64, &mut Transaction<'_, Fus, Error>),
        remove: impl Fn(&E, &mut Transaction<'_, Fus, Error>),
    ) -> Result<usize>
    where
        E: StoredIn<Fus> + Projection<Entity = E> + Clone + PartialEq,
    {
        let mut deleted = 0;
        for chunk in items.chunks(DELETED_AT_ONCE) {
            let mut left = chunk.to_vec();
            while !left.is_empty() {
                let mut transaction = self.db.transaction::<Error>();
                count(i64::try_from(left.len()).unwrap_or(0), &mut transaction);
                left.iter().for_each(|item| remove(item, &mut transaction));
                match transaction.run().await {
                    Ok(()) => {
                        deleted += left.len();
                        break;
                    }
                    // A lagging index may return deleted items. Drop them all after one read rather
                    // than one per transaction: another server may already have decremented the
                    // counter for them.
                    Err(error)
                        if error.is_retryable()
                            || matches!(error, Error::Store(singlet::Error::OutOfRange(_))) =>
                    {
                        let gets = left.iter().map(|item| key(item).consistent());
                        let stored: Vec<Option<E>> = self.db.get_many(gets).await?;
                        let count = left.len();
                        let pairs = left.into_iter().zip(stored);
                        let same = pairs.filter(|(item, stored)| stored.as_ref() == Some(item));
                        left = same.map(|(item, _)| item).collect();
                        if left.len() == count {
                            return Err(Error::changed());
                        }
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        Ok(deleted)
    }

    /// Runs a task for the job and schedules the next attempt.
    pub(super) async fn run_due_task(&self, task: &Task, run: &JobRun) -> Result<(), JobError> {
        let mut outcome = self.run_round(&task.task_id).await;
        while matches!(outcome, Ok(Outcome::More)) && !run.is_stopping() {
            run.check_held()?;
            outcome = self.run_round(&task.task_id).await;
        }
        let now = self.db.now();
        let again = update(Task::key(&task.task_id)).set(Task::UPDATED_AT, now);
        let again = match outcome {
            Ok(Outcome::Done) => return Ok(()),
            // The server is shutting down: the next one resumes at once.
            Ok(Outcome::More) => again.set(Task::NEXT_AT, now),
            Ok(Outcome::Later(pause)) => again.set(Task::NEXT_AT, now.after(pause)),
            Err(error) => {
                tracing::warn!(task = %task.task_id, %error, "a task has failed");
                let failures = task.attempts + 1;
                let text: String = error.to_string().chars().take(ERROR_CHARS_MAX).collect();
                let pause = PAUSE.saturating_mul(failures).min(PAUSE_MAX);
                let next = if failures >= FAILURES_MAX { never() } else { now.after(pause) };
                again
                    .set(Task::ATTEMPTS, failures)
                    .set(Task::LAST_ERROR, text)
                    .set(Task::NEXT_AT, next)
            }
        };
        match self.db.run(again).await {
            // Another server finished it.
            Err(singlet::Error::ConditionFailed { .. }) => Ok(()),
            other => Ok(other?),
        }
    }
}

/// When a task that has failed too often is tried again: 9999-12-31T23:59:59.999Z.
pub(super) fn never() -> Timestamp {
    Timestamp::from_millis(253_402_300_799_999)
}
