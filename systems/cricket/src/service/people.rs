//! Devices, follows, activities, and claims of messages.

use super::{DeviceService, FollowService, PrematchService, SubscriptionService, held, write_all};
use crate::design::{
    Claim, Cricket, Device, Environment, Fixture, Follow, MatchId, Notification, Platform,
    PushToken, Subscription, TeamId, UserId,
};
use futures_util::Stream;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet::Result;
use singlet::operation::Update;
use singlet::prelude::*;
use singlet::table::Contains;
use std::collections::BTreeSet;
use std::time::Duration;

/// How many follows or subscriptions are deleted between two reads.
const DELETED_AT_ONCE_MAX: usize = 1_000;
const MILLISECOND: Duration = Duration::from_millis(1);

/// Deletes until there is nothing to read. Returns how many.
async fn remove_all<E: Entity, F>(db: &Db<Cricket>, read: impl Fn() -> F) -> Result<usize>
where
    Cricket: Contains<E::Table>,
    F: Future<Output = Result<Vec<Key<E>>>>,
{
    let mut removed = 0;
    loop {
        let keys = read().await?;
        if keys.is_empty() {
            return Ok(removed);
        }
        removed += write_all(db, keys, |batch, key| batch.delete(key)).await?;
    }
}

/// A device that launches the app.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewDevice {
    /// Where alerts are sent.
    #[serde(deserialize_with = "PushToken::from_client")]
    #[schemars(with = "String", length(min = 8, max = PushToken::CHARS_MAX))]
    pub device_token: PushToken,
    pub platform: Platform,
    pub environment: Environment,
    #[schemars(length(min = 1, max = 40))]
    pub app_version: Option<String>,
}

impl DeviceService {
    /// 23 A user's device. An expired first record is passed over.
    pub async fn of_user(&self, user: &UserId) -> Result<Option<Device>> {
        self.db.query(Device::of_user(user).limit(1)).first().await
    }

    /// 24 Registers the device that launched the app last, in three steps that can be repeated:
    /// reads the user's devices, writes this one as seen after all of them, and deletes the others.
    /// A crash, or two launches at once, may leave one too many until the next launch. The one that
    /// was seen last is never deleted, so there is always one.
    pub async fn register(&self, user: &UserId, new: &NewDevice) -> Result<Device> {
        let mut others = self.all_of(user).await?;
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

    async fn all_of(&self, user: &UserId) -> Result<Vec<Device>> {
        self.db.query(Device::of_user(user).consistent().with_expired()).all().await
    }

    async fn delete_as_read(&self, user: &UserId, devices: &[Device]) -> Result<()> {
        for device in devices {
            let is_as_read = Device::LAST_SEEN_AT.eq(device.last_seen_at);
            // The condition fails if it was seen again or deleted.
            held(
                self.db
                    .run(delete(Device::key(user, &device.device_token)).only_if(is_as_read))
                    .await,
            )?;
        }
        Ok(())
    }

    /// Deletes all devices of a user but the one that was seen last: several that are registered at
    /// once do not see each other.
    pub async fn keep_newest(&self, user: &UserId) -> Result<()> {
        let mut devices = self.all_of(user).await?;
        devices.sort_by_key(|device| (device.last_seen_at, device.device_token.clone()));
        devices.pop();
        self.delete_as_read(user, &devices).await
    }

    /// 25 Sets the token that starts activities on a device. `false` if it is not registered.
    pub async fn set_push_to_start(
        &self,
        user: &UserId,
        device: &PushToken,
        push_to_start: &PushToken,
    ) -> Result<bool> {
        if self.db.get(Device::key(user, device)).await?.is_none() {
            return Ok(false);
        }
        let now = self.db.now();
        let change = update(Device::key(user, device))
            .set(Device::PUSH_TO_START_TOKEN, push_to_start)
            .set(Device::LAST_SEEN_AT, now)
            .set(Device::EXPIRES_AT, Expiry::at(now.after(Device::KEPT)));
        Ok(held(self.db.run(change).await)?.is_some())
    }

    /// 26 Returns the deleted device.
    pub async fn delete(&self, user: &UserId, device: &PushToken) -> Result<Option<Device>> {
        self.db.run(delete(Device::key(user, device)).returning_old()).await
    }

    /// 26 Deletes a device whose token is dead, unless the app was launched since then.
    pub async fn delete_unless_seen_since(
        &self,
        user: &UserId,
        device: &PushToken,
        since: Timestamp,
    ) -> Result<bool> {
        let is_older = Device::LAST_SEEN_AT.lt(since);
        let change = delete(Device::key(user, device)).only_if(is_older);
        Ok(held(self.db.run(change).await)?.is_some())
    }

    /// Removes a dead token that started activities, unless it was replaced.
    pub async fn remove_push_to_start(
        &self,
        user: &UserId,
        device: &PushToken,
        push_to_start: &PushToken,
    ) -> Result<bool> {
        let change = update(Device::key(user, device))
            .remove(Device::PUSH_TO_START_TOKEN)
            .only_if(Device::PUSH_TO_START_TOKEN.eq(push_to_start));
        Ok(held(self.db.run(change).await)?.is_some())
    }
}

#[derive(Projection)]
#[projection(Follow)]
struct FollowKey {
    match_id: MatchId,
    user_id: UserId,
}

impl FollowService {
    /// 27
    pub async fn get(&self, id: &MatchId, user: &UserId) -> Result<Option<Follow>> {
        self.db.get(Follow::key(id, user)).await
    }

