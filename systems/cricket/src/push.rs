//! STUB by CR-T, so that routes compile: CR-J overwrites it.

use crate::design::UserId;
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;
use std::sync::Arc;

/// Stub.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Message {}

/// Is told every message.
pub type OnMessage = dyn Fn(&UserId, &Message) + Send + Sync;

/// Stub.
#[derive(Clone)]
pub struct Outbox {
    since: Timestamp,
}

impl Outbox {
    /// Stub.
    pub fn new(since: Timestamp) -> Self {
        Self { since }
    }
    /// The newest first.
    pub fn messages(&self, _: &UserId) -> Vec<Message> {
        Vec::new()
    }
    /// Since when messages are kept.
    pub fn since(&self) -> Timestamp {
        self.since
    }
    /// Has every message told to this function.
    pub fn on_message(&self, _: Arc<OnMessage>) {}
}
