//! The lock-screen activities of a match.

use super::StoreError;
use super::batch::Batches;
use super::follows::QUERY_LIMIT;
use super::pages::{all_pages, page};
use super::store_error::{condition_held, found};
use crate::design::{
    ActivitySubscriptions, Cricket, Fixture, MatchId, PushToken, Subscription, TeamId, UserId,
};
use futures_util::stream::{BoxStream, StreamExt};
use singlet::dynamo::operation::WriteRequest;
use singlet::operation::Update;
use singlet::prelude::*;
use std::collections::BTreeSet;

/// The activities of matches: operations 33 to 37. Clones are one.
#[derive(Clone)]
pub struct SubscriptionService {
    db: Db<Cricket>,
    batches: Batches,
}

/// What registering an activity came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Registered {
    /// It is registered.
    Done(Subscription),
    /// Somebody else has registered this token.
    Taken,
}

/// What is read of subscriptions that are deleted.
#[derive(Projection)]
#[projection(Subscription)]
struct SubscriptionKey {
    match_id: MatchId,
    push_token: PushToken,
}

impl SubscriptionService {
    pub(super) fn new(db: Db<Cricket>, batches: Batches) -> Self {
        Self { db, batches }
    }

    /// 33 All activities of a match: Query, Limit 1,000, all pages, as a stream.
    pub fn of_match(&self, id: &MatchId) -> BoxStream<'static, Result<Subscription, StoreError>> {
        let query = Subscription::of_match(id).limit(QUERY_LIMIT);
        let now = self.db.now();
        all_pages::<Subscription>(&self.db, query.request(&self.db))
            .filter(move |one| {
                let is_there = one.as_ref().map_or(true, |one| !one.expires_at.has_passed(now));
                std::future::ready(is_there)
            })
            .boxed()
    }

    /// 34 Registers an activity, unless somebody else has registered its token.
    pub async fn register(
        &self,
        fixture: &Fixture,
        token: &PushToken,
        user: &UserId,
        team: &TeamId,
    ) -> Result<Registered, StoreError> {
        let change = Self::register_operation(fixture, token, user, team).returning_new();
        let subscription = found(self.db.run(change).await)?;
        Ok(subscription.map_or(Registered::Taken, Registered::Done))
    }

    /// 34 The same, not yet run, for a transaction with the follow.
    pub fn register_operation(
        fixture: &Fixture,
        token: &PushToken,
        user: &UserId,
        team: &TeamId,
    ) -> Update<Subscription> {
        let is_free = Subscription::USER_ID.missing().or(Subscription::USER_ID.eq(user));
        upsert(Subscription::key(&fixture.match_id, token))
            .set(Subscription::USER_ID, user)
            .set(Subscription::TEAM_ID, team)
            .set(Subscription::EXPIRES_AT, fixture.follows_expire())
            .only_if(is_free)
    }

    /// Which of these tokens are activities of this user, read consistently.
    pub async fn still_registered(
        &self,
        id: &MatchId,
        user: &UserId,
        tokens: &BTreeSet<PushToken>,
    ) -> Result<BTreeSet<PushToken>, StoreError> {
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
    ) -> Result<bool, StoreError> {
        let is_other = Subscription::USER_ID.eq(user).and(Subscription::TEAM_ID.ne(team));
        let change =
            update(Subscription::key(id, token)).set(Subscription::TEAM_ID, team).only_if(is_other);
        condition_held(self.db.run(change).await)
    }

    /// 35 Removes one activity. `false` if there is none.
    pub async fn remove(&self, id: &MatchId, token: &PushToken) -> Result<bool, StoreError> {
        let removed = self.db.run(delete(Subscription::key(id, token)).returning_old()).await?;
        Ok(removed.is_some())
    }

    /// 35 Removes one activity of this user. `false` if there is none, or it is another user's.
    pub async fn remove_own(
        &self,
        id: &MatchId,
        token: &PushToken,
        user: &UserId,
    ) -> Result<bool, StoreError> {
        let change = delete(Subscription::key(id, token)).only_if(Subscription::USER_ID.eq(user));
        condition_held(self.db.run(change).await)
    }

    /// 36 Removes the activities of a user of a match. Returns their tokens.
    pub async fn remove_of_user(
        &self,
        id: &MatchId,
        user: &UserId,
    ) -> Result<Vec<PushToken>, StoreError> {
        let query = Subscription::of_match(id).filter(Subscription::USER_ID.eq(user));
        let mut removed = Vec::new();
        for subscription in self.db.query(query).all().await? {
            if self.remove_own(id, &subscription.push_token, user).await? {
                removed.push(subscription.push_token);
            }
        }
        Ok(removed)
    }

    /// 37 Removes all activities of a match: deletes of 25 until the Query is empty. Returns how
    /// many.
    pub async fn remove_all(&self, id: &MatchId) -> Result<usize, StoreError> {
        let query =
            Subscription::of_match(id).consistent().limit(QUERY_LIMIT).project::<SubscriptionKey>();
        let request = query.request(&self.db)?;
        let mut removed = 0;
        loop {
            let (keys, _) = page::<SubscriptionKey>(&self.db, request.clone()).await?;
            if keys.is_empty() {
                return Ok(removed);
            }
            let mut deletes = Vec::with_capacity(keys.len());
            for key in &keys {
                let key = Subscription::key(&key.match_id, &key.push_token);
                deletes.push(WriteRequest::Delete(key.to_item().map_err(singlet::Error::from)?));
            }
            let table_name = self.db.table_name::<ActivitySubscriptions>();
            removed += self.batches.write(table_name, &["matchId", "pushToken"], deletes).await?;
        }
    }
}
