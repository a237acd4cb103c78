//! The phones.

use super::StoreError;
use super::store_error::condition_held;
use crate::design::{Cricket, Device, Environment, Platform, PushToken, UserId};
use singlet::prelude::*;
use std::time::Duration;

/// The least difference between two times.
const MILLISECOND: Duration = Duration::from_millis(1);

/// The phones: operations 23 to 26. Clones are one.
#[derive(Clone)]
pub struct DeviceService {
    db: Db<Cricket>,
}

/// A device that launches the app.
#[derive(Clone, Debug, PartialEq)]
pub struct NewDevice {
    /// Where alerts are sent.
    pub device_token: PushToken,
    /// What runs on it.
    pub platform: Platform,
    /// Which push service knows the token.
    pub environment: Environment,
    /// The version of the app.
    pub app_version: Option<String>,
}

impl DeviceService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db }
    }

    /// 23 A user's device: Query with Limit 1. An expired first record is passed over.
    pub async fn of_user(&self, user: &UserId) -> Result<Option<Device>, StoreError> {
        Ok(self.db.query(Device::of_user(user).limit(1)).first().await?)
    }

    /// 24 Registers the device that launched the app last, in three steps that can be repeated:
    /// reads the user's devices, writes this one as seen after all of them, and deletes the others.
    /// A crash, or two launches at once, may leave one too many until the next launch. The one that
    /// was seen last is never deleted, so there is always one.
    pub async fn register(&self, user: &UserId, new: &NewDevice) -> Result<Device, StoreError> {
        let mut others =
            self.db.query(Device::of_user(user).consistent().with_expired()).all().await?;
        others.retain(|device| device.device_token != new.device_token);
        // Later than the others also while the clock stands still.
        let latest = others.iter().map(|device| device.last_seen_at.after(MILLISECOND)).max();
        let now = latest.map_or(self.db.now(), |latest| latest.max(self.db.now()));
        let change = upsert(Device::key(user, &new.device_token))
            .set(Device::PLATFORM, new.platform)
            .set(Device::ENVIRONMENT, new.environment)
            .set(Device::APP_VERSION, new.app_version.clone())
            .set(Device::LAST_SEEN_AT, now)
            .set(Device::EXPIRES_AT, Expiry::at(now.after(Device::KEPT)))
            .returning_new();
        let device = self.db.run(change).await?;
        self.delete_as_read(user, &others).await?;
        Ok(device)
    }

    async fn delete_as_read(&self, user: &UserId, devices: &[Device]) -> Result<(), StoreError> {
        for device in devices {
            let is_as_read = Device::LAST_SEEN_AT.eq(device.last_seen_at);
            let change = delete(Device::key(user, &device.device_token)).only_if(is_as_read);
            // It was seen again, or is gone.
            condition_held(self.db.run(change).await)?;
        }
        Ok(())
    }

    /// Deletes all devices of a user but the one that was seen last: several that are registered at
    /// once do not see each other.
    pub async fn keep_newest(&self, user: &UserId) -> Result<(), StoreError> {
        let query = Device::of_user(user).consistent().with_expired();
        let mut devices = self.db.query(query).all().await?;
        devices.sort_by(|one, other| {
            (one.last_seen_at, &one.device_token).cmp(&(other.last_seen_at, &other.device_token))
        });
        devices.pop();
        self.delete_as_read(user, &devices).await
    }

    /// 25 Sets the token that starts activities on a device. `false` if it is not registered.
    pub async fn set_push_to_start(
        &self,
        user: &UserId,
        device: &PushToken,
        push_to_start: &PushToken,
    ) -> Result<bool, StoreError> {
        if self.db.get(Device::key(user, device)).await?.is_none() {
            return Ok(false);
        }
        let now = self.db.now();
        let change = update(Device::key(user, device))
            .set(Device::PUSH_TO_START_TOKEN, push_to_start)
            .set(Device::LAST_SEEN_AT, now)
            .set(Device::EXPIRES_AT, Expiry::at(now.after(Device::KEPT)));
        condition_held(self.db.run(change).await)
    }

    /// 26 Deletes a device. Returns what it was.
    pub async fn delete(
        &self,
        user: &UserId,
        device: &PushToken,
    ) -> Result<Option<Device>, StoreError> {
        Ok(self.db.run(delete(Device::key(user, device)).returning_old()).await?)
    }

    /// 26 Deletes a device whose token is dead, unless the app was launched since then. `false` if
    /// it was, or there is none.
    pub async fn delete_unless_seen_since(
        &self,
        user: &UserId,
        device: &PushToken,
        since: Timestamp,
    ) -> Result<bool, StoreError> {
        let is_older = Device::LAST_SEEN_AT.lt(since);
        condition_held(self.db.run(delete(Device::key(user, device)).only_if(is_older)).await)
    }

    /// Takes a dead token out that started activities, unless it was replaced. `false` if it was.
    pub async fn remove_push_to_start(
        &self,
        user: &UserId,
        device: &PushToken,
        push_to_start: &PushToken,
    ) -> Result<bool, StoreError> {
        let change = update(Device::key(user, device))
            .remove(Device::PUSH_TO_START_TOKEN)
            .only_if(Device::PUSH_TO_START_TOKEN.eq(push_to_start));
        condition_held(self.db.run(change).await)
    }
}
