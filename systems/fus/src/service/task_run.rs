//! Tasks: procedures that are larger than a transaction.
//!
//! A change runs inside its request, a deletion in the background after the answer, and both in the
//! job `finish-tasks` if the server died.
//! Two at once do no harm: every step may be done twice, and holds only while the item still names
//! the task. A step that finds it named no more ends with a conflict, and the task is looked up
//! again: gone means done.

use super::Service;
use crate::design::{Fus, GroupName, Payload, Phase, SiteId, Task, TaskId, TaskKind};
use crate::error::Error;
use singlet::prelude::*;
use singlet::table::StoredIn;
use singlet::transaction::Transaction;
use singlet::{Key, Projection};
use singlet_web::job::{JobError, JobRun};
use std::time::Duration;

/// After how many failures a task stops.
pub(super) const FAILURES_MAX: u32 = 100;
/// When a task is tried again after a failure, at first; later ones wait longer.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(600);
/// How many characters of an error are kept.
const ERROR_CHARS_MAX: usize = 500;

/// How many items one transaction of a deletion deletes.
const DELETED_AT_ONCE: usize = 25;
/// How many items of a kind one round of a deletion reads. There may be any number of them: if some
/// are left, there is another round.
pub(super) const READ_AT_ONCE: usize = 1_000;
/// How long to wait for an index that lags behind.
const LAG: Duration = Duration::from_secs(5);

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Done,
    /// A round has deleted items, and others are left: the next round follows at once.
    More,
    /// Items are left that an index does not show yet: the task goes on after this time.
    Later(Duration),
}

impl Outcome {
    /// The outcome of a round that has deleted so many items, if others are left. One that has
    /// deleted none has read nothing, or only what is gone: it waits for the index.
    pub(super) fn unfinished(deleted: usize) -> Self {
        if deleted > 0 { Self::More } else { Self::Later(LAG) }
    }
}

/// A transaction that deletes items and subtracts them from their counter.
pub(super) type CountedDeletion<'d> = Transaction<'d, Fus, RefusedStep>;

/// Which step of a [`CountedDeletion`] was refused.
pub(super) enum RefusedStep {
    /// The deletion of an item, which is gone or has changed.
    Item,
    /// The update of a counter.
    Counter,
    /// The store failed.
    Store(singlet::Error),
}

impl From<singlet::Error> for RefusedStep {
    fn from(error: singlet::Error) -> Self {
        match error {
            // The counter would be below zero: another server has counted some of the items off.
            singlet::Error::OutOfRange(_) => Self::Item,
            other => Self::Store(other),
        }
    }
}

impl From<RefusedStep> for Error {
    fn from(refused: RefusedStep) -> Self {
        match refused {
            RefusedStep::Store(error) => error.into(),
            RefusedStep::Item | RefusedStep::Counter => Self::changed(),
        }
    }
}

impl Service {
    /// A new task, due at once.
    pub(super) fn new_task(&self, kind: TaskKind, target: String) -> Result<Task, Error> {
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

    /// Runs a task to its end, or until it has to wait. Done if there is none.
    ///
    /// # Errors
    ///
    /// If the store fails. The task is there, and the job goes on with it.
    pub async fn run_task(&self, id: &TaskId) -> Result<Outcome, Error> {
        loop {
            match self.run_round(id).await? {
                Outcome::More => {}
                ended => return Ok(ended),
            }
        }
    }

    /// One round of a task: a change is done after it, a deletion may need many.
    async fn run_round(&self, id: &TaskId) -> Result<Outcome, Error> {
        self.retrying(|| self.try_task(id)).await
    }

    async fn try_task(&self, id: &TaskId) -> Result<Outcome, Error> {
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
            // Nothing of ours writes such a task.
            _ => {
                tracing::error!(task = %id, target, "a task without a target is dropped");
                self.db.run(delete(Task::key(id))).await?;
                Ok(Outcome::Done)
            }
        }
    }

    /// Deletes items and counts them off, 25 in a transaction, and returns how many it has deleted.
    /// Items that are gone, or are not as they were read, are left out.
    ///
    /// `plan` adds the steps for some items; it is given their number too.
    pub(super) async fn delete_counted<E>(
        &self,
        items: &[E],
        key: impl Fn(&E) -> Key<E>,
        plan: impl Fn(&[E], i64, &mut CountedDeletion<'_>),
    ) -> Result<usize, Error>
    where
        E: StoredIn<Fus> + Projection<Entity = E> + Clone + PartialEq,
    {
        let mut deleted = 0;
        for chunk in items.chunks(DELETED_AT_ONCE) {
            let mut left = chunk.to_vec();
            while !left.is_empty() {
                let mut transaction = self.db.transaction::<RefusedStep>();
                plan(&left, i64::try_from(left.len()).unwrap_or(0), &mut transaction);
                match transaction.run().await {
                    Ok(()) => {
                        deleted += left.len();
                        break;
                    }
                    // An index may show items for a while that are gone: all of them are left out
                    // after one read, and not one after each transaction.
                    Err(RefusedStep::Item) => {
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
                    Err(other) => return Err(other.into()),
                }
            }
        }
        Ok(deleted)
    }

    /// Runs a task for the job, and notes when it is to be tried again.
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
            // The server stops: the next one goes on at once.
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
            // Somebody else has ended it in the meantime.
            Err(singlet::Error::ConditionFailed { .. }) => Ok(()),
            other => Ok(other?),
        }
    }
}

/// When a task is tried again that has failed too often: the last moment there is.
pub(super) fn never() -> Timestamp {
    "9999-12-31T23:59:59.999Z".parse().unwrap_or(Timestamp::from_millis(253_402_300_799_999))
}
