//! Matches as lists and pages read them.

use super::fixtures::LEAGUES_AT_ONCE_MAX;
use super::{Names, Service};
use crate::design::{
    CachedFixture, Fixture, Follow, ID_BYTES_MAX, LeagueCode, MatchId, ProcessingState, TeamId,
    UserId,
};
use crate::error::Error;
use crate::rules::{DisplayState, MatchView, display};
use crate::view::match_view;
use futures_util::{StreamExt, TryStreamExt, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use singlet::Page;
use singlet::prelude::*;
use singlet_web::problem::Problem;
use singlet_web::validate::FieldLocation;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How far back and ahead a list reaches unless it says otherwise.
const DAYS_BACK: Duration = Duration::from_hours(2 * 24);
const DAYS_AHEAD: Duration = Duration::from_hours(7 * 24);

/// How many ids a list may ask for.
const IDS_MAX: usize = 100;

/// Lists begin at midnight.
fn start_of_day(moment: Timestamp) -> Timestamp {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    let millis = moment.as_millis();
    Timestamp::from_millis(millis - millis.rem_euclid(DAY_MS))
}

/// Which matches to list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct MatchFilter {
    /// The code of a league.
    #[schemars(length(min = 1, max = 40))]
    pub league: Option<String>,
    /// The earliest start: two days ago if it is missing.
    pub from: Option<Timestamp>,
    /// The latest start: in seven days if it is missing.
    pub to: Option<Timestamp>,
    /// Ids of matches instead, separated by commas: at most 100.
    #[schemars(length(min = 1, max = 8000))]
    pub ids: Option<String>,
    /// The `cursor` of the answer before.
    pub cursor: Option<Timestamp>,
}

/// Some matches, and where the next ones begin.
#[derive(Clone, Debug, Default)]
pub struct MatchPage {
    /// In play, by start time. Only the first page has them.
    pub live: Vec<Fixture>,
    /// Others, by start time.
    pub items: Vec<Fixture>,
    /// The start of the first match that was left out.
    pub next: Option<Timestamp>,
}

/// A match with all that is shown of it.
#[derive(Clone, Debug)]
pub struct MatchRecord {
    pub fixture: Fixture,
    pub processing: Option<Arc<ProcessingState>>,
    pub cached: Option<CachedFixture>,
    pub names: Names,
}

impl MatchRecord {
    pub fn view(&self) -> MatchView {
        let processing = self.processing.as_deref();
        match_view(&self.fixture, processing, self.cached.as_ref(), &self.names)
    }
}

impl Service {
    /// Matches of one league or of all active ones, those in play first; or those with these ids.
    pub async fn list_matches(&self, filter: &MatchFilter) -> Result<MatchPage, Error> {
        if let Some(ids) = &filter.ids {
            let items = self.matches_with(ids).await?;
            return Ok(MatchPage { items, ..MatchPage::default() });
        }
        let codes = match &filter.league {
            Some(code) => vec![LeagueCode::new(code).map_err(|_| Error::LeagueNotFound)?],
            None => self.active_codes().await?,
        };
        let now = self.db.now();
        let from = filter.cursor.or(filter.from);
        let from = from.unwrap_or_else(|| start_of_day(now.before(DAYS_BACK)));
        let to = filter.to.unwrap_or_else(|| now.after(DAYS_AHEAD));
        if from > to {
            let detail = "must not be before from, which is two days ago if it is missing";
            return Err(Problem::invalid_field(FieldLocation::Query, "to", detail).into());
        }
        let (mut items, next) = self.list_leagues(&codes, from, to).await?;
        items.retain(|one| one.live.is_none());
        let mut live = Vec::new();
        if filter.cursor.is_none() {
            live = self.fixtures.live().await?;
            live.retain(|one| filter.league.is_none() || codes.contains(&one.league_code));
        }
        // The matches of a deleted league stay.
        if let (Some(code), true) = (&filter.league, live.is_empty() && items.is_empty()) {
            self.check_code(code).await?;
        }
        Ok(MatchPage { live, items, next })
    }

