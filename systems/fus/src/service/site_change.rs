//! Writing a site with its tags and words: in one transaction, or in the steps of P1 if that has
//! no room for them.
//!
//! P1: (1) the site gets a task, and nobody else changes it from now on; (2) new tags are stored,
//! 99 at a time; (3) the switch: one transaction changes the content, the words and the phase of
//! the task; (4) old tags are deleted; (5) the task is done. Readers by tag look at the tags of the
//! site itself, so they see all of the old ones before (3) and all of the new ones after it.

use super::sites::{SiteDifference, tag_items, word_items};
use super::task_run::Outcome;
use super::{Service, TRANSACTION_MAX, is_unchanged};
use crate::design::{
    Content, Payload, Phase, Site, SiteId, SiteList, SiteState, SiteTag, SiteWord, Task, TaskId,
    TaskKind,
};
use crate::error::Error;
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::problem::changed_meanwhile;

/// How many tags are written at a time, beside the check of the site.
const TAGS_AT_ONCE: usize = TRANSACTION_MAX - 1;

impl Service {
    /// Writes a new site.
    pub(super) async fn insert_site(
        &self,
        id: &SiteId,
        content: Content,
        now: Timestamp,
    ) -> Result<(), Error> {
        let words = word_items(id, &content.title, &content.url);
        let site = new_site(id, &content, now);
        if 1 + content.tags.len() + words.len() > TRANSACTION_MAX {
            return self.insert_site_in_steps(site, content).await;
        }
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(create(&site).or(Error::changed()));
        for tag in tag_items(id, &content.tags) {
            transaction.push(put(&tag));
        }
        for word in &words {
            transaction.push(put(word));
        }
        transaction.run().await
    }

    /// P1 for a new site: hidden until the switch.
    async fn insert_site_in_steps(&self, site: Site, content: Content) -> Result<(), Error> {
        let task = self.new_task(TaskKind::SiteChange, format!("SITE#{}", site.id))?;
        let add = content.tags.clone();
        let payload = Payload { content: Some(content), add: Some(add), remove: Some(Vec::new()) };
        let task = Task { payload, ..task };
        let hidden = Site {
            entity_type: None,
            tags: Vec::new(),
            version: 0,
            state: Some(SiteState::Creating),
            task_id: Some(task.task_id.clone()),
            ..site
        };
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(create(&hidden).or(Error::changed()));
        transaction.push(create(&task).or(Error::changed()));
        transaction.run().await?;
        self.run_task(&task.task_id).await.map_err(Error::after_commit)?;
        Ok(())
    }

    /// One try of a change.
    pub(super) async fn try_update_site(
        &self,
        id: &SiteId,
        version: u64,
        content: &Content,
    ) -> Result<(), Error> {
        let site = self.live_site(id).await?;
        if site.task_id.is_some() {
            return Err(Error::SiteBusy);
        }
        if site.version != version {
            return Err(changed_meanwhile(version, site.version).into());
        }
        let difference = SiteDifference::between(&site, content);
        self.note_tags(&difference.tags_added).await?;
        if difference.items() > TRANSACTION_MAX {
            return self.update_site_in_steps(&site, content, difference).await;
        }
        let mut transaction = self.db.transaction::<Error>();
        let changed = with_content(id, content, self.db.now());
        let changed = changed.set(Site::VERSION, site.version + 1).only_if(is_unchanged(&site));
        transaction.push(changed.or(Error::changed()));
        for tag in tag_items(id, &difference.tags_added) {
            transaction.push(put(&tag));
        }
        for tag in tag_items(id, &difference.tags_removed) {
            transaction.push(delete(SiteTag::key(id, &tag.tag)));
        }
        for word in &difference.words_put {
            transaction.push(put(word));
        }
        for word in &difference.words_deleted {
            transaction.push(delete(SiteWord::key(id, word)));
        }
        transaction.run().await
    }

    /// P1, step 1, and then the others.
    async fn update_site_in_steps(
        &self,
        site: &Site,
        content: &Content,
        difference: SiteDifference,
    ) -> Result<(), Error> {
        let task = self.new_task(TaskKind::SiteChange, format!("SITE#{}", site.id))?;
        let payload = Payload {
            content: Some(content.clone()),
            add: Some(difference.tags_added),
            remove: Some(difference.tags_removed),
        };
        let task = Task { payload, ..task };
        let begun = update(Site::key(&site.id)).set(Site::TASK_ID, &task.task_id);
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(begun.only_if(is_unchanged(site)).or(Error::changed()));
        transaction.push(create(&task).or(Error::changed()));
        transaction.run().await?;
        self.run_task(&task.task_id).await.map_err(Error::after_commit)?;
        Ok(())
    }

