//! Writes a site with its tags and words: in one transaction, or in the steps of P1 if they exceed
//! one.
//!
//! P1: (1) the site gets a task, which blocks other changes; (2) new tags are stored, 99 at a time;
//! (3) the switch: one transaction changes the content, the words and the task's phase; (4) old
//! tags are deleted; (5) the task is deleted. Readers by tag check the site's own tags, so they see
//! only old tags before (3) and only new tags after it.

use super::sites::word_items;
use super::task_run::Outcome;
use super::{Service, TRANSACTION_MAX, is_unchanged};
use crate::design::{
    Content, Fus, Payload, Phase, Site, SiteId, SiteList, SiteState, SiteTag, SiteWord, TagName,
    Task, TaskId, TaskKind, Word,
};
use crate::error::{Error, Result};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet::transaction::Transaction;
use singlet_web::problem::{ApiError as _, changed_meanwhile};
use std::collections::BTreeSet;

/// How many tags are written at a time, beside the check of the site.
const TAGS_AT_ONCE: usize = TRANSACTION_MAX - 1;

/// Items put and deleted along with the site's own item.
struct Difference {
    tags_added: Vec<String>,
    tags_removed: Vec<String>,
    words_put: Vec<SiteWord>,
    words_deleted: Vec<Word>,
}

impl Difference {
    /// From a stored site to new content. A site that is not listed yet has no words.
    fn between(id: &SiteId, before: Option<&Site>, content: &Content) -> Self {
        let old_tags: &[String] = before.map_or(&[], |site| &site.tags);
        let missing_in = |tags: &[String], from: &[String]| -> Vec<String> {
            let others: BTreeSet<&String> = from.iter().collect();
            tags.iter().filter(|tag| !others.contains(tag)).cloned().collect()
        };
        let old = before.filter(|site| site.is_live());
        let old = old.map(|site| word_items(id, &site.title, &site.url)).unwrap_or_default();
        let new = word_items(id, &content.title, &content.url);
        let kept: BTreeSet<&Word> = new.iter().map(|item| &item.word).collect();
        let is_gone = |item: &&SiteWord| !kept.contains(&item.word);
        Self {
            tags_added: missing_in(&content.tags, old_tags),
            tags_removed: missing_in(old_tags, &content.tags),
            words_deleted: old.iter().filter(is_gone).map(|item| item.word.clone()).collect(),
            words_put: if old == new { Vec::new() } else { new },
        }
    }

    /// How many items change, with the site's own.
    fn items(&self) -> usize {
        let tags = self.tags_added.len() + self.tags_removed.len();
        1 + tags + self.words_put.len() + self.words_deleted.len()
    }

    fn push_words(&self, id: &SiteId, transaction: &mut Transaction<'_, Fus, Error>) {
        for word in &self.words_put {
            transaction.push(put(word));
        }
        for word in &self.words_deleted {
            transaction.push(delete(SiteWord::key(id, word)));
        }
    }
}

fn push_tags(transaction: &mut Transaction<'_, Fus, Error>, id: &SiteId, tags: &[String]) {
    for tag in tags.iter().filter_map(|tag| TagName::new(tag).ok()) {
        transaction.push(put(&SiteTag { id: id.clone(), tag }));
    }
}

fn push_deleted_tags(transaction: &mut Transaction<'_, Fus, Error>, id: &SiteId, tags: &[String]) {
    for tag in tags.iter().filter_map(|tag| TagName::new(tag).ok()) {
        transaction.push(delete(SiteTag::key(id, &tag)));
    }
}

impl Service {
    /// One attempt at a change. Returns the tags the site dropped.
    pub(super) async fn try_update_site(
        &self,
        id: &SiteId,
        version: u64,
        content: &Content,
    ) -> Result<Vec<String>> {
        let site = self.live_site(id).await?;
        if site.task_id.is_some() {
            return Err(Error::SiteBusy);
        }
        if site.version != version {
            return Err(changed_meanwhile(version, site.version).into());
        }
        self.save_site(id, Some(&site), content).await
    }

