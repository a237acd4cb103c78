//! Sites: reading them, and what admins write about them.

use super::rights::require_admin;
use super::{Service, site_id, texts};
use crate::design::{Content, Site, SiteId, SiteTag, SiteWord, Tag, TagName, Word, WordStart};
use crate::error::Error;
use crate::rules::{parse_address, parse_tag, site_words};
use crate::view::{SiteView, TagView};
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use std::collections::BTreeSet;

/// How many tags a site has at most.
const TAGS_MAX: usize = 200;
/// How many bytes the text of a page has at most.
const SCRAPED_BYTES_MAX: usize = 8192;

/// What an admin writes about a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSite {
    /// Its address.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// The text of its page.
    pub scraped_content: String,
    /// Its tags.
    pub tags: Vec<String>,
}

impl NewSite {
    /// What is stored of it.
    pub(super) fn check(&self) -> Result<Content, Error> {
        let (url, _) = parse_address(&self.url).map_err(|detail| Error::invalid("/url", detail))?;
        let scraped_content = singlet_web::text::clean_text(&self.scraped_content);
        if scraped_content.len() > SCRAPED_BYTES_MAX {
            return Err(Error::invalid("/scrapedContent", "must have at most 8192 bytes"));
        }
        let mut tags: Vec<String> = Vec::new();
        for (index, text) in self.tags.iter().enumerate() {
            let tag = parse_tag(text).ok_or_else(|| {
                let detail = "must be 1 to 40 letters, digits, -, + or .";
                Error::invalid(&format!("/tags/{index}"), detail)
            })?;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        if tags.len() > TAGS_MAX {
            return Err(Error::invalid("/tags", "must have at most 200 entries"));
        }
        Ok(Content {
            url,
            title: texts::line("/title", &self.title, 1..=120)?,
            description: texts::lines("/description", &self.description, 0..=2000)?,
            scraped_content,
            tags,
        })
    }
}

/// The words of a site, as items.
pub(super) fn word_items(id: &SiteId, title: &str, url: &str) -> Vec<SiteWord> {
    let host = parse_address(url).map(|(_, host)| host).unwrap_or_default();
    let words = site_words(title, &host);
    let items = words.iter().filter_map(|word| {
        let start: String = word.chars().take(2).collect();
        Some(SiteWord {
            id: id.clone(),
            word: Word::new(word).ok()?,
            start: WordStart::new(start).ok()?,
            title: title.to_owned(),
            words: words.clone(),
        })
    });
    items.collect()
}

/// The tags of a site, as items.
pub(super) fn tag_items<'t>(
    id: &'t SiteId,
    tags: impl IntoIterator<Item = &'t String> + 't,
) -> impl Iterator<Item = SiteTag> + 't {
    let tags = tags.into_iter().filter_map(|tag| TagName::new(tag).ok());
    tags.map(|tag| SiteTag { id: id.clone(), tag })
}

/// How a site changes: what is put and deleted beside its own item.
pub(super) struct SiteDifference {
    pub(super) tags_added: Vec<String>,
    pub(super) tags_removed: Vec<String>,
    pub(super) words_put: Vec<SiteWord>,
    pub(super) words_deleted: Vec<Word>,
}

impl SiteDifference {
    /// From a stored site to new content.
    pub(super) fn between(site: &Site, content: &Content) -> Self {
        let (old, new): (BTreeSet<&String>, BTreeSet<&String>) =
            (site.tags.iter().collect(), content.tags.iter().collect());
        let listed = |tags: BTreeSet<&String>| tags.into_iter().cloned().collect::<Vec<_>>();
        let (words_put, words_deleted) = Self::words(site, content);
        Self {
            tags_added: listed(new.difference(&old).copied().collect()),
            tags_removed: listed(old.difference(&new).copied().collect()),
            words_put,
            words_deleted,
        }
    }

    /// The words alone. A site that is not listed yet has none.
    pub(super) fn words(site: &Site, content: &Content) -> (Vec<SiteWord>, Vec<Word>) {
        let new = word_items(&site.id, &content.title, &content.url);
        if !site.is_live() {
            return (new, Vec::new());
        }
        let old = word_items(&site.id, &site.title, &site.url);
        if old == new {
            return (Vec::new(), Vec::new());
        }
        let kept: BTreeSet<&Word> = new.iter().map(|item| &item.word).collect();
        let deleted = old.into_iter().map(|item| item.word).filter(|word| !kept.contains(word));
        let deleted = deleted.collect();
        (new, deleted)
    }

