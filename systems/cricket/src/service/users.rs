//! What users do: their device, the matches they follow, their activities.

use super::{NewDevice, Service, SubscriptionService};
use crate::design::{
    Claim, Device, Fixture, Follow, MatchId, PushToken, Subscription, TeamId, UserId,
};
use crate::error::Error;
use singlet::prelude::*;

/// A match that a user follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    pub fixture: Fixture,
    pub follow: Follow,
    /// Activities that show another side now.
    pub changed: Vec<PushToken>,
}

impl Service {
    pub async fn own_device(&self, user: &UserId) -> Result<Device, Error> {
        self.devices.of_user(user).await?.ok_or(Error::DeviceNotFound)
    }

    /// Registers the device that launched the app last. Of several that launch it at once, one is
    /// left when all of them are done.
    pub async fn register_device(&self, user: &UserId, new: &NewDevice) -> Result<Device, Error> {
        let device = self.devices.register(user, new).await?;
        self.devices.keep_newest(user).await?;
        Ok(device)
    }

    /// Follows a match that is not over, with one of its teams or neutrally.
    pub async fn follow_match(
        &self,
        id: &MatchId,
        user: &UserId,
        team: &TeamId,
    ) -> Result<Followed, Error> {
        let fixture = self.followable(id, team).await?;
        let follow = self.follows.follow(&fixture, user, team).await?;
        // What ends a match removes its follows after it has marked the match.
        if !self.is_still_open(id).await? {
            self.follows.unfollow(id, user).await?;
            return Err(Error::MatchOver);
        }
        self.with_activities(fixture, follow).await
    }

    /// Has the activities of a follow show the match from its side.
    async fn with_activities(&self, fixture: Fixture, follow: Follow) -> Result<Followed, Error> {
        let (id, user, team) = (&follow.match_id, &follow.user_id, &follow.team_id);
        let mut changed = Vec::new();
        for token in &follow.activities {
            if self.subscriptions.change_team(id, token, user, team).await? {
                changed.push(token.clone());
            }
        }
        Ok(Followed { fixture, follow, changed })
    }

    /// Changes the team with which the caller follows a match.
    pub async fn change_follow(
        &self,
        id: &MatchId,
        user: &UserId,
        team: &TeamId,
    ) -> Result<Followed, Error> {
        let fixture = self.find_side(id, team).await?;
        if !self.follows.change_team(id, user, team).await? {
            return Err(Error::NotFollowing);
        }
        let follow = self.db.get(Follow::key(id, user).consistent()).await?;
        self.with_activities(fixture, follow.ok_or(Error::NotFollowing)?).await
    }

    /// Stops following a match, and removes the caller's activities of it. Returns their tokens,
    /// for the messages that end them.
    pub async fn unfollow_match(
        &self,
        id: &MatchId,
        user: &UserId,
    ) -> Result<(Fixture, Vec<PushToken>), Error> {
        let fixture = self.find_match(id).await?;
        if self.follows.get(id, user).await?.is_none() {
            return Err(Error::NotFollowing);
        }
        // The follow goes last, so that the request can be repeated if it fails in between.
        let mut tokens = self.subscriptions.remove_of_user(id, user).await?;
        let old = self.follows.unfollow(id, user).await?;
        // Who follows it again gets an activity again.
        let start = Claim::start(fixture.day.unwrap_or(1), user);
        self.prematch.forget(id, &start).await?;
        // Activities that were registered in between. Without a follow there are no new ones.
        for token in old.into_iter().flat_map(|old| old.activities) {
            if self.subscriptions.remove_own(id, &token, user).await? {
                tokens.push(token);
            }
        }
        Ok((fixture, tokens))
    }

    /// Registers an activity of a match that is not over and that the user follows. The follow
    /// keeps the tokens, so that there are at most eight; removed ones are dropped when it is full.
    pub async fn register_activity(
        &self,
        id: &MatchId,
        user: &UserId,
        token: &PushToken,
        team: &TeamId,
    ) -> Result<Subscription, Error> {
        let fixture = &self.followable(id, team).await?;
        self.db
            .attempt(async |db| {
                let follow = db.get(Follow::key(id, user).consistent()).await?;
                let read = follow.ok_or(Error::NotFollowing)?.activities;
                let is_as_read = Follow::ACTIVITIES.eq(&read);
                let mut activities = read;
                if activities.len() >= Follow::ACTIVITIES_MAX && !activities.contains(token) {
                    activities = self.subscriptions.still_registered(id, user, &activities).await?;
                    if activities.len() >= Follow::ACTIVITIES_MAX {
                        return Err(Error::TooManyActivities);
                    }
                }
                activities.insert(token.clone());
                let noted = update(Follow::key(id, user))
                    .set(Follow::ACTIVITIES, activities)
                    .only_if(is_as_read);
                let registered =
                    SubscriptionService::register_operation(fixture, token, user, team);
                db.transact((noted, registered.or(Error::ActivityTaken))).await
            })
            .await?;
        if !self.is_still_open(id).await? {
            self.subscriptions.remove_own(id, token, user).await?;
            return Err(Error::MatchOver);
        }
        let registered = self.db.get(Subscription::key(id, token).consistent()).await?;
        registered.ok_or(Error::NotFollowing)
    }

    /// Removes one activity of the caller, or all of a match. Returns their tokens, for the
    /// messages that end them.
    pub async fn remove_activities(
        &self,
        id: &MatchId,
        user: &UserId,
        token: Option<&PushToken>,
    ) -> Result<(Fixture, Vec<PushToken>), Error> {
        let fixture = self.find_match(id).await?;
        let tokens = match token {
            Some(token) => {
                let is_removed = self.subscriptions.remove_own(id, token, user).await?;
                is_removed.then(|| token.clone()).into_iter().collect()
            }
            None => self.subscriptions.remove_of_user(id, user).await?,
        };
        Ok((fixture, tokens))
    }

    /// Read consistently.
    async fn is_still_open(&self, id: &MatchId) -> Result<bool, Error> {
        Ok(self.fixtures.get_consistent(id).await?.is_some_and(|fixture| is_open(&fixture)))
    }

    /// A match that is not over, in which this team plays.
    async fn followable(&self, id: &MatchId, team: &TeamId) -> Result<Fixture, Error> {
        let fixture = self.find_match(id).await?;
        if !is_open(&fixture) {
            return Err(Error::MatchOver);
        }
        if !fixture.has_perspective(team) {
            return Err(Error::TeamNotInMatch);
        }
        Ok(fixture)
    }
}

fn is_open(fixture: &Fixture) -> bool {
    !fixture.is_over() && !fixture.phase.is_final()
}
