//! Background jobs: finish tasks, delete unused tags and pictures.

use super::Service;
use super::task_run::never;
use crate::design::{Profile, Site, SiteId, Tag, Task, UserId};
use crate::error::Result;
use singlet::prelude::*;
use singlet_web::blob::BlobKey;
use singlet_web::prelude::*;

/// Maximum number of tasks per run.
const TASKS_MAX: usize = 25;
/// Minimum age of a tag or picture before it is deleted.
const DAY: Duration = Duration::from_secs(24 * 3600);

impl Service {
    /// The job `finish-tasks`: resumes due tasks. Fails if one has exceeded its failures and needs
    /// an operator.
    pub async fn finish_tasks(self, run: JobRun) -> Result<Next, JobError> {
        let due = Task::due().until(self.db.now()).limit(TASKS_MAX);
        for task in self.db.query(due).all().await? {
            if run.is_stopping() {
                break;
            }
            run.check_held()?;
            self.run_due_task(&task, &run).await?;
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

    /// The job `forget-tags`: deletes tags that no site has had for a day.
    pub async fn forget_tags(self, run: JobRun) -> Result<Next, JobError> {
        let limit = self.db.now().before(DAY);
        let mut tags = self.db.query(Tag::all()).items();
        while let Some(tag) = tags.next().await {
            let tag = tag?;
            if tag.last_used_at <= limit {
                run.check_held()?;
                self.forget_if_unused(&tag, None).await?;
            }
        }
        Ok(Next::Interval)
    }

    /// The job `forget-images`: deletes pictures that are older than a day and that nothing names.
    pub async fn forget_images(self, run: JobRun) -> Result<Next, JobError> {
        let moment = self.db.now().before(DAY);
        self.forget_images_before(run, moment).await
    }

    /// The same for pictures stored before this time.
    pub async fn forget_images_before(
        self,
        run: JobRun,
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
    async fn is_named(&self, key: &BlobKey) -> Result<bool> {
        let parts: Vec<&str> = key.as_str().split('/').collect();
        let named = match parts.as_slice() {
            ["profile", "avatars", user, _] => {
                let Ok(user) = UserId::new(*user) else { return Ok(false) };
                let profile = self.db.get(Profile::key(&user).consistent()).await?;
                profile.and_then(|profile| profile.avatar_key)
            }
            ["sites", "logos", site, _] => {
                let Ok(site) = SiteId::new(*site) else { return Ok(false) };
                let site = self.db.get(Site::key(&site).consistent()).await?;
                site.and_then(|site| site.logo_key)
            }
            _ => None,
        };
        Ok(named.as_deref() == Some(key.as_str()))
    }
}
