//! Deleting a site (P2): sealed in one transaction, then emptied step by step.

use super::rights::require_admin;
use super::sites::word_items;
use super::task_run::Outcome;
use super::{Service, is_live_site, ratings, site_id};
use crate::design::{
    Comment, Rating, Site, SiteId, SiteState, SiteTag, SiteWord, Task, TaskId, TaskKind,
};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::identity::Caller;
use std::time::Duration;

/// How many ratings, comments or memberships go at a time.
pub(super) const DELETED_AT_ONCE: usize = 25;
/// How many items of a kind one run of a deletion reads. There may be any number of them; if some
/// are left, the task goes on later.
pub(super) const READ_AT_ONCE: usize = 1_000;
/// How long to wait for an index that lags behind.
pub(super) const LAG: Duration = Duration::from_secs(5);

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
        let unchanged =
            is_live_site().and(Site::VERSION.eq(site.version)).and(Site::TASK_ID.missing());
        let sealed = update(Site::key(id))
            .set(Site::STATE, SiteState::Deleting)
            .set(Site::TASK_ID, &task.task_id)
            .remove(Site::ENTITY_TYPE)
            .only_if(unchanged);
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
        for stars in 1..=5_u8 {
            let some = Rating::with_stars(stars).with(id).limit(READ_AT_ONCE);
            let ratings = self.db.query(some).all().await?;
            for some in ratings.chunks(DELETED_AT_ONCE) {
                self.delete_ratings(id, task, stars, some.to_vec()).await?;
            }
        }
        let some = Comment::of_site(id).limit(READ_AT_ONCE);
        let comments = self.db.query(some).all().await?;
        for some in comments.chunks(DELETED_AT_ONCE) {
            self.delete_comments(id, task, some.to_vec()).await?;
        }
        let Some(site) = self.db.get(Site::key(id).consistent()).await? else {
            self.db.run(delete(Task::key(task))).await?;
            return Ok(Outcome::Done);
        };
        if let Some(key) = &site.logo_key {
            self.delete_file(key).await?;
        }
        // An index may not show all of them yet.
        if site.rating_count > 0 || site.comment_count > 0 {
            return Ok(Outcome::Later(LAG));
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

    /// Deletes ratings with so many stars, and counts them off. One that is gone or has changed is
    /// left out, and the others are sent again.
    async fn delete_ratings(
        &self,
        id: &SiteId,
        task: &TaskId,
        stars: u8,
        mut some: Vec<Rating>,
    ) -> Result<(), Error> {
        while !some.is_empty() {
            let mut transaction = self.db.transaction::<Dropped>();
            let count = i64::try_from(some.len()).unwrap_or(0);
            let counted = ratings::count(update(Site::key(id)), stars, -count);
            transaction.push(counted.only_if(Site::TASK_ID.eq(task)).or(Dropped::Counter));
            for (place, rating) in some.iter().enumerate() {
                let gone = delete(Rating::key(&rating.id, id)).only_if(Rating::STARS.eq(stars));
                transaction.push(gone.or(Dropped::Item(place)));
            }
            match transaction.run().await {
                Ok(()) => return Ok(()),
                Err(Dropped::Item(place)) => drop(some.remove(place)),
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    }

    async fn delete_comments(
        &self,
        id: &SiteId,
        task: &TaskId,
        mut some: Vec<Comment>,
    ) -> Result<(), Error> {
        while !some.is_empty() {
            let mut transaction = self.db.transaction::<Dropped>();
            let count = i64::try_from(some.len()).unwrap_or(0);
            let counted = update(Site::key(id))
                .add(Site::COMMENT_COUNT, -count)
                .only_if(Site::TASK_ID.eq(task));
            transaction.push(counted.or(Dropped::Counter));
            for (place, comment) in some.iter().enumerate() {
                let gone = delete(Comment::key(&comment.id, id, &comment.comment_id));
                transaction.push(gone.only_if(Condition::exists()).or(Dropped::Item(place)));
            }
            match transaction.run().await {
                Ok(()) => return Ok(()),
                Err(Dropped::Item(place)) => drop(some.remove(place)),
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    }
}

/// Which part of a transaction was refused.
pub(super) enum Dropped {
    /// This one of the items: it is gone already.
    Item(usize),
    /// An item that counts them.
    Counter,
    /// The store failed.
    Store(singlet::Error),
}

impl From<singlet::Error> for Dropped {
    fn from(error: singlet::Error) -> Self {
        Self::Store(error)
    }
}

impl From<Dropped> for Error {
    fn from(dropped: Dropped) -> Self {
        match dropped {
            Dropped::Store(error) => error.into(),
            Dropped::Item(_) | Dropped::Counter => Self::changed(),
        }
    }
}