    /// Fails unless a stored league has this code.
    async fn check_code(&self, code: &str) -> Result<(), Error> {
        let leagues = self.leagues.all().await?;
        let is_known = leagues.iter().any(|league| league.code.as_str() == code);
        is_known.then_some(()).ok_or(Error::LeagueNotFound)
    }

    async fn matches_with(&self, ids: &str) -> Result<Vec<Fixture>, Error> {
        // A malformed id is not a match.
        let ids = ids.split(',').map(str::trim).filter(|id| id.len() <= ID_BYTES_MAX);
        let ids: Vec<MatchId> = ids.filter_map(|id| MatchId::new(id).ok()).collect();
        if ids.len() > IDS_MAX {
            let detail = format!("must be at most {IDS_MAX} ids");
            return Err(Problem::invalid_field(FieldLocation::Query, "ids", detail).into());
        }
        let mut found = self.fixtures.get_many(&ids).await?;
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// One page of each league, merged by start, then by league. The next page begins at a moment,
    /// where the shortest page of a league ended.
    async fn list_leagues(
        &self,
        codes: &[LeagueCode],
        from: Timestamp,
        to: Timestamp,
    ) -> Result<(Vec<Fixture>, Option<Timestamp>), Error> {
        let queries = codes.iter().map(|code| self.fixtures.of_league(code, from, to, None));
        let queries = stream::iter(queries.collect::<Vec<_>>());
        let pages: Vec<Page<Fixture>> =
            queries.buffer_unordered(LEAGUES_AT_ONCE_MAX).boxed().try_collect().await?;
        let unread = pages.iter().filter(|page| page.next.is_some());
        let mut next = unread.filter_map(|page| Some(page.items.last()?.start_time)).min();
        let mut items: Vec<Fixture> = pages.into_iter().flat_map(|page| page.items).collect();
        if let Some(end) = next {
            items.retain(|one| one.start_time < end);
            if items.is_empty() {
                // More than a page of one league starts at this very moment.
                next = Some(end.after(Duration::from_millis(1))).filter(|next| *next <= to);
                for code in codes {
                    let query = Fixture::of_league(code).between(end, end);
                    items.extend(self.db.query(query).all().await?);
                }
            }
        }
        // Stable: matches of a league that start together stay in the order of its index.
        items.sort_by_key(|one| (one.start_time, one.league_code.clone()));
        Ok((items, next))
    }

    pub async fn find_match(&self, id: &MatchId) -> Result<Fixture, Error> {
        self.fixtures.get(id).await?.ok_or(Error::MatchNotFound)
    }

    /// A match in which this team plays; any match for `neutral`.
    pub async fn find_side(&self, id: &MatchId, team: &TeamId) -> Result<Fixture, Error> {
        let fixture = self.find_match(id).await?;
        fixture.has_perspective(team).then_some(fixture).ok_or(Error::TeamNotInMatch)
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

    async fn record_of(&self, fixture: Fixture) -> singlet::Result<MatchRecord> {
        let id = &fixture.match_id;
        let processing = self.processing.get(id, fixture.sequence).await?;
        let cached = self.cache.get(id).await?;
        let names = self.names(std::slice::from_ref(&fixture)).await?;
        Ok(MatchRecord { fixture, processing, cached, names })
    }

    /// The display of this version of a match, from the cache or else rebuilt.
    pub(crate) async fn display_of(
        &self,
        fixture: &Fixture,
        team: &TeamId,
        is_kept: bool,
    ) -> singlet::Result<DisplayState> {
        let stored = self.displays.get(&fixture.match_id, team).await?;
        let stored = stored.filter(|stored| stored.sequence == fixture.sequence);
        if let Some(state) = stored.and_then(|stored| serde_json::from_str(&stored.state).ok()) {
            return Ok(state);
        }
        let record = self.record_of(fixture.clone()).await?;
        let state = display(&record.view(), team.as_str());
        if is_kept {
            let (json, is_final) = (state.to_json(), fixture.ended_at.is_some());
            self.displays.put(&fixture.match_id, team, json, fixture.sequence, is_final).await?;
        }
        Ok(state)
    }
}
