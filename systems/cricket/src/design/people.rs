//! Devices, follows, activities, and the messages that were sent.

use super::{MatchId, PushToken, TeamId, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

#[table(
    name = "cricket-devices",
    elsewhere = "cricket-devices-{env}",
    key = (userId, deviceToken),
    ttl = expiresAt,
    entities(Device)
)]
pub struct Devices;

/// A phone. A user has one as a rule: the last that launched the app.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Devices, key of_user = ("{user_id}", "{device_token}"), rename_all = "camelCase")]
pub struct Device {
    pub user_id: UserId,
    pub device_token: PushToken,
    pub platform: Platform,
    /// Which push service knows the token.
    pub environment: Environment,
    pub app_version: Option<String>,
    #[attribute(created)]
    pub created_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// For the message that starts an activity.
    pub push_to_start_token: Option<PushToken>,
    /// 90 days after `last_seen_at`.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

impl Device {
    pub const KEPT: Duration = Duration::from_hours(90 * 24);
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    Ios,
}

/// Which of Apple's push services knows a token: `sandbox` for apps from Xcode.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    Production,
    Sandbox,
}

/// One partition per match.
#[table(
    name = "cricket-match-follows",
    elsewhere = "cricket-match-follows-{env}",
    key = (matchId, userId),
    ttl = expiresAt,
    entities(Follow)
)]
pub struct MatchFollows;

/// A user follows a match, with a team or neutrally. It expires 48 hours after the end of the
/// match: its start, and the length of its format.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(MatchFollows, key followers_of = ("{match_id}", "{user_id}"), rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Follow {
    pub match_id: MatchId,
    #[serde(skip)]
    pub user_id: UserId,
    /// One of the two teams, or `neutral`.
    pub team_id: TeamId,
    #[attribute(created)]
    pub created_at: Timestamp,
    /// The tokens of the user's activities of this match, so that there are at most
    /// [`Follow::ACTIVITIES_MAX`]. Some of them may be gone.
    #[serde(skip)]
    pub activities: BTreeSet<PushToken>,
    #[attribute(ttl)]
    #[serde(skip)]
    pub expires_at: Expiry,
}

impl Follow {
    pub const ACTIVITIES_MAX: usize = 8;
}

/// One partition per match.
#[table(
    name = "cricket-activity-subscriptions",
    elsewhere = "cricket-activity-subscriptions-{env}",
    key = (matchId, pushToken),
    ttl = expiresAt,
    entities(Subscription)
)]
pub struct ActivitySubscriptions;

/// An activity on a lock screen. A user with two devices has two of them for one match.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ActivitySubscriptions,
    key of_match = ("{match_id}", "{push_token}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    pub match_id: MatchId,
    #[serde(skip)]
    pub push_token: PushToken,
    #[serde(skip)]
    pub user_id: UserId,
    /// One of the two teams, or `neutral`.
    pub team_id: TeamId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(ttl)]
    #[serde(skip)]
    pub expires_at: Expiry,
}

/// One partition per match.
#[table(
    name = "cricket-prematch-notifications",
    elsewhere = "cricket-prematch-notifications-{env}",
    key = (matchId, userId),
    ttl = expiresAt,
    entities(Notification)
)]
pub struct PrematchNotifications;

/// A message that one server has claimed to send.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(PrematchNotifications, key = ("{match_id}", "{claim}"), rename_all = "camelCase")]
pub struct Notification {
    pub match_id: MatchId,
    #[attribute(rename = "userId")]
    pub claim: Claim,
    pub sent_at: Timestamp,
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

impl Notification {
    pub const KEPT: Duration = Duration::from_hours(48);
}

const EVERYBODY: &str = "*";

/// Which message, to whom: what the attribute `userId` holds.
#[derive(Attribute, Clone, Debug, PartialEq, Eq)]
pub struct Claim(String);

impl Claim {
    pub fn reminder(user: &UserId) -> Self {
        match user.as_str() {
            // A subject in which `%` is encoded cannot be this.
            EVERYBODY => Self("%2A".to_owned()),
            user => Self(user.to_owned()),
        }
    }

    pub fn toss(user: &UserId) -> Self {
        Self(format!("toss#{user}"))
    }

    /// The start of an activity on this day of the match.
    pub fn start(day: u32, user: &UserId) -> Self {
        Self(format!("start#{day}#{user}"))
    }

    /// All followers were reminded.
    pub fn everybody() -> Self {
        Self(EVERYBODY.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