    /// Writes a new site, or one unchanged since it was read.
    pub(super) async fn save_site(
        &self,
        id: &SiteId,
        before: Option<&Site>,
        content: &Content,
    ) -> Result<Vec<String>> {
        let difference = Difference::between(id, before, content);
        self.note_tags(id, &difference.tags_added).await?;
        if difference.items() > TRANSACTION_MAX {
            return self.save_in_steps(id, before, content, difference).await;
        }
        let now = self.db.now();
        let mut transaction = self.db.transaction::<Error>();
        match before {
            None => transaction.push(create(&new_site(id, content, now)).or(Error::changed())),
            Some(site) => {
                let changed = with_content(id, content, now).set(Site::VERSION, site.version + 1);
                transaction.push(changed.only_if(is_unchanged(site)).or(Error::changed()));
            }
        }
        push_tags(&mut transaction, id, &difference.tags_added);
        push_deleted_tags(&mut transaction, id, &difference.tags_removed);
        difference.push_words(id, &mut transaction);
        transaction.run().await?;
        Ok(difference.tags_removed)
    }

    /// P1: step 1, and then the others. A new site is hidden until the switch.
    async fn save_in_steps(
        &self,
        id: &SiteId,
        before: Option<&Site>,
        content: &Content,
        Difference { tags_added, tags_removed, .. }: Difference,
    ) -> Result<Vec<String>> {
        let payload = Payload {
            content: Some(content.clone()),
            add: Some(tags_added),
            remove: Some(tags_removed.clone()),
        };
        let task = self.new_task(TaskKind::SiteChange, format!("SITE#{id}"))?;
        let task = Task { payload, ..task };
        let mut transaction = self.db.transaction::<Error>();
        match before {
            None => {
                let hidden = Site {
                    entity_type: None,
                    tags: Vec::new(),
                    version: 0,
                    state: Some(SiteState::Creating),
                    task_id: Some(task.task_id.clone()),
                    ..new_site(id, content, task.created_at)
                };
                transaction.push(create(&hidden).or(Error::changed()));
            }
            Some(site) => {
                let begun = update(Site::key(id)).set(Site::TASK_ID, &task.task_id);
                transaction.push(begun.only_if(is_unchanged(site)).or(Error::changed()));
            }
        }
        transaction.push(create(&task).or(Error::changed()));
        transaction.run().await?;
        self.run_task(&task.task_id).await.map_err(Error::after_commit)?;
        Ok(tags_removed)
    }

    /// P1, steps 2 to 5, resuming at the task's phase.
    pub(super) async fn continue_site_change(&self, id: &SiteId, task: Task) -> Result<Outcome> {
        let Payload { content, add, remove } = &task.payload;
        let task_id = &task.task_id;
        let still_of = || check(Site::key(id)).only_if(Site::TASK_ID.eq(task_id));
        if task.phase == Phase::Add {
            for tags in add.iter().flat_map(|tags| tags.chunks(TAGS_AT_ONCE)) {
                let mut transaction = self.db.transaction::<Error>();
                transaction.push(still_of().or(Error::changed()));
                push_tags(&mut transaction, id, tags);
                transaction.run().await?;
            }
            if let Some(content) = content {
                self.switch(id, task_id, content).await?;
            }
        }
        for tags in remove.iter().flat_map(|tags| tags.chunks(TAGS_AT_ONCE)) {
            let mut transaction = self.db.transaction::<Error>();
            transaction.push(still_of().or(Error::changed()));
            push_deleted_tags(&mut transaction, id, tags);
            transaction.run().await?;
        }
        let free = update(Site::key(id)).remove(Site::TASK_ID);
        let free = free.only_if(Site::TASK_ID.eq(task_id)).or(Error::changed());
        self.db.transact((free, delete(Task::key(task_id)))).await?;
        Ok(Outcome::Done)
    }

    /// P1, step 3: readers see the new content from here on.
    async fn switch(&self, id: &SiteId, task: &TaskId, content: &Content) -> Result<()> {
        let site = self.db.get(Site::key(id).consistent()).await?.ok_or_else(Error::changed)?;
        let mut transaction = self.db.transaction::<Error>();
        let switched = with_content(id, content, self.db.now())
            .set(Site::ENTITY_TYPE, SiteList::Site)
            .remove(Site::STATE)
            .set(Site::VERSION, site.version + 1)
            .only_if(Site::TASK_ID.eq(task).and(Site::VERSION.eq(site.version)));
        transaction.push(switched.or(Error::changed()));
        Difference::between(id, Some(&site), content).push_words(id, &mut transaction);
        let next = update(Task::key(task)).set(Task::PHASE, Phase::Remove);
        transaction.push(next.only_if(Task::PHASE.eq(Phase::Add)).or(Error::changed()));
        transaction.run().await
    }
}

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
    let Content { url, title, description, scraped_content, tags } = content.clone();
    Site {
        id: id.clone(),
        entity_type: Some(SiteList::Site),
        url,
        title,
        description,
        scraped_content,
        tags,
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
