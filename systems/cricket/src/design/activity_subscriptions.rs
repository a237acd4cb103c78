//! `cricket-activity-subscriptions`: the lock-screen activities of a match.

use super::{MatchId, PushToken, TeamId, UserId};
use singlet::prelude::*;

/// The activities, one partition per match.
#[table(
    name = "cricket-activity-subscriptions",
    key = (matchId, pushToken),
    ttl = expiresAt,
    entities(Subscription)
)]
pub struct ActivitySubscriptions;

/// An activity on a lock screen. A user with two devices has two of them for one match.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ActivitySubscriptions,
    key of_match = ("{match_id}", "{push_token}"),
    rename_all = "camelCase"
)]
pub struct Subscription {
    /// The match.
    pub match_id: MatchId,
    /// Where its updates are sent.
    pub push_token: PushToken,
    /// Whose it is.
    pub user_id: UserId,
    /// From whose side it shows the match.
    pub team_id: TeamId,
    /// When it was first registered.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it is gone.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}