    /// 28 All followers of a match, read page by page.
    pub fn followers(&self, id: &MatchId) -> impl Stream<Item = Result<Follow>> + '_ {
        self.db.query(Follow::followers_of(id)).items()
    }

    /// 29 Follows a match with a team, or neutrally. A second time keeps `createdAt`.
    pub async fn follow(&self, fixture: &Fixture, user: &UserId, team: &TeamId) -> Result<Follow> {
        let change = upsert(Follow::key(&fixture.match_id, user))
            .set(Follow::TEAM_ID, team)
            .set(Follow::EXPIRES_AT, fixture.follows_expire())
            .returning_new();
        self.db.run(change).await
    }

    /// 30 Returns the deleted follow.
    pub async fn unfollow(&self, id: &MatchId, user: &UserId) -> Result<Option<Follow>> {
        self.db.run(delete(Follow::key(id, user)).returning_old()).await
    }

    /// 31 Changes the team with which a user follows a match. `false` if they do not follow it.
    pub async fn change_team(&self, id: &MatchId, user: &UserId, team: &TeamId) -> Result<bool> {
        let change = update(Follow::key(id, user)).set(Follow::TEAM_ID, team);
        Ok(held(self.db.run(change).await)?.is_some())
    }

    /// 32 Removes all follows of a match. Returns how many.
    pub async fn remove_all(&self, id: &MatchId) -> Result<usize> {
        remove_all(&self.db, || async {
            let query = Follow::followers_of(id).consistent().with_expired();
            let query = query.limit(DELETED_AT_ONCE_MAX).project::<FollowKey>();
            let keys = self.db.query(query).all().await?;
            Ok(keys.iter().map(|key| Follow::key(&key.match_id, &key.user_id)).collect())
        })
        .await
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Registered {
    Done(Subscription),
    /// Another user has registered this token.
    Taken,
}

#[derive(Projection)]
#[projection(Subscription)]
struct SubscriptionKey {
    match_id: MatchId,
    push_token: PushToken,
}

impl SubscriptionService {
    /// 33 All activities of a match, read page by page.
    pub fn of_match(&self, id: &MatchId) -> impl Stream<Item = Result<Subscription>> + '_ {
        self.db.query(Subscription::of_match(id)).items()
    }

    /// 34 Registers an activity, unless another user has registered its token.
    pub async fn register(
        &self,
        fixture: &Fixture,
        token: &PushToken,
        user: &UserId,
        team: &TeamId,
    ) -> Result<Registered> {
        let change = Self::register_operation(fixture, token, user, team).returning_new();
        let subscription = held(self.db.run(change).await)?;
        Ok(subscription.map_or(Registered::Taken, Registered::Done))
    }

    /// 34 The same, not yet run, for a transaction with the follow.
    pub fn register_operation(
        fixture: &Fixture,
        token: &PushToken,
        user: &UserId,
        team: &TeamId,
    ) -> Update<Subscription> {
        upsert(Subscription::key(&fixture.match_id, token))
            .set(Subscription::USER_ID, user)
            .set(Subscription::TEAM_ID, team)
            .set(Subscription::EXPIRES_AT, fixture.follows_expire())
            .only_if(Subscription::USER_ID.missing().or(Subscription::USER_ID.eq(user)))
    }

    /// Which of these tokens are activities of this user, read consistently.
    pub async fn still_registered(
        &self,
        id: &MatchId,
        user: &UserId,
        tokens: &BTreeSet<PushToken>,
    ) -> Result<BTreeSet<PushToken>> {
        let keys = tokens.iter().map(|token| Subscription::key(id, token).consistent());
        let found: Vec<Option<Subscription>> = self.db.get_many(keys).await?;
        let own = found.into_iter().flatten().filter(|one| one.user_id == *user);
        Ok(own.map(|one| one.push_token).collect())
    }

    /// Has an activity of this user show the match from another side. `false` if it does already, or
    /// there is none.
    pub async fn change_team(
        &self,
        id: &MatchId,
        token: &PushToken,
        user: &UserId,
        team: &TeamId,
    ) -> Result<bool> {
        let is_other = Subscription::USER_ID.eq(user).and(Subscription::TEAM_ID.ne(team));
        let change =
            update(Subscription::key(id, token)).set(Subscription::TEAM_ID, team).only_if(is_other);
        Ok(held(self.db.run(change).await)?.is_some())
    }

    /// 35 Removes one activity. `false` if there is none.
    pub async fn remove(&self, id: &MatchId, token: &PushToken) -> Result<bool> {
        let removed = self.db.run(delete(Subscription::key(id, token)).returning_old()).await?;
        Ok(removed.is_some())
    }

    /// 35 Removes one activity of this user. `false` if there is none, or it is another user's.
    pub async fn remove_own(&self, id: &MatchId, token: &PushToken, user: &UserId) -> Result<bool> {
        let change = delete(Subscription::key(id, token)).only_if(Subscription::USER_ID.eq(user));
        Ok(held(self.db.run(change).await)?.is_some())
    }

    /// 36 Removes the activities of a user of a match. Returns their tokens.
    pub async fn remove_of_user(&self, id: &MatchId, user: &UserId) -> Result<Vec<PushToken>> {
        let query = Subscription::of_match(id).filter(Subscription::USER_ID.eq(user));
        let mut removed = Vec::new();
        for subscription in self.db.query(query).all().await? {
            if self.remove_own(id, &subscription.push_token, user).await? {
                removed.push(subscription.push_token);
            }
        }
        Ok(removed)
    }

    /// 37 Removes all activities of a match. Returns how many.
    pub async fn remove_all(&self, id: &MatchId) -> Result<usize> {
        remove_all(&self.db, || async {
            let query = Subscription::of_match(id).consistent().with_expired();
            let query = query.limit(DELETED_AT_ONCE_MAX).project::<SubscriptionKey>();
            let keys = self.db.query(query).all().await?;
            Ok(keys.iter().map(|key| Subscription::key(&key.match_id, &key.push_token)).collect())
        })
        .await
    }
}

impl PrematchService {
    /// 38 Whether a message was sent, or is being sent.
    pub async fn was_sent(&self, id: &MatchId, claim: &Claim) -> Result<bool> {
        Ok(self.db.get(Notification::key(id, claim).consistent()).await?.is_some())
    }

    /// 39 Claims to send a message: `true` for exactly one caller.
    pub async fn mark_sent(&self, id: &MatchId, claim: &Claim) -> Result<bool> {
        let now = self.db.now();
        let notification = Notification {
            match_id: id.clone(),
            claim: claim.clone(),
            sent_at: now,
            expires_at: Expiry::at(now.after(Notification::KEPT)),
        };
        Ok(held(self.db.run(create(&notification)).await)?.is_some())
    }

    /// The message may be sent again.
    pub async fn forget(&self, id: &MatchId, claim: &Claim) -> Result<()> {
        self.db.run(delete(Notification::key(id, claim))).await
    }
}
