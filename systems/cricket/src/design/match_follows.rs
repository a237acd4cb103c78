//! `cricket-match-follows`: who follows which match.

use super::{MatchId, TeamId, UserId};
use singlet::prelude::*;

/// The follows, one partition per match.
#[table(name = "cricket-match-follows", key = (matchId, userId), ttl = expiresAt, entities(Follow))]
pub struct MatchFollows;

/// A user follows a match, with a team or neutrally. It expires 48 hours after the end of the
/// match: its start, and the length of its format.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(MatchFollows, key followers_of = ("{match_id}", "{user_id}"), rename_all = "camelCase")]
pub struct Follow {
    /// The match.
    pub match_id: MatchId,
    /// Who follows it.
    pub user_id: UserId,
    /// One of its two teams, or neutral.
    pub team_id: TeamId,
    /// When it was first followed.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it is gone.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}
