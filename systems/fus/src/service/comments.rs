//! Comments. The site counts them in the same transaction.

use super::{Service, comment_id, is_live_site, parse_user, site_id, texts, user_of};
use crate::design::{Comment, CommentId, Site, SiteId, UserId};
use crate::error::Error;
use crate::rules::Permission;
use crate::view::CommentView;
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;

/// How many comments a site has at most, removed ones included.
pub const COMMENTS_ON_SITE_MAX: u64 = 100_000;
/// How many characters a comment has at most.
const BODY_CHARS_MAX: usize = 4000;

impl Service {
    /// 7: writes a comment.
    ///
    /// # Errors
    ///
    /// [`Error::SiteNotFound`] if the site is not in the catalogue, and
    /// [`Error::TooManyComments`] if it has [`COMMENTS_ON_SITE_MAX`].
    pub async fn add_comment(
        &self,
        caller: &Caller,
        site: &str,
        body: &str,
    ) -> Result<CommentView, Error> {
        let (user, id) = (user_of(caller)?, site_id(site)?);
        let body = texts::lines("/body", body, 1..=BODY_CHARS_MAX)?;
        let (site, comment) = self.retrying(|| self.try_add_comment(&user, &id, &body)).await?;
        self.show_comment(comment, &site.title).await
    }

    async fn try_add_comment(
        &self,
        user: &UserId,
        id: &SiteId,
        body: &str,
    ) -> Result<(Site, Comment), Error> {
        let site = self.live_site(id).await?;
        if site.comment_count >= COMMENTS_ON_SITE_MAX {
            return Err(Error::TooManyComments);
        }
        let now = self.db.now();
        let comment = Comment {
            id: user.clone(),
            site_id: id.clone(),
            comment_id: self.random.id(now)?,
            body: body.to_owned(),
            created_at: now,
            updated_at: now,
            removed_at: None,
            removed_by: None,
            removed_reason: None,
        };
        let has_room = is_live_site().and(Site::COMMENT_COUNT.lt(COMMENTS_ON_SITE_MAX));
        let counted = update(Site::key(id)).add(Site::COMMENT_COUNT, 1).only_if(has_room);
        self.db
            .transact((create(&comment).or(Error::changed()), counted.or(Error::changed())))
            .await?;
        Ok((site, comment))
    }

    /// 8: changes a comment of one's own. The same text once more writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::CommentNotFound`] also for comments of others: they are not looked for.
    pub async fn edit_comment(
        &self,
        caller: &Caller,
        site: &str,
        comment: &str,
        body: &str,
    ) -> Result<CommentView, Error> {
        let (user, site, comment) = (user_of(caller)?, site_id(site)?, comment_id(comment)?);
        let body = texts::lines("/body", body, 1..=BODY_CHARS_MAX)?;
        let edited = self.retrying(|| self.try_edit(&user, &site, &comment, &body)).await?;
        let title = self.title_of(&site).await?;
        self.show_comment(edited, &title).await
    }

    async fn try_edit(
        &self,
        user: &UserId,
        site: &SiteId,
        comment: &CommentId,
        body: &str,
    ) -> Result<Comment, Error> {
        let old = self.db.get(Comment::key(user, site, comment).consistent()).await?;
        let old = old.ok_or(Error::CommentNotFound)?;
        if old.removed_at.is_some() {
            return Err(Error::CommentRemoved);
        }
        if old.body == body {
            return Ok(old);
        }
        let edited = update(Comment::key(user, site, comment))
            .set(Comment::BODY, body)
            .set(Comment::UPDATED_AT, self.db.now())
            .only_if(Comment::REMOVED_AT.missing());
        Ok(self.db.run(edited.returning_new()).await?)
    }

    /// 9: deletes a comment of one's own, also one that a moderator has removed.
    ///
    /// # Errors
    ///
    /// [`Error::CommentNotFound`] also for comments of others: they are not looked for.
    pub async fn delete_comment(
        &self,
        caller: &Caller,
        site: &str,
        comment: &str,
    ) -> Result<(), Error> {
        let (user, site, comment) = (user_of(caller)?, site_id(site)?, comment_id(comment)?);
        let gone = delete(Comment::key(&user, &site, &comment)).only_if(Condition::exists());
        let counted = update(Site::key(&site)).add(Site::COMMENT_COUNT, -1);
        let written = (gone.or(Error::CommentNotFound), counted.or(Error::CommentNotFound));
        self.db.transact(written).await
    }

