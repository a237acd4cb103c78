//! The tags in use: recorded before a site gets them, deleted once no site has them.

use super::{ListPaging, Service};
use crate::design::{SiteId, SiteTag, Tag, TagName};
use crate::error::Result;
use singlet::prelude::*;
use singlet_web::prelude::*;

/// Grace period for a change that has recorded its tags but is not stored yet.
const MINUTE: Duration = Duration::from_secs(60);

impl Service {
    /// R2: the tags in use, by name.
    pub async fn tags(&self, paging: &ListPaging) -> Result<Page<Tag>> {
        let all = Tag::all().limit(paging.limit());
        Ok(self.db.query(all).page(paging.cursor()?).await?.into())
    }

    /// Records tags that a site is about to get: plain puts, since an unused tag is harmless.
    pub(super) async fn note_tags(&self, site: &SiteId, tags: &[String]) -> Result<()> {
        let now = self.db.now();
        let mut batch = self.db.batch();
        for tag in tags.iter().filter_map(|tag| TagName::new(tag).ok()) {
            batch.put(&Tag { tag, last_used_at: now, last_used_by: site.clone() })?;
        }
        Ok(batch.run().await?)
    }

    /// Deletes the tags this site dropped and no other site has. A tag another site claimed within
    /// the last minute stays, since that change may be pending; the job deletes it later.
    pub async fn forget_dropped(&self, site: &SiteId, tags: &[String]) -> Result<()> {
        let settled = self.db.now().before(MINUTE);
        for name in tags.iter().filter_map(|tag| TagName::new(tag).ok()) {
            let Some(tag) = self.db.get(Tag::key(&name).consistent()).await? else { continue };
            if tag.last_used_by == *site || tag.last_used_at < settled {
                self.forget_if_unused(&tag, Some(site)).await?;
            }
        }
        Ok(())
    }

    /// Deletes a tag that no site but `except` has. A concurrent claim changes `last_used_at`, so
    /// the tag stays.
    pub(super) async fn forget_if_unused(&self, tag: &Tag, except: Option<&SiteId>) -> Result<()> {
        // The index may still show the site that dropped it.
        let some = self.db.query(SiteTag::with_tag(&tag.tag).limit(2)).all().await?;
        if some.iter().any(|item| Some(&item.id) != except) {
            return Ok(());
        }
        let is_same = Tag::LAST_USED_AT.eq(tag.last_used_at);
        match self.db.run(delete(Tag::key(&tag.tag)).only_if(is_same)).await {
            Err(singlet::Error::ConditionFailed { .. }) => Ok(()),
            other => Ok(other?),
        }
    }
}
