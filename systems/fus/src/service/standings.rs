//! Standings of the squash club.

use super::Service;
use super::matches::parse_range;
use crate::design::{MatchList, SquashMatch};
use crate::error::{Error, Result};
use crate::rules::{Squash, StandingsCount, in_order};
use crate::view::StandingsView;
use singlet_web::prelude::*;
use singlet_web::problem::UNAVAILABLE;
use singlet_web::yield_now;

const DAYS_MAX: u64 = 366;
const MATCHES_MAX: usize = 10_000;
/// Matches counted before yielding to other requests: less than a millisecond.
const MATCHES_PER_YIELD: usize = 200;
const DAY_SECONDS: u64 = 24 * 3600;

impl Service {
    /// R13: standings of players and pairs in a range of days, computed from its matches.
    pub async fn standings(&self, caller: &Caller, from: &str, to: &str) -> Result<StandingsView> {
        self.squash(caller, Squash::Read).await?;
        let (from, to) = parse_range(from, to)?;
        let days = to.start().since(from.start()).as_secs() / DAY_SECONDS + 1;
        if days > DAYS_MAX {
            return Err(Error::RangeTooLarge);
        }
        // Bounds memory: each computation may hold ten thousand matches.
        let _permit = self.computing.acquire().await.map_err(|_| Problem::new(&UNAVAILABLE))?;
        let range = SquashMatch::by_date(MatchList::SquashMatch).between(from, to);
        let mut matches = self.db.query(range.limit(MATCHES_MAX + 1)).items();
        let mut played: Vec<SquashMatch> = Vec::new();
        while let Some(one) = matches.next().await {
            if played.len() == MATCHES_MAX {
                return Err(Error::RangeTooLarge);
            }
            played.push(one?);
        }
        let names = self.names_of(played.iter().flat_map(SquashMatch::players)).await?;
        let mut count = StandingsCount::new(&names);
        for (number, one) in in_order(&played).into_iter().enumerate() {
            if number % MATCHES_PER_YIELD == MATCHES_PER_YIELD - 1 {
                yield_now().await;
            }
            count.add(one);
        }
        yield_now().await;
        Ok(StandingsView::new(from, to, played.len(), count.finish()))
    }
}
