//! Ratings. The site counts them in the same transaction.

use super::{ListPaging, Service, is_live_site, user_of};
use crate::design::{Rating, Site, SiteId};
use crate::error::{Error, Result};
use crate::view::{PublicRating, RatingView, display_name};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRating {
    #[schemars(range(min = 1, max = 5))]
    pub stars: u8,
    /// For yourself alone, in at most 500 characters.
    #[serde(default)]
    pub note: CleanText<500, 0>,
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
    pub async fn rate_site(
        &self,
        caller: &Caller,
        id: &SiteId,
        new: &NewRating,
    ) -> Result<RatingView> {
        let user = user_of(caller)?;
        if !(1..=5).contains(&new.stars) {
            return Err(Error::invalid("/stars", "must be 1 to 5"));
        }
        let (stars, note) = (new.stars, new.note.as_str());
        self.db
            .attempt(async |_| {
                let site = self.live_site(id).await?;
                let rating = Rating {
                    id: user.clone(),
                    site_id: id.clone(),
                    stars,
                    note: note.to_owned(),
                    updated_at: self.db.now(),
                };
                let counted = update(Site::key(id)).only_if(is_live_site());
                let mut transaction = self.db.transaction::<Error>();
                match self.db.get(Rating::key(&user, id).consistent()).await? {
                    Some(old) if old.stars == stars && old.note == note => {
                        return Ok(RatingView { rating: old, site_title: site.title });
                    }
                    Some(old) => {
                        let unchanged = put(&rating).only_if(Rating::STARS.eq(old.stars));
                        transaction.push(unchanged.or(Error::changed()));
                        if old.stars == stars {
                            let live = check(Site::key(id)).only_if(is_live_site());
                            transaction.push(live.or(Error::changed()));
                        } else {
                            let difference = i64::from(stars) - i64::from(old.stars);
                            let counted = counted.add(Site::RATING_SUM, difference);
                            let counted =
                                count_stars(count_stars(counted, old.stars, -1), stars, 1);
                            transaction.push(counted.or(Error::changed()));
                        }
                    }
                    None => {
                        transaction.push(create(&rating).or(Error::changed()));
                        transaction.push(count(counted, stars, 1).or(Error::changed()));
                    }
                }
                transaction.run().await?;
                Ok(RatingView { rating, site_title: site.title })
            })
            .await
    }

    /// 6: takes a rating back, also while the site is being deleted.
    pub async fn remove_rating(&self, caller: &Caller, id: &SiteId) -> Result<()> {
        let user = user_of(caller)?;
        self.db
            .attempt(async |_| {
                let old = self.db.get(Rating::key(&user, id).consistent()).await?;
                let old = old.ok_or(Error::RatingNotFound)?;
                let gone = delete(Rating::key(&user, id)).only_if(Rating::STARS.eq(old.stars));
                let counted = count(update(Site::key(id)), old.stars, -1);
                self.db.transact((gone.or(Error::changed()), counted.or(Error::changed()))).await
            })
            .await
    }

    /// R1: the caller's rating of a site, if there is one.
    pub async fn my_rating(&self, caller: &Caller, id: &SiteId) -> Result<Option<RatingView>> {
        let user = user_of(caller)?;
        let site_title = self.live_site(id).await?.title;
        let rating = self.db.get(Rating::key(&user, id).consistent()).await?;
        Ok(rating.map(|rating| RatingView { rating, site_title }))
    }

    /// R5: the caller's ratings, the newest first. However many comments there are, none is read.
    pub async fn my_ratings(
        &self,
        caller: &Caller,
        paging: &ListPaging,
    ) -> Result<Page<RatingView>> {
        let user = user_of(caller)?;
        let newest = Rating::of_user(&user).descending().limit(paging.limit());
        let page = Page::from(self.db.query(newest).page(paging.cursor()?).await?);
        let sites = self.live_sites(page.items.iter().map(|rating| &rating.site_id)).await?;
        Ok(page.filter_map(|rating| {
            let site_title = sites.get(&rating.site_id)?.title.clone();
            Some(RatingView { rating, site_title })
        }))
    }

    /// R6: who gave so many stars, to one site or to any. Notes are not shown.
    pub async fn ratings_with(
        &self,
        caller: &Caller,
        stars: u8,
        site: Option<&SiteId>,
        paging: &ListPaging,
    ) -> Result<Page<PublicRating>> {
        user_of(caller)?;
        let (cursor, limit) = (paging.cursor()?, paging.limit());
        let of_stars = Rating::with_stars(stars);
        let page = Page::from(match site {
            Some(id) => self.db.query(of_stars.with(id).limit(limit)).page(cursor).await?,
            None => self.db.query(of_stars.descending().limit(limit)).page(cursor).await?,
        });
        let sites = self.live_sites(page.items.iter().map(|rating| &rating.site_id)).await?;
        let people = self.profiles_of(page.items.iter().map(|rating| &rating.id)).await?;
        Ok(page.filter_map(|Rating { id, site_id, stars, updated_at, .. }| {
            let site_title = sites.get(&site_id)?.title.clone();
            let display_name = display_name(&id, people.get(&id));
            Some(PublicRating { site_id, site_title, stars, updated_at, user_id: id, display_name })
        }))
    }
}
