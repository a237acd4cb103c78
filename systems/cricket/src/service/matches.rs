//! Matches as lists and pages read them.

use super::list_cursor::{ListCursor, NotACursor};
use super::{Names, Service, StoreError};
use crate::design::{
    CachedFixture, Fixture, Follow, LeagueCode, MatchId, ProcessingState, TeamId, UserId,
};
use crate::error::Error;
use crate::rules::{DisplayState, MatchView, display};
use crate::view::match_view;
use futures_util::{StreamExt, TryStreamExt, stream};
use singlet::prelude::*;
use singlet_web::problem::Problem;
use singlet_web::validate::FieldLocation;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// How many leagues are asked at the same time.
const LEAGUES_AT_ONCE_MAX: usize = 8;
/// How far back and ahead a list reaches unless it says otherwise.
const DAYS_BACK: Duration = Duration::from_hours(2 * 24);
const DAYS_AHEAD: Duration = Duration::from_hours(7 * 24);

/// Lists begin with a day: what was played two days ago is there until midnight.
fn start_of_day(moment: Timestamp) -> Timestamp {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    let millis = moment.as_millis();
    Timestamp::from_millis(millis - millis.rem_euclid(DAY_MS))
}

/// Which matches to list.
#[derive(Clone, Debug, Default)]
pub struct MatchFilter {
    /// Of one league; of all active ones without it.
    pub league: Option<LeagueCode>,
    /// From this start on; two days ago without it.
    pub from: Option<Timestamp>,
    /// Up to this start; in seven days without it.
    pub to: Option<Timestamp>,
    /// What the page before gave.
    pub cursor: Option<String>,
}

/// Some matches, and where the next ones begin.
#[derive(Clone, Debug)]
pub struct MatchPage {
    /// In play, by start time. Only the first page has them.
    pub live: Vec<Fixture>,
    /// Others, by start time.
    pub items: Vec<Fixture>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// What was read of one league.
struct LeaguePage {
    items: Vec<Fixture>,
    has_more: bool,
}

/// A match with all that is shown of it.
#[derive(Clone, Debug)]
pub struct MatchRecord {
    /// The match.
    pub fixture: Fixture,
    /// How far it is processed.
    pub processing: Option<Arc<ProcessingState>>,
    /// What the feed said last.
    pub cached: Option<CachedFixture>,
    /// What its teams are called.
    pub names: Names,
}

impl MatchRecord {
    /// The match as displays, scorecards and charts read it.
    #[must_use]
    pub fn view(&self) -> MatchView {
        let processing = self.processing.as_deref();
        match_view(&self.fixture, processing, self.cached.as_ref(), &self.names)
    }
}

impl Service {
    /// Matches of one league or of all active ones, those in play first.
    pub async fn list_matches(&self, filter: &MatchFilter) -> Result<MatchPage, Error> {
        let now = self.db.now();
        let from = filter.from.unwrap_or_else(|| start_of_day(now.before(DAYS_BACK)));
        let to = filter.to.unwrap_or_else(|| now.after(DAYS_AHEAD));
        if from > to {
            let detail = "must not be before `from`, which is two days ago if it is missing";
            return Err(Problem::invalid_field(FieldLocation::Query, "to", detail).into());
        }
        let mut page = match &filter.league {
            Some(league) => self.list_of_league(league, from, to, filter.cursor.as_deref()).await?,
            None => self.list_of_all(from, to, filter.cursor.as_deref()).await?,
        };
        if filter.cursor.is_none() {
            page.live = self.fixtures.live().await?;
            if let Some(league) = &filter.league {
                page.live.retain(|one| one.league_code == *league);
            }
        }
        page.items.retain(|one| one.live.is_none());
        Ok(page)
    }

    async fn list_of_league(
        &self,
        league: &LeagueCode,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&str>,
    ) -> Result<MatchPage, Error> {
        let cursor = cursor.map(str::parse).transpose()?;
        let page = self.fixtures.of_league(league, from, to, cursor).await?;
        let next = page.next.map(|next| next.to_string());
        Ok(MatchPage { live: Vec::new(), items: page.items, next })
    }

