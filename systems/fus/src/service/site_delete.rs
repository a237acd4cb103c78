//! Deleting a site (P2): sealed in one transaction, then emptied step by step.

use super::rights::require_admin;
use super::sites::word_items;
use super::task_run::{Outcome, READ_AT_ONCE};
use super::{Service, is_unchanged, ratings};
use crate::design::{
    Comment, Fus, Rating, Site, SiteId, SiteState, SiteTag, SiteWord, Task, TaskId, TaskKind,
};
use crate::error::{Error, Result};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet::transaction::Transaction;
use singlet_web::prelude::*;

impl Service {
    /// 4: deletes a site. It is hidden from all readers when this returns; the returned task
    /// deletes its data.
    pub async fn delete_site(&self, caller: &Caller, id: &SiteId) -> Result<TaskId> {
        require_admin(caller)?;
        let due = self.db.now();
        self.db.attempt(|_| self.seal_site(id, due)).await
    }

    /// The first step: one transaction of up to 42 items.
    pub(crate) async fn seal_site(&self, id: &SiteId, due: Timestamp) -> Result<TaskId> {
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
    pub(super) async fn continue_site_delete(&self, id: &SiteId, task: &TaskId) -> Result<Outcome> {
        self.delete_tags_and_words(id).await?;
        let deleted = self.delete_opinions(id, task).await?;
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
        self.forget_dropped(id, &site.tags).await?;
        let is_empty = Site::STATE
            .eq(SiteState::Deleting)
            .and(Site::RATING_COUNT.eq(0))
            .and(Site::COMMENT_COUNT.eq(0));
        let gone = delete(Site::key(id)).only_if(is_empty).or(Error::changed());
        self.db.transact((gone, delete(Task::key(task)))).await?;
        Ok(Outcome::Done)
    }

    async fn delete_tags_and_words(&self, id: &SiteId) -> Result<()> {
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

    /// Deletes ratings and comments, some of each, and returns how many.
    async fn delete_opinions(&self, id: &SiteId, task: &TaskId) -> Result<usize> {
        let push = |site: Update<Site>, transaction: &mut Transaction<'_, Fus, Error>| {
            transaction.push(site.only_if(Site::TASK_ID.eq(task)).or(Error::changed()));
        };
        let mut deleted = 0;
        for stars in 1..=5_u8 {
            let some = Rating::with_stars(stars).with(id).limit(READ_AT_ONCE);
            let key = |rating: &Rating| Rating::key(&rating.id, id);
            deleted += self
                .delete_counted(
                    &self.db.query(some).all().await?,
                    key,
                    |count, to| push(ratings::count(update(Site::key(id)), stars, -count), to),
                    |rating, to| {
                        let gone = delete(key(rating)).only_if(Rating::STARS.eq(stars));
                        to.push(gone.or(Error::changed()));
                    },
                )
                .await?;
        }
        let some = Comment::of_site(id).limit(READ_AT_ONCE);
        let key = |comment: &Comment| Comment::key(&comment.id, id, &comment.comment_id);
        deleted += self
            .delete_counted(
                &self.db.query(some).all().await?,
                key,
                |count, to| push(update(Site::key(id)).add(Site::COMMENT_COUNT, -count), to),
                |comment, to| {
                    let gone = delete(key(comment)).only_if(Condition::exists());
                    to.push(gone.or(Error::changed()));
                },
            )
            .await?;
        Ok(deleted)
    }
}
