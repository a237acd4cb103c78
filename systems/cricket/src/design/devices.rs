//! `cricket-devices`: the phones that get pushes.

use super::{PushToken, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;
use std::time::Duration;

/// The phones. A user has one as a rule: the last that launched the app.
#[table(name = "cricket-devices", key = (userId, deviceToken), ttl = expiresAt, entities(Device))]
pub struct Devices;

/// A phone.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Devices, key of_user = ("{user_id}", "{device_token}"), rename_all = "camelCase")]
pub struct Device {
    /// Whose it is.
    pub user_id: UserId,
    /// Where alerts are sent.
    pub device_token: PushToken,
    /// What runs on it.
    pub platform: Platform,
    /// Which push service knows the token.
    pub environment: Environment,
    /// The version of the app.
    pub app_version: Option<String>,
    /// When it was first registered.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When the app was last launched.
    pub last_seen_at: Timestamp,
    /// Where a message is sent that starts an activity.
    pub push_to_start_token: Option<PushToken>,
    /// 90 days after `last_seen_at`.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

impl Device {
    /// How long a device is kept after the app was last launched.
    pub const KEPT: Duration = Duration::from_hours(90 * 24);
}

/// What runs on a device.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// iOS and iPadOS.
    Ios,
}

/// Which of Apple's push services knows a token.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// Apps from the store.
    Production,
    /// Apps from Xcode.
    Sandbox,
}
