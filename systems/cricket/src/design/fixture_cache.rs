//! `cricket-fixture-cache`: what the feed said last.

use super::{LeagueId, MatchId};
use singlet::prelude::*;

/// The feed's own fixtures, with names that lists show.
#[table(
    name = "cricket-fixture-cache",
    key = (matchId),
    index("leagueId-startingAt-index" = (leagueId, startingAt)),
    ttl = ttl,
    entities(CachedFixture)
)]
pub struct FixtureCache;

/// A fixture as the feed sent it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    FixtureCache,
    key = ("{match_id}"),
    "leagueId-startingAt-index" of_league = ("{league_id}", "{starting_at}"),
    rename_all = "camelCase"
)]
pub struct CachedFixture {
    /// The match.
    pub match_id: MatchId,
    /// The league.
    pub league_id: LeagueId,
    /// When it is scheduled to begin.
    pub starting_at: Timestamp,
    /// The feed's JSON without `balls`, at most 100 KB.
    pub payload: String,
    /// When the feed said so, in epoch milliseconds.
    pub feed_at: i64,
    /// Names and positions.
    pub enrichment: Option<Enrichment>,
    /// When the enrichment was written.
    pub enriched_at: Option<Timestamp>,
    /// An hour later while live, a day while scheduled, seven days once final.
    #[attribute(ttl)]
    pub expires: Expiry,
}

impl CachedFixture {
    /// How many bytes a payload may have. A longer one is not stored.
    pub const PAYLOAD_BYTES_MAX: usize = 100 * 1024;
}

/// Names and positions of the teams of a match, so that lists need no other table.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Default)]
#[attribute(rename_all = "camelCase")]
pub struct Enrichment {
    /// The home team.
    pub home_name: String,
    /// Its code.
    pub home_code: String,
    /// The away team.
    pub away_name: String,
    /// Its code.
    pub away_code: String,
    /// The league.
    pub league_name: String,
    /// Its code.
    pub league_code: String,
    /// The home team's place in the standings.
    pub home_position: Option<u32>,
    /// The away team's place in the standings.
    pub away_position: Option<u32>,
}
