//! Tasks: procedures that are larger than a transaction.
//!
//! A change runs inside its request, a deletion in the background after the answer, and both in the
//! job `finish-tasks` if the server died.
//! Two at once do no harm: every step may be done twice, and holds only while the item still names
//! the task. A step that finds it named no more ends with a conflict, and the task is looked up
//! again: gone means done.

use super::Service;
use crate::design::{GroupName, Payload, Phase, SiteId, Task, TaskId, TaskKind};
use crate::error::Error;
use singlet::prelude::*;
use std::time::Duration;

/// After how many failures a task stops.
pub(super) const FAILURES_MAX: u32 = 100;
/// When a task is tried again after a failure, at first; later ones wait longer.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(600);
/// How many characters of an error are kept.
const ERROR_CHARS_MAX: usize = 500;

/// How far a run of a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Done,
    /// An index lags behind: the task goes on after this time.
    Later(Duration),
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

    /// Runs a task for the job, and notes when it is to be tried again.
    pub(super) async fn run_due_task(&self, task: &Task) -> Result<(), Error> {
        let outcome = self.run_task(&task.task_id).await;
        let now = self.db.now();
        let again = update(Task::key(&task.task_id)).set(Task::UPDATED_AT, now);
        let again = match outcome {
            Ok(Outcome::Done) => return Ok(()),
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
