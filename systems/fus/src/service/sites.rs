//! Sites: reading them, and what admins write about them.

use super::rights::require_admin;
use super::{ListPaging, Service, one_line};
use crate::design::{Content, Site, SiteId, SiteList, SiteTag, SiteWord, TagName, Word, WordStart};
use crate::error::Result;
use crate::rules::{Address, NewTag, NewTags, parse_address, parse_tag, site_words};
use crate::view::SiteView;
use singlet_web::prelude::*;

/// What an admin writes about a site.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewSite {
    /// http or https, with a host, without a user name.
    pub url: Address,
    /// At most 120 characters.
    pub title: CleanText<120>,
    /// At most 2,000 characters.
    #[serde(default)]
    pub description: CleanText<2000, 0>,
    /// The text of its page, at most 8,192 bytes. Nothing is ever fetched.
    #[serde(default)]
    #[schemars(with = "CleanText<8192, 0>")]
    pub scraped_content: PageText,
    /// At most 200: letters, digits, `-`, `+` and `.`; a space becomes `-`.
    #[serde(default)]
    #[schemars(with = "Vec<NewTag>", length(max = 400))]
    pub tags: NewTags,
}

/// The text of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "CleanText<8192, 0>")]
pub struct PageText(pub(crate) String);

impl TryFrom<CleanText<8192, 0>> for PageText {
    type Error = &'static str;

    fn try_from(text: CleanText<8192, 0>) -> Result<Self, Self::Error> {
        let text = text.into_string();
        if text.len() > 8192 { Err("must have at most 8192 bytes") } else { Ok(Self(text)) }
    }
}

impl NewSite {
    fn content(&self) -> Content {
        Content {
            url: self.url.0.clone(),
            title: one_line(self.title.as_str()),
            description: self.description.as_str().to_owned(),
            scraped_content: self.scraped_content.0.clone(),
            tags: self.tags.0.clone(),
        }
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

impl Service {
    /// R1: a site.
    pub async fn site(&self, id: &SiteId) -> Result<SiteView> {
        Ok(SiteView::whole(self.live_site(id).await?))
    }

    /// R2: all sites, the newest first.
    pub async fn sites(&self, paging: &ListPaging) -> Result<Page<SiteView>> {
        let newest = Site::all(SiteList::Site).descending().limit(paging.limit());
        let page = self.db.query(newest).page(paging.cursor()?).await?;
        Ok(Page::from(page).map(SiteView::listed))
    }

    /// R3: sites with a tag, newest first. The site's own tags decide, which makes a large change
    /// atomic. A page may be short.
    pub async fn sites_with_tag(&self, tag: &str, paging: &ListPaging) -> Result<Page<SiteView>> {
        let parsed = parse_tag(tag).and_then(|tag| Some((TagName::new(&tag).ok()?, tag)));
        let Some((name, tag)) = parsed else { return Ok(Page { items: Vec::new(), next: None }) };
        let newest = SiteTag::with_tag(&name).descending().limit(paging.limit());
        let page = Page::from(self.db.query(newest).page(paging.cursor()?).await?);
        let mut sites = self.live_sites(page.items.iter().map(|item| &item.id)).await?;
        let of_tag = |site: &Site| site.tags.contains(&tag);
        Ok(page.filter_map(|item| sites.remove(&item.id).filter(of_tag).map(SiteView::listed)))
    }

    /// 1: adds a site, with its tags and words; all or nothing.
    pub async fn create_site(&self, caller: &Caller, new: &NewSite) -> Result<SiteView> {
        require_admin(caller)?;
        let content = new.content();
        let id: SiteId = self.random.id(self.db.now())?;
        self.save_site(&id, None, &content).await?;
        self.site(&id).await
    }

    /// 2: changes a site, its tags and its words; atomic for readers. A pending change is reported
    /// before a version mismatch.
    pub async fn update_site(
        &self,
        caller: &Caller,
        id: &SiteId,
        version: u64,
        new: &NewSite,
    ) -> Result<SiteView> {
        require_admin(caller)?;
        let content = new.content();
        let dropped = self.db.attempt(|_| self.try_update_site(id, version, &content)).await?;
        if !dropped.is_empty() {
            let id = id.clone();
            self.in_background("forgetting tags", |service| async move {
                service.forget_dropped(&id, &dropped).await
            });
        }
        self.site(id).await
    }
}
