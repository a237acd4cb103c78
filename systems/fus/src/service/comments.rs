//! Comments. The site counts them in the same transaction.

use super::{ListPaging, Service, is_live_site, one_line, user_of};
use crate::design::{Comment, CommentId, Profile, Site, SiteId, UserId};
use crate::error::{Error, Result};
use crate::rules::Permission;
use crate::view::CommentView;
use singlet::prelude::*;
use singlet_web::prelude::*;

/// How many comments a site has at most, removed ones included.
pub const COMMENTS_ON_SITE_MAX: u64 = 100_000;
pub type CommentBody = CleanText<4000>;
pub type Reason = CleanText<200>;

impl Service {
    /// 7: writes a comment.
    pub async fn add_comment(
        &self,
        caller: &Caller,
        id: &SiteId,
        body: &CommentBody,
    ) -> Result<CommentView> {
        let user = user_of(caller)?;
        let (site, comment) = self
            .db
            .attempt(async |_| {
                let site = self.live_site(id).await?;
                if site.comment_count >= COMMENTS_ON_SITE_MAX {
                    return Err(Error::TooManyComments);
                }
                let now = self.db.now();
                let comment = Comment {
                    id: user.clone(),
                    site_id: id.clone(),
                    comment_id: self.random.id(now)?,
                    body: body.as_str().to_owned(),
                    created_at: now,
                    updated_at: now,
                    removed_at: None,
                    removed_by: None,
                    removed_reason: None,
                };
                let has_room = is_live_site().and(Site::COMMENT_COUNT.lt(COMMENTS_ON_SITE_MAX));
                let counted = update(Site::key(id)).add(Site::COMMENT_COUNT, 1).only_if(has_room);
                let written = (create(&comment).or(Error::changed()), counted.or(Error::changed()));
                self.db.transact(written).await?;
                Ok((site, comment))
            })
            .await?;
        self.show_comment(comment, &site.title).await
    }

    /// 8: edits the caller's comment. The same text is a no-op.
    pub async fn edit_comment(
        &self,
        caller: &Caller,
        site: &SiteId,
        comment: &CommentId,
        body: &CommentBody,
    ) -> Result<CommentView> {
        let user = user_of(caller)?;
        let edited = self
            .db
            .attempt(async |_| {
                let old = self.stored_comment(&user, site, comment).await?;
                if old.removed_at.is_some() {
                    return Err(Error::CommentRemoved);
                }
                if old.body == body.as_str() {
                    return Ok(old);
                }
                let edited = update(Comment::key(&user, site, comment))
                    .set(Comment::BODY, body.as_str())
                    .set(Comment::UPDATED_AT, self.db.now())
                    .only_if(Comment::REMOVED_AT.missing());
                self.db.run(edited.returning_new().or(Error::changed())).await
            })
            .await?;
        self.show_with_title(edited).await
    }

    /// 9: deletes the caller's comment, even one removed by a moderator.
    pub async fn delete_comment(
        &self,
        caller: &Caller,
        site: &SiteId,
        comment: &CommentId,
    ) -> Result<()> {
        let user = user_of(caller)?;
        let gone = delete(Comment::key(&user, site, comment)).only_if(Condition::exists());
        let counted = update(Site::key(site)).add(Site::COMMENT_COUNT, -1);
        let written = (gone.or(Error::CommentNotFound), counted.or(Error::CommentNotFound));
        self.db.transact(written).await
    }

    /// 10: removes the text of a comment, with a reason. The comment keeps its place and its author
    /// may delete it.
    pub async fn moderate_comment(
        &self,
        caller: &Caller,
        (site, author, comment): (&SiteId, &UserId, &CommentId),
        reason: &Reason,
    ) -> Result<CommentView> {
        let rights = self.rights(caller).await?;
        rights.require(Permission::ModerateComments)?;
        let reason = one_line(reason.as_str());
        let removed = self
            .db
            .attempt(async |_| {
                let old = self.stored_comment(author, site, comment).await?;
                if old.removed_at.is_some() {
                    return Ok(old);
                }
                let removed = update(Comment::key(author, site, comment))
                    .set(Comment::BODY, "")
                    .set(Comment::REMOVED_AT, self.db.now())
                    .set(Comment::REMOVED_BY, &rights.user)
                    .set(Comment::REMOVED_REASON, &reason)
                    .only_if(Comment::REMOVED_AT.missing());
                self.db.run(removed.returning_new().or(Error::changed())).await
            })
            .await?;
        self.show_with_title(removed).await
    }

    /// R7: one comment. Its author can read it at once, others once the index has it.
    pub async fn comment(
        &self,
        caller: Option<&Caller>,
        site: &SiteId,
        comment: &CommentId,
    ) -> Result<CommentView> {
        let title = self.live_site(site).await?.title;
        if let Some(user) = caller.and_then(|caller| user_of(caller).ok())
            && let Ok(own) = self.stored_comment(&user, site, comment).await
        {
            return self.show_comment(own, &title).await;
        }
        let one = Comment::of_site(site).with(comment).limit(1);
        let found = self.db.query(one).first().await?.ok_or(Error::CommentNotFound)?;
        self.show_comment(found, &title).await
    }

    /// R7: the comments on a site, the newest first.
    pub async fn comments_on(&self, id: &SiteId, paging: &Paging) -> Result<Page<CommentView>> {
        let site = self.live_site(id).await?;
        let newest = Comment::of_site(id).descending().limit(paging.limit());
        let page = self.db.query(newest).page(paging.cursor()?).await?;
        let people = self.profiles_of(page.items.iter().map(|comment| &comment.id)).await?;
        Ok(Page::from(page).map(|comment| {
            let author = people.get(&comment.id);
            CommentView::new(comment, &site.title, author)
        }))
    }

    /// R5: the caller's comments, the newest first.
    pub async fn my_comments(
        &self,
        caller: &Caller,
        paging: &ListPaging,
    ) -> Result<Page<CommentView>> {
        let user = user_of(caller)?;
        let newest = Comment::of_user(&user).descending().limit(paging.limit());
        let page = Page::from(self.db.query(newest).page(paging.cursor()?).await?);
        let sites = self.live_sites(page.items.iter().map(|comment| &comment.site_id)).await?;
        let author = self.db.get(Profile::key(&user)).await?;
        Ok(page.filter_map(|comment| {
            let site = sites.get(&comment.site_id)?;
            Some(CommentView::new(comment, &site.title, author.as_ref()))
        }))
    }

    async fn stored_comment(
        &self,
        author: &UserId,
        site: &SiteId,
        comment: &CommentId,
    ) -> Result<Comment> {
        let stored = self.db.get(Comment::key(author, site, comment).consistent()).await?;
        stored.ok_or(Error::CommentNotFound)
    }

    async fn show_with_title(&self, comment: Comment) -> Result<CommentView> {
        let site = self.db.get(Site::key(&comment.site_id)).await?;
        self.show_comment(comment, &site.map(|site| site.title).unwrap_or_default()).await
    }

    async fn show_comment(&self, comment: Comment, title: &str) -> Result<CommentView> {
        let author = self.db.get(Profile::key(&comment.id)).await?;
        Ok(CommentView::new(comment, title, author.as_ref()))
    }
}
