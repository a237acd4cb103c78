//! `cricket-prematch-notifications`: which messages were sent.

use super::{MatchId, UserId};
use singlet::prelude::*;
use std::time::Duration;

/// The messages that were sent, one partition per match.
#[table(
    name = "cricket-prematch-notifications",
    key = (matchId, userId),
    ttl = expiresAt,
    entities(Notification)
)]
pub struct PrematchNotifications;

/// A message that somebody has claimed to send, so that nobody else does.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(PrematchNotifications, key = ("{match_id}", "{claim}"), rename_all = "camelCase")]
pub struct Notification {
    /// The match.
    pub match_id: MatchId,
    /// Which message, to whom.
    #[attribute(rename = "userId")]
    pub claim: Claim,
    /// When it was claimed.
    pub sent_at: Timestamp,
    /// 48 hours later.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

impl Notification {
    /// How long a claim is kept.
    pub const KEPT: Duration = Duration::from_hours(48);
}

/// What stands for all users.
const EVERYBODY: &str = "*";

/// Which message, to whom: what the attribute `userId` holds.
#[derive(Attribute, Clone, Debug, PartialEq, Eq)]
pub struct Claim(String);

impl Claim {
    /// The reminder before a match, for a user.
    #[must_use]
    pub fn reminder(user: &UserId) -> Self {
        match user.as_str() {
            // A subject in which `%` is encoded cannot be this.
            EVERYBODY => Self("%2A".to_owned()),
            user => Self(user.to_owned()),
        }
    }

    /// The news of the toss, for a user.
    #[must_use]
    pub fn toss(user: &UserId) -> Self {
        Self(format!("toss#{user}"))
    }

    /// The start of an activity on this day of the match, for a user.
    #[must_use]
    pub fn start(day: u32, user: &UserId) -> Self {
        Self(format!("start#{day}#{user}"))
    }

    /// Everybody was reminded.
    #[must_use]
    pub fn everybody() -> Self {
        Self(EVERYBODY.to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
