//! Ratings. The site counts them in the same transaction.

use super::{Service, is_live_site, site_id, texts, user_of};
use crate::design::{Rating, Site, SiteId, UserId};
use crate::error::Error;
use crate::view::{PublicRating, RatingView, display_name};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;

/// What somebody thinks of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRating {
    /// One to five.
    pub stars: u8,
    /// For the author alone.
    pub note: String,
}

/// Counts ratings with so many stars up, or down.
pub(super) fn count(site: Update<Site>, stars: u8, amount: i64) -> Update<Site> {
    let site = site
        .add(Site::RATING_COUNT, amount)
        .add(Site::RATING_SUM, amount.saturating_mul(i64::from(stars)));
    count_stars(site, stars, amount)
}

fn count_stars(site: Update<Site>, stars: u8, amount: i64) -> Update<Site> {
    match stars {
        1 => site.add(Site::STARS_1, amount),
        2 => site.add(Site::STARS_2, amount),
        3 => site.add(Site::STARS_3, amount),
        4 => site.add(Site::STARS_4, amount),
        _ => site.add(Site::STARS_5, amount),
    }
}

impl Service {
    /// 5: rates a site, or changes the rating. Repeating it writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::SiteNotFound`] if the site is not in the catalogue.
    pub async fn rate_site(
        &self,
        caller: &Caller,
        site: &str,
        new: &NewRating,
    ) -> Result<RatingView, Error> {
        let (user, id) = (user_of(caller)?, site_id(site)?);
        if !(1..=5).contains(&new.stars) {
            return Err(Error::invalid("/stars", "must be 1 to 5"));
        }
        let note = texts::lines("/note", &new.note, 0..=500)?;
        self.retrying(|| self.try_rate(&user, &id, new.stars, &note)).await
    }

    async fn try_rate(
        &self,
        user: &UserId,
        id: &SiteId,
        stars: u8,
        note: &str,
    ) -> Result<RatingView, Error> {
        let site = self.live_site(id).await?;
        let old = self.db.get(Rating::key(user, id).consistent()).await?;
        let new = Rating {
            id: user.clone(),
            site_id: id.clone(),
            stars,
            note: note.to_owned(),
            updated_at: self.db.now(),
        };
        let counted = update(Site::key(id)).only_if(is_live_site());
        let mut transaction = self.db.transaction::<Error>();
        match old {
            Some(old) if old.stars == stars && old.note == note => {
                return Ok(RatingView::new(old, &site));
            }
            Some(old) => {
                let unchanged = put(&new).only_if(Rating::STARS.eq(old.stars));
                transaction.push(unchanged.or(Error::changed()));
                if old.stars == stars {
                    let live = check(Site::key(id)).only_if(is_live_site());
                    transaction.push(live.or(Error::changed()));
                } else {
                    let difference = i64::from(stars) - i64::from(old.stars);
                    let counted = counted.add(Site::RATING_SUM, difference);
                    let counted = count_stars(count_stars(counted, old.stars, -1), stars, 1);
                    transaction.push(counted.or(Error::changed()));
                }
            }
            None => {
                transaction.push(create(&new).or(Error::changed()));
                transaction.push(count(counted, stars, 1).or(Error::changed()));
            }
        }
        transaction.run().await?;
        Ok(RatingView::new(new, &site))
    }

    /// 6: takes a rating back, also while the site is being deleted.
    ///
    /// # Errors
    ///
    /// [`Error::RatingNotFound`] without a rating.
    pub async fn remove_rating(&self, caller: &Caller, site: &str) -> Result<(), Error> {
        let (user, id) = (user_of(caller)?, site_id(site)?);
        self.retrying(|| self.try_remove_rating(&user, &id)).await
    }

    async fn try_remove_rating(&self, user: &UserId, id: &SiteId) -> Result<(), Error> {
        let old = self.db.get(Rating::key(user, id).consistent()).await?;
        let old = old.ok_or(Error::RatingNotFound)?;
        let gone = delete(Rating::key(user, id)).only_if(Rating::STARS.eq(old.stars));
        let counted = count(update(Site::key(id)), old.stars, -1);
        self.db.transact((gone.or(Error::changed()), counted.or(Error::changed()))).await
    }

    /// R1: the caller's rating of a site.
    ///
    /// # Errors
    ///
    /// [`Error::SiteNotFound`], or [`Error::RatingNotFound`] without a rating.
    pub async fn my_rating(&self, caller: &Caller, site: &str) -> Result<RatingView, Error> {
        let (user, id) = (user_of(caller)?, site_id(site)?);
        let site = self.live_site(&id).await?;
        let rating = self.db.get(Rating::key(&user, &id).consistent()).await?;
        Ok(RatingView::new(rating.ok_or(Error::RatingNotFound)?, &site))
    }

    /// R5: the caller's ratings, the newest first. However many comments there are, none is read.
    ///
    /// # Errors
    ///
    /// If the store fails, or the cursor belongs to another list.
    pub async fn my_ratings<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        paging: &Paging<D, M>,
    ) -> Result<Page<RatingView>, Error> {
        let user = user_of(caller)?;
        let newest = Rating::of_user(&user).descending().limit(paging.limit());
        let page = self.db.query(newest).page(paging.cursor()?).await?;
        let sites = self.live_sites(page.items.iter().map(|rating| &rating.site_id)).await?;
        let shown = |rating: Rating| {
            let site = sites.get(&rating.site_id)?;
            Some(RatingView::new(rating, site))
        };
        let items = page.items.into_iter().filter_map(shown).collect();
        Ok(Page { items, next: page.next.map(|cursor| cursor.to_string()) })
    }

    /// R6: who gave so many stars, to one site or to any. Notes are not shown.
    ///
    /// # Errors
    ///
    /// If the store fails, or the cursor belongs to another list.
    pub async fn ratings_with<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        stars: u8,
        site: Option<&str>,
        paging: &Paging<D, M>,
    ) -> Result<Page<PublicRating>, Error> {
        user_of(caller)?;
        let (cursor, limit) = (paging.cursor()?, paging.limit());
        let page = match site {
            Some(site) => {
                let id = site_id(site)?;
                let one = Rating::with_stars(stars).with(&id).limit(limit);
                self.db.query(one).page(cursor).await?
            }
            None => {
                let all = Rating::with_stars(stars).descending().limit(limit);
                self.db.query(all).page(cursor).await?
            }
        };
        let sites = self.live_sites(page.items.iter().map(|rating| &rating.site_id)).await?;
        let people = self.profiles_of(page.items.iter().map(|rating| &rating.id)).await?;
        let shown = |rating: Rating| {
            let site = sites.get(&rating.site_id)?;
            Some(PublicRating {
                site_id: rating.site_id.to_string(),
                site_title: site.title.clone(),
                stars: rating.stars,
                updated_at: rating.updated_at.to_string(),
                display_name: display_name(&rating.id, people.get(&rating.id)),
                user_id: rating.id.to_string(),
            })
        };
        let items = page.items.into_iter().filter_map(shown).collect();
        Ok(Page { items, next: page.next.map(|cursor| cursor.to_string()) })
    }
}