    /// One page of every active league, merged by start, then by league. What a league has read past
    /// the end of another one's page is left for the next page.
    async fn list_of_all(
        &self,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&str>,
    ) -> Result<MatchPage, Error> {
        let cursor = cursor.map(str::parse::<ListCursor>).transpose().map_err(|NotACursor| {
            let detail = "must be what an earlier answer gave as `cursor`";
            Problem::invalid_field(FieldLocation::Query, "cursor", detail)
        })?;
        let leagues = self.leagues.active().await?;
        // Two leagues may have one code.
        let codes: BTreeSet<LeagueCode> = leagues.iter().map(|one| one.code.clone()).collect();
        // Made before the stream: a closure in it would not be general enough to be sent.
        let queries: Vec<_> =
            codes.into_iter().map(|code| self.page_of(code, from, to, cursor.as_ref())).collect();
        let pages: Vec<LeaguePage> = stream::iter(queries)
            .buffer_unordered(LEAGUES_AT_ONCE_MAX)
            .boxed()
            .try_collect()
            .await?;
        let unread = pages.iter().filter(|page| page.has_more);
        let ends = unread.filter_map(|page| Some(ListCursor::after(page.items.last()?)));
        let end = ends.min_by(|one, other| one.place().cmp(&other.place()));
        let mut items: Vec<Fixture> = pages.into_iter().flat_map(|page| page.items).collect();
        if let Some(end) = &end {
            items.retain(|one| (one.start_time, &one.league_code) <= end.place());
        }
        // Stable: matches of a league that start together stay in the order of its index.
        items.sort_by(|one, other| {
            (one.start_time, &one.league_code).cmp(&(other.start_time, &other.league_code))
        });
        Ok(MatchPage { live: Vec::new(), items, next: end.map(|end| end.to_string()) })
    }

    /// The page of one league that comes behind a cursor of the list of all.
    async fn page_of(
        &self,
        league: LeagueCode,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&ListCursor>,
    ) -> Result<LeaguePage, StoreError> {
        let (from, after) = match cursor {
            None => (from, None),
            Some(cursor) => match league.cmp(&cursor.league) {
                // Its matches of that moment come before the cursor.
                Ordering::Less => (cursor.start_time.after(Duration::from_millis(1)), None),
                Ordering::Equal => (cursor.start_time, Some(cursor)),
                Ordering::Greater => (cursor.start_time, None),
            },
        };
        if from > to {
            return Ok(LeaguePage { items: Vec::new(), has_more: false });
        }
        let after = after.map(|cursor| (cursor.start_time, &cursor.match_id));
        let (items, has_more) = self.fixtures.of_league_after(&league, from, to, after).await?;
        Ok(LeaguePage { items, has_more })
    }

    /// A match.
    pub async fn find_match(&self, id: &MatchId) -> Result<Fixture, Error> {
        self.fixtures.get(id).await?.ok_or(Error::MatchNotFound)
    }

    /// How a user follows these matches.
    pub async fn follows_of(
        &self,
        user: Option<&UserId>,
        fixtures: &[Fixture],
    ) -> Result<HashMap<MatchId, Follow>, Error> {
        let Some(user) = user else { return Ok(HashMap::new()) };
        let keys = fixtures.iter().map(|one| Follow::key(&one.match_id, user));
        let follows = self.db.get_many(keys).await?;
        Ok(follows.into_iter().flatten().map(|one: Follow| (one.match_id.clone(), one)).collect())
    }

    /// A match with all that is shown of it: operations 1, 55 and 48.
    pub async fn match_record(&self, id: &MatchId) -> Result<MatchRecord, Error> {
        Ok(self.record_of(self.find_match(id).await?).await?)
    }

    async fn record_of(&self, fixture: Fixture) -> Result<MatchRecord, StoreError> {
        let id = &fixture.match_id;
        let processing = self.processing.get(id, fixture.sequence).await?;
        let cached = self.cache.get(id).await?;
        let names = self.names(std::slice::from_ref(&fixture)).await?;
        Ok(MatchRecord { fixture, processing, cached, names })
    }

    /// The display that is in the cache, if it is as new as the match.
    async fn cached_display(
        &self,
        fixture: &Fixture,
        team: &TeamId,
    ) -> Result<Option<DisplayState>, StoreError> {
        let stored = self.displays.get(&fixture.match_id, team).await?;
        let stored = stored.filter(|stored| stored.sequence == fixture.sequence);
        Ok(stored.and_then(|stored| serde_json::from_str(&stored.state).ok()))
    }

    /// What this version of a match shows to a team. Writes no cache.
    pub(crate) async fn display_of(
        &self,
        fixture: &Fixture,
        team: &TeamId,
    ) -> Result<DisplayState, StoreError> {
        if let Some(state) = self.cached_display(fixture, team).await? {
            return Ok(state);
        }
        let record = self.record_of(fixture.clone()).await?;
        Ok(display(&record.view(), team.as_str()))
    }

    /// What is shown of a match to a team: operations 46 and 1, rebuilt from 1 and 55 if it is not
    /// in the cache, or older than the match.
    pub async fn display(
        &self,
        id: &MatchId,
        team: &TeamId,
    ) -> Result<(Fixture, DisplayState), Error> {
        let fixture = self.find_match(id).await?;
        if !fixture.has_perspective(team) {
            return Err(Error::TeamNotInMatch);
        }
        if let Some(state) = self.cached_display(&fixture, team).await? {
            return Ok((fixture, state));
        }
        let record = self.match_record(id).await?;
        let state = display(&record.view(), team.as_str());
        let fixture = record.fixture;
        let is_final = fixture.ended_at.is_some();
        self.displays.put(id, team, state.to_json(), fixture.sequence, is_final).await?;
        Ok((fixture, state))
    }
}
