//! STUB by CR-T, so that routes compile: CR-J overwrites it. The signatures are what routes call.

use crate::design::{Fixture, Follow, LeagueId, MatchId, PushToken, UserId};
use crate::error::Error;
use crate::push::Outbox;
use crate::service::Service;
use schemars::JsonSchema;
use serde::Serialize;
use singlet_web::job::Job;
use singlet_web::{OpenError, Resources};

/// Stub.
#[derive(Clone)]
pub struct Jobs {
    outbox: Outbox,
}

/// Stub.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FeedStatus {}

/// What to change of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayChange {
    /// Whether time goes on.
    pub playing: Option<bool>,
    /// How many times faster than the tape.
    pub speed: Option<u32>,
    /// Seeks to this position.
    pub position_ms: Option<i64>,
    /// Seeks to this ball, as `innings:over.ball`.
    pub ball: Option<String>,
}

impl Jobs {
    /// Stub.
    pub fn open(service: &Service, _: &Resources) -> Result<Self, OpenError> {
        Ok(Self { outbox: Outbox::new(service.db.now()) })
    }
    /// Stub.
    pub fn all(&self) -> Vec<Job> {
        Vec::new()
    }
    /// Stub.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }
    /// Stub.
    pub fn feed_status(&self) -> FeedStatus {
        FeedStatus {}
    }
    /// Stub.
    pub async fn league_in_feed(&self, _: &LeagueId) -> Result<bool, Error> {
        Ok(true)
    }
    /// A live match was followed: start an activity at once. Returns without waiting.
    pub fn followed(&self, _: &Fixture, _: &Follow) {}
    /// Ends activities that were removed. Returns without waiting.
    pub fn end_activities(&self, _: &Fixture, _: &UserId, _: &[PushToken]) {}
    /// Stub.
    pub async fn load_replay(&self, _tape: &str, _speed: u32) -> Result<Fixture, Error> {
        Err(Error::MatchNotFound)
    }
    /// Stub.
    pub async fn change_replay(&self, _: &MatchId, _: &ReplayChange) -> Result<Fixture, Error> {
        Err(Error::MatchNotFound)
    }
    /// Stub.
    pub async fn remove_replay(&self, _: &MatchId) -> Result<(), Error> {
        Err(Error::MatchNotFound)
    }
}
