//! `DisplayStateCache`: what pages and phones show.

use super::{MatchId, TeamId};
use singlet::prelude::*;

/// The states as they are shown, for a minute.
#[table(name = "DisplayStateCache", key = (cacheKey), ttl = ttl, entities(StoredDisplay))]
pub struct DisplayStateCache;

/// What is shown of a match from one perspective.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(DisplayStateCache, key = ("DISPLAY#{match_id}#{team_id}"), rename_all = "camelCase")]
pub struct StoredDisplay {
    /// The match.
    #[attribute(in_key)]
    pub match_id: MatchId,
    /// The perspective.
    #[attribute(in_key)]
    pub team_id: TeamId,
    /// What is shown, as JSON without `updatedAt` and `stale`.
    pub state: String,
    /// The fixture's sequence of that state.
    pub sequence: u64,
    /// A minute later, or a day once it is final.
    #[attribute(ttl)]
    pub expires: Expiry,
}