    /// How many items change, with the site's own.
    pub(super) fn items(&self) -> usize {
        let tags = self.tags_added.len() + self.tags_removed.len();
        1 + tags + self.words_put.len() + self.words_deleted.len()
    }
}

impl Service {
    /// R1: a site.
    ///
    /// # Errors
    ///
    /// [`Error::SiteNotFound`] if there is none, or it is being made or deleted.
    pub async fn site(&self, id: &str) -> Result<SiteView, Error> {
        Ok(SiteView::whole(self.live_site(&site_id(id)?).await?))
    }

    /// R2: all sites, the newest first.
    ///
    /// # Errors
    ///
    /// If the store fails, or the cursor belongs to another list.
    pub async fn sites<const D: u32, const M: u32>(
        &self,
        paging: &Paging<D, M>,
    ) -> Result<Page<SiteView>, Error> {
        let newest = Site::all(crate::design::SiteList::Site).descending().limit(paging.limit());
        let page = self.db.query(newest).page(paging.cursor()?).await?;
        Ok(Page::from(page).map(SiteView::listed))
    }

    /// R3: the sites with a tag, the newest first. The tags of the site itself decide, so that a
    /// change of very many tags is seen at once or not at all. A page may be short.
    ///
    /// # Errors
    ///
    /// If the store fails, or the cursor belongs to another list.
    pub async fn sites_with_tag<const D: u32, const M: u32>(
        &self,
        tag: &str,
        paging: &Paging<D, M>,
    ) -> Result<Page<SiteView>, Error> {
        let empty = Page { items: Vec::new(), next: None };
        let Some(tag) = parse_tag(tag) else { return Ok(empty) };
        let Ok(name) = TagName::new(&tag) else { return Ok(empty) };
        let newest = SiteTag::with_tag(&name).descending().limit(paging.limit());
        let page = self.db.query(newest).page(paging.cursor()?).await?;
        let mut sites = self.live_sites(page.items.iter().map(|item| &item.id)).await?;
        let items = page.items.iter().filter_map(|item| sites.remove(&item.id));
        let items = items.filter(|site| site.tags.contains(&tag)).map(SiteView::listed).collect();
        Ok(Page { items, next: page.next.map(|cursor| cursor.to_string()) })
    }

    /// R2: the tags in use, by name. One that no site has any more stays for a day.
    ///
    /// # Errors
    ///
    /// If the store fails, or the cursor belongs to another list.
    pub async fn tags<const D: u32, const M: u32>(
        &self,
        paging: &Paging<D, M>,
    ) -> Result<Page<TagView>, Error> {
        let page = self.db.query(Tag::all().limit(paging.limit())).page(paging.cursor()?).await?;
        Ok(Page::from(page).map(|item| TagView { tag: item.tag.to_string() }))
    }

    /// 1: adds a site, with its tags and words; all or nothing.
    ///
    /// # Errors
    ///
    /// If the caller is no admin, or the site cannot be stored so.
    pub async fn create_site(&self, caller: &Caller, new: &NewSite) -> Result<SiteView, Error> {
        require_admin(caller)?;
        let content = new.check()?;
        let now = self.db.now();
        let id: SiteId = self.random.id(now)?;
        self.note_tags(&content.tags).await?;
        self.insert_site(&id, content, now).await?;
        Ok(SiteView::whole(self.live_site(&id).await?))
    }

    /// 2: changes a site, its tags and its words; all or nothing, as far as anybody can see.
    ///
    /// # Errors
    ///
    /// [`Error::SiteBusy`] while another change is under way, then
    /// [`CHANGED_MEANWHILE`](singlet_web::problem::CHANGED_MEANWHILE) if the version is an older one.
    pub async fn update_site(
        &self,
        caller: &Caller,
        id: &str,
        version: u64,
        new: &NewSite,
    ) -> Result<SiteView, Error> {
        require_admin(caller)?;
        let (id, content) = (site_id(id)?, new.check()?);
        self.retrying(|| self.try_update_site(&id, version, &content)).await?;
        Ok(SiteView::whole(self.live_site(&id).await?))
    }

    /// Notes that tags are in use: plain puts, since a tag without sites does no harm.
    pub(super) async fn note_tags(&self, tags: &[String]) -> Result<(), Error> {
        let now = self.db.now();
        let mut batch = self.db.batch();
        for tag in tags.iter().filter_map(|tag| TagName::new(tag).ok()) {
            batch.put(&Tag { tag, last_used_at: now })?;
        }
        Ok(batch.run().await?)
    }
}
