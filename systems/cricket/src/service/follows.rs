//! Who follows which match.

use super::StoreError;
use super::batch::Batches;
use super::pages::{all_pages, page};
use super::store_error::condition_held;
use crate::design::{Cricket, Fixture, Follow, MatchFollows, MatchId, TeamId, UserId};
use futures_util::stream::{BoxStream, StreamExt};
use singlet::dynamo::operation::WriteRequest;
use singlet::prelude::*;

/// How many items a request for all followers of a match reads.
pub(super) const QUERY_LIMIT: usize = 1_000;

/// Who follows which match: operations 27 to 32. Clones are one.
#[derive(Clone)]
pub struct FollowService {
    db: Db<Cricket>,
    batches: Batches,
}

/// What is read of follows that are deleted.
#[derive(Projection)]
#[projection(Follow)]
struct FollowKey {
    match_id: MatchId,
    user_id: UserId,
}

impl FollowService {
    pub(super) fn new(db: Db<Cricket>, batches: Batches) -> Self {
        Self { db, batches }
    }

    /// 27 How a user follows a match.
    pub async fn get(&self, id: &MatchId, user: &UserId) -> Result<Option<Follow>, StoreError> {
        Ok(self.db.get(Follow::key(id, user)).await?)
    }

    /// 28 All followers of a match: Query, Limit 1,000, all pages, as a stream.
    pub fn followers(&self, id: &MatchId) -> BoxStream<'static, Result<Follow, StoreError>> {
        let query = Follow::followers_of(id).limit(QUERY_LIMIT);
        let now = self.db.now();
        all_pages::<Follow>(&self.db, query.request(&self.db))
            .filter(move |follow| {
                let is_there = follow.as_ref().map_or(true, |one| !one.expires_at.has_passed(now));
                std::future::ready(is_there)
            })
            .boxed()
    }

    /// 29 Follows a match with a team, or neutrally. A second time keeps `createdAt`.
    pub async fn follow(
        &self,
        fixture: &Fixture,
        user: &UserId,
        team: &TeamId,
    ) -> Result<Follow, StoreError> {
        let change = upsert(Follow::key(&fixture.match_id, user))
            .set(Follow::TEAM_ID, team)
            .set(Follow::EXPIRES_AT, fixture.follows_expire())
            .returning_new();
        Ok(self.db.run(change).await?)
    }

    /// 30 Stops following a match. Returns what it was.
    pub async fn unfollow(
        &self,
        id: &MatchId,
        user: &UserId,
    ) -> Result<Option<Follow>, StoreError> {
        Ok(self.db.run(delete(Follow::key(id, user)).returning_old()).await?)
    }

    /// 31 Changes the team with which a user follows a match. `false` if they do not follow it.
    pub async fn change_team(
        &self,
        id: &MatchId,
        user: &UserId,
        team: &TeamId,
    ) -> Result<bool, StoreError> {
        condition_held(self.db.run(update(Follow::key(id, user)).set(Follow::TEAM_ID, team)).await)
    }

    /// 32 Removes all follows of a match: deletes of 25 until the Query is empty. Returns how many.
    pub async fn remove_all(&self, id: &MatchId) -> Result<usize, StoreError> {
        let query = Follow::followers_of(id).consistent().limit(QUERY_LIMIT).project::<FollowKey>();
        let request = query.request(&self.db)?;
        let mut removed = 0;
        loop {
            let (keys, _) = page::<FollowKey>(&self.db, request.clone()).await?;
            if keys.is_empty() {
                return Ok(removed);
            }
            let mut deletes = Vec::with_capacity(keys.len());
            for key in &keys {
                let key = Follow::key(&key.match_id, &key.user_id);
                deletes.push(WriteRequest::Delete(key.to_item().map_err(singlet::Error::from)?));
            }
            let table_name = self.db.table_name::<MatchFollows>();
            removed += self.batches.write(table_name, &["matchId", "userId"], deletes).await?;
        }
    }
}