    /// 10: removes the text of a comment, with a reason. The comment keeps its place, and its
    /// author may delete it.
    ///
    /// # Errors
    ///
    /// If the caller may not, or there is no such comment.
    pub async fn moderate_comment(
        &self,
        caller: &Caller,
        site: &str,
        author: &str,
        comment: &str,
        reason: &str,
    ) -> Result<CommentView, Error> {
        let rights = self.rights(caller).await?;
        rights.require(Permission::ModerateComments)?;
        let author = parse_user(author).ok_or(Error::CommentNotFound)?;
        let (site, comment) = (site_id(site)?, comment_id(comment)?);
        let reason = texts::line("/reason", reason, 1..=200)?;
        let key = (&author, &site, &comment);
        let removed = self.retrying(|| self.try_moderate(key, &rights.user, &reason)).await?;
        let title = self.title_of(&site).await?;
        self.show_comment(removed, &title).await
    }

    async fn try_moderate(
        &self,
        (author, site, comment): (&UserId, &SiteId, &CommentId),
        moderator: &UserId,
        reason: &str,
    ) -> Result<Comment, Error> {
        let old = self.db.get(Comment::key(author, site, comment).consistent()).await?;
        let old = old.ok_or(Error::CommentNotFound)?;
        if old.removed_at.is_some() {
            return Ok(old);
        }
        let removed = update(Comment::key(author, site, comment))
            .set(Comment::BODY, "")
            .set(Comment::REMOVED_AT, self.db.now())
            .set(Comment::REMOVED_BY, moderator)
            .set(Comment::REMOVED_REASON, reason)
            .only_if(Comment::REMOVED_AT.missing());
        Ok(self.db.run(removed.returning_new()).await?)
    }

    /// R7: the comments on a site, the newest first.
    ///
    /// # Errors
    ///
    /// [`Error::SiteNotFound`] if the site is not in the catalogue.
    pub async fn comments_on<const D: u32, const M: u32>(
        &self,
        site: &str,
        paging: &Paging<D, M>,
    ) -> Result<Page<CommentView>, Error> {
        let id = site_id(site)?;
        let site = self.live_site(&id).await?;
        let newest = Comment::of_site(&id).descending().limit(paging.limit());
        let page = self.db.query(newest).page(paging.cursor()?).await?;
        let people = self.profiles_of(page.items.iter().map(|comment| &comment.id)).await?;
        Ok(Page::from(page).map(|comment| {
            let author = people.get(&comment.id);
            CommentView::new(comment, &site.title, author)
        }))
    }

    /// R5: the caller's comments, the newest first.
    ///
    /// # Errors
    ///
    /// If the store fails, or the cursor belongs to another list.
    pub async fn my_comments<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        paging: &Paging<D, M>,
    ) -> Result<Page<CommentView>, Error> {
        let user = user_of(caller)?;
        let newest = Comment::of_user(&user).descending().limit(paging.limit());
        let page = self.db.query(newest).page(paging.cursor()?).await?;
        let sites = self.live_sites(page.items.iter().map(|comment| &comment.site_id)).await?;
        let people = self.profiles_of([&user].into_iter()).await?;
        let shown = |comment: Comment| {
            let site = sites.get(&comment.site_id)?;
            Some(CommentView::new(comment, &site.title, people.get(&user)))
        };
        let items = page.items.into_iter().filter_map(shown).collect();
        Ok(Page { items, next: page.next.map(|cursor| cursor.to_string()) })
    }

    async fn title_of(&self, site: &SiteId) -> Result<String, Error> {
        Ok(self.db.get(Site::key(site)).await?.map(|site| site.title).unwrap_or_default())
    }

    async fn show_comment(&self, comment: Comment, title: &str) -> Result<CommentView, Error> {
        let people = self.profiles_of([&comment.id].into_iter()).await?;
        let author = people.get(&comment.id);
        Ok(CommentView::new(comment, title, author))
    }
}
