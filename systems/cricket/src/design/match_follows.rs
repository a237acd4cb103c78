//! `cricket-match-follows`: who follows which match.

use super::{MatchId, PushToken, TeamId, UserId};
use singlet::prelude::*;
use std::collections::BTreeSet;

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
    /// The tokens of the user's activities of this match, so that there are at most
    /// [`Follow::ACTIVITIES_MAX`]. Some of them may be gone.
    pub activities: BTreeSet<PushToken>,
    /// When it is gone.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

impl Follow {
    /// How many activities of a match one user can have.
    pub const ACTIVITIES_MAX: usize = 8;
}
