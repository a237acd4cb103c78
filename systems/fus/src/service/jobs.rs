//! What the server does by itself: ends tasks, and forgets tags and pictures that nothing uses.

use super::Service;
use super::task_run::never;
use crate::design::{Profile, Site, SiteId, SiteTag, Tag, Task, UserId};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::blob::BlobKey;
use singlet_web::job::{JobError, JobRun, Next};
use std::time::Duration;

/// How many tasks a run looks at.
const TASKS_MAX: usize = 25;
/// How old a tag or a picture is before it can be forgotten.
const DAY: Duration = Duration::from_secs(24 * 3600);

impl Service {
    /// The job `finish-tasks`: goes on with tasks that are due.
    ///
    /// # Errors
    ///
    /// If the store fails, or a task has failed too often and needs somebody to look at it.
    pub async fn finish_tasks(&self, run: &JobRun) -> Result<Next, JobError> {
        let due = Task::due().until(self.db.now()).limit(TASKS_MAX);
        for task in self.db.query(due).all().await? {
            if run.is_stopping() {
                break;
            }
            run.check_held()?;
            self.run_due_task(&task, run).await?;
        }
        let stopped = self.db.query(Task::due().from(never()).limit(TASKS_MAX)).all().await?;
        if let Some(task) = stopped.first() {
            let (count, id, target) = (stopped.len(), &task.task_id, &task.target);
            let why = task.last_error.as_deref().unwrap_or("unknown");
            let text = format!("{count} tasks have stopped; the first is {id} of {target}: {why}");
            return Err(JobError::new(text));
        }
        Ok(Next::Interval)
    }

    /// The job `forget-tags`: deletes tags that no site has had for a day. A tag that is given to a
    /// site at this moment has another time, and stays.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn forget_tags(&self, run: &JobRun) -> Result<Next, JobError> {
        let limit = self.db.now().before(DAY);
        let mut tags = self.db.query(Tag::all()).items();
        while let Some(tag) = tags.next().await {
            let tag = tag?;
            if tag.last_used_at > limit
                || self.db.query(SiteTag::with_tag(&tag.tag)).first().await?.is_some()
            {
                continue;
            }
            run.check_held()?;
            let unused = delete(Tag::key(&tag.tag)).only_if(Tag::LAST_USED_AT.eq(tag.last_used_at));
            match self.db.run(unused).await {
                Ok(()) | Err(singlet::Error::ConditionFailed { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Next::Interval)
    }

    /// The job `forget-images`: deletes pictures that are older than a day and that nothing names.
    ///
    /// # Errors
    ///
    /// If a store fails.
    pub async fn forget_images(&self, run: &JobRun) -> Result<Next, JobError> {
        self.forget_images_before(run, self.db.now().before(DAY)).await
    }

    /// The same for pictures that were stored before a moment.
    ///
    /// # Errors
    ///
    /// If a store fails.
    pub async fn forget_images_before(
        &self,
        run: &JobRun,
        moment: Timestamp,
    ) -> Result<Next, JobError> {
        for folder in ["profile", "sites"] {
            let mut old = self.blobs.older_than(&BlobKey::new([folder])?, moment);
            while let Some(key) = old.next().await? {
                run.check_held()?;
                if !self.is_named(&key).await? {
                    self.blobs.delete(&key).await?;
                }
            }
        }
        Ok(Next::Interval)
    }

    /// Whether the profile or the site of a picture names it.
    async fn is_named(&self, key: &BlobKey) -> Result<bool, Error> {
        let parts: Vec<&str> = key.as_str().split('/').collect();
        let named = match parts.as_slice() {
            ["profile", "avatars", user, _] => match UserId::new(*user) {
                Ok(user) => {
                    let profile = self.db.get(Profile::key(&user).consistent()).await?;
                    profile.and_then(|profile| profile.avatar_key)
                }
                Err(_) => None,
            },
            ["sites", "logos", site, _] => match SiteId::new(*site) {
                Ok(site) => {
                    let site = self.db.get(Site::key(&site).consistent()).await?;
                    site.and_then(|site| site.logo_key)
                }
                Err(_) => None,
            },
            _ => None,
        };
        Ok(named.as_deref() == Some(key.as_str()))
    }
}