    /// P1, steps 2 to 5, from wherever the task is.
    pub(super) async fn continue_site_change(
        &self,
        id: &SiteId,
        task: Task,
    ) -> Result<Outcome, Error> {
        let Payload { content, add, remove } = &task.payload;
        let task_id = &task.task_id;
        if task.phase == Phase::Add {
            for tags in add.iter().flat_map(|tags| tags.chunks(TAGS_AT_ONCE)) {
                let mut transaction = self.db.transaction::<Error>();
                transaction.push(still_of(id, task_id));
                for tag in tag_items(id, tags) {
                    transaction.push(put(&tag));
                }
                transaction.run().await?;
            }
            if let Some(content) = content {
                self.switch(id, task_id, content).await?;
            }
        }
        for tags in remove.iter().flat_map(|tags| tags.chunks(TAGS_AT_ONCE)) {
            let mut transaction = self.db.transaction::<Error>();
            transaction.push(still_of(id, task_id));
            for tag in tag_items(id, tags) {
                transaction.push(delete(SiteTag::key(id, &tag.tag)));
            }
            transaction.run().await?;
        }
        let mut transaction = self.db.transaction::<Error>();
        let free = update(Site::key(id)).remove(Site::TASK_ID);
        transaction.push(free.only_if(Site::TASK_ID.eq(task_id)).or(Error::changed()));
        transaction.push(delete(Task::key(task_id)));
        transaction.run().await?;
        Ok(Outcome::Done)
    }

    /// P1, step 3: readers see the new content from here on.
    async fn switch(&self, id: &SiteId, task: &TaskId, content: &Content) -> Result<(), Error> {
        let site = self.db.get(Site::key(id).consistent()).await?.ok_or_else(Error::changed)?;
        let (words_put, words_deleted) = SiteDifference::words(&site, content);
        let mut transaction = self.db.transaction::<Error>();
        let switched = with_content(id, content, self.db.now())
            .set(Site::ENTITY_TYPE, SiteList::Site)
            .remove(Site::STATE)
            .set(Site::VERSION, site.version + 1)
            .only_if(Site::TASK_ID.eq(task).and(Site::VERSION.eq(site.version)));
        transaction.push(switched.or(Error::changed()));
        for word in &words_put {
            transaction.push(put(word));
        }
        for word in &words_deleted {
            transaction.push(delete(SiteWord::key(id, word)));
        }
        let next = update(Task::key(task)).set(Task::PHASE, Phase::Remove);
        transaction.push(next.only_if(Task::PHASE.eq(Phase::Add)).or(Error::changed()));
        transaction.run().await
    }
}

/// The check that the task is still at work on the site.
fn still_of(
    id: &SiteId,
    task: &TaskId,
) -> impl singlet::transaction::Step<crate::design::Fus, Refusal = singlet::transaction::Named<Error>>
{
    check(Site::key(id)).only_if(Site::TASK_ID.eq(task)).or(Error::changed())
}

/// An update that sets everything that admins write.
fn with_content(id: &SiteId, content: &Content, now: Timestamp) -> Update<Site> {
    update(Site::key(id))
        .set(Site::URL, &content.url)
        .set(Site::TITLE, &content.title)
        .set(Site::DESCRIPTION, &content.description)
        .set(Site::SCRAPED_CONTENT, &content.scraped_content)
        .set(Site::TAGS, &content.tags)
        .set(Site::UPDATED_AT, now)
}

fn new_site(id: &SiteId, content: &Content, now: Timestamp) -> Site {
    Site {
        id: id.clone(),
        entity_type: Some(SiteList::Site),
        url: content.url.clone(),
        title: content.title.clone(),
        description: content.description.clone(),
        scraped_content: content.scraped_content.clone(),
        tags: content.tags.clone(),
        logo_key: None,
        rating_sum: 0,
        rating_count: 0,
        stars_1: 0,
        stars_2: 0,
        stars_3: 0,
        stars_4: 0,
        stars_5: 0,
        comment_count: 0,
        version: 1,
        state: None,
        task_id: None,
        created_at: now,
        updated_at: now,
    }
}
