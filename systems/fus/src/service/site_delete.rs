//! Deleting a site (P2): sealed in one transaction, then emptied step by step.

use super::rights::require_admin;
use super::sites::word_items;
use super::task_run::{CountedDeletion, Outcome, READ_AT_ONCE, RefusedStep};
use super::{Service, is_unchanged, ratings, site_id};
use crate::design::{
    Comment, Rating, Site, SiteId, SiteState, SiteTag, SiteWord, Task, TaskId, TaskKind,
};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::identity::Caller;

impl Service {
    /// 4: deletes a site: it is gone for everybody when this returns. The task that is returned
    /// deletes what belongs to it.
    ///
    /// # Errors
    ///
    /// [`Error::SiteNotFound`], or [`Error::SiteBusy`] while a change is under way.
    pub async fn delete_site(&self, caller: &Caller, id: &str) -> Result<TaskId, Error> {
        require_admin(caller)?;
        let id = site_id(id)?;
        let due = self.db.now();
        self.retrying(|| self.seal_site(&id, due)).await
    }

    /// The first step: one transaction of up to 42 items.
    pub(crate) async fn seal_site(&self, id: &SiteId, due: Timestamp) -> Result<TaskId, Error> {
        let site = self.live_site(id).await?;
        if site.task_id.is_some() {
            return Err(Error::SiteBusy);
        }
        let task = self.new_task(TaskKind::SiteDelete, format!("SITE#{id}"))?;
        let task = Task { next_at: due, ..task };
        let sealed = update(Site::key(id))
            .set(Site::STATE, SiteState::Deleting)
            .set(Site::TASK_ID, &task.task_id)
            .remove(Site::ENTITY_TYPE)
            .only_if(is_unchanged(&site));
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(sealed.or(Error::changed()));
        transaction.push(create(&task).or(Error::changed()));
        for word in word_items(id, &site.title, &site.url) {
            transaction.push(delete(SiteWord::key(id, &word.word)));
        }
        transaction.run().await?;
        Ok(task.task_id)
    }

    /// Steps 2 to 6.
    pub(super) async fn continue_site_delete(
        &self,
        id: &SiteId,
        task: &TaskId,
    ) -> Result<Outcome, Error> {
        self.delete_tags_and_words(id).await?;
        let mut deleted = 0;
        for stars in 1..=5_u8 {
            let some = Rating::with_stars(stars).with(id).limit(READ_AT_ONCE);
            let ratings = self.db.query(some).all().await?;
            deleted += self.delete_ratings(id, task, stars, &ratings).await?;
        }
        let some = Comment::of_site(id).limit(READ_AT_ONCE);
        let comments = self.db.query(some).all().await?;
        deleted += self.delete_comments(id, task, &comments).await?;
        let Some(site) = self.db.get(Site::key(id).consistent()).await? else {
            self.db.run(delete(Task::key(task))).await?;
            return Ok(Outcome::Done);
        };
        if let Some(key) = &site.logo_key {
            self.delete_file(key).await?;
        }
        if site.rating_count > 0 || site.comment_count > 0 {
            return Ok(Outcome::unfinished(deleted));
        }
        let is_empty = Site::STATE
            .eq(SiteState::Deleting)
            .and(Site::RATING_COUNT.eq(0))
            .and(Site::COMMENT_COUNT.eq(0));
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(delete(Site::key(id)).only_if(is_empty).or(Error::changed()));
        transaction.push(delete(Task::key(task)));
        transaction.run().await?;
        Ok(Outcome::Done)
    }

    async fn delete_tags_and_words(&self, id: &SiteId) -> Result<(), Error> {
        let tags = self.db.query(SiteTag::of(id).consistent()).all().await?;
        let words = self.db.query(SiteWord::of(id).consistent()).all().await?;
        let mut batch = self.db.batch();
        for item in &tags {
            batch.delete(SiteTag::key(id, &item.tag))?;
        }
        for item in &words {
            batch.delete(SiteWord::key(id, &item.word))?;
        }
        Ok(batch.run().await?)
    }

    async fn delete_ratings(
        &self,
        id: &SiteId,
        task: &TaskId,
        stars: u8,
        ratings: &[Rating],
    ) -> Result<usize, Error> {
        let key = |rating: &Rating| Rating::key(&rating.id, id);
        let plan = |some: &[Rating], count: i64, transaction: &mut CountedDeletion<'_>| {
            let counted = ratings::count(update(Site::key(id)), stars, -count);
            transaction.push(counted.only_if(Site::TASK_ID.eq(task)).or(RefusedStep::Counter));
            for rating in some {
                let gone = delete(key(rating)).only_if(Rating::STARS.eq(stars));
                transaction.push(gone.or(RefusedStep::Item));
            }
        };
        self.delete_counted(ratings, key, plan).await
    }

    async fn delete_comments(
        &self,
        id: &SiteId,
        task: &TaskId,
        comments: &[Comment],
    ) -> Result<usize, Error> {
        let key = |comment: &Comment| Comment::key(&comment.id, id, &comment.comment_id);
        let plan = |some: &[Comment], count: i64, transaction: &mut CountedDeletion<'_>| {
            let counted = update(Site::key(id)).add(Site::COMMENT_COUNT, -count);
            transaction.push(counted.only_if(Site::TASK_ID.eq(task)).or(RefusedStep::Counter));
            for comment in some {
                let gone = delete(key(comment)).only_if(Condition::exists());
                transaction.push(gone.or(RefusedStep::Item));
            }
        };
        self.delete_counted(comments, key, plan).await
    }
}
