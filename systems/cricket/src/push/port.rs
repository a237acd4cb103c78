//! A message, and the outcome of sending it.

use crate::design::{Environment, MatchId, PushToken, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use singlet::backend::BoxFuture;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PushKind {
    Alert,
    Start,
    Update,
    End,
}

#[derive(Clone)]
pub struct PushMessage {
    pub user: UserId,
    pub match_id: MatchId,
    pub token: PushToken,
    pub environment: Environment,
    pub kind: PushKind,
    pub payload: Value,
    /// 10 at once, 5 when it suits the phone.
    pub priority: u8,
    /// In epoch seconds: not delivered later.
    pub expires_at: i64,
    /// The sequence of the match whose order this is; none for what no order has caused.
    pub sequence: Option<u64>,
}

impl fmt::Debug for PushMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushMessage")
            .field("match_id", &self.match_id)
            .field("kind", &self.kind)
            .field("token", &self.token.end())
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    Delivered,
    TokenDead {
        /// Since when, in epoch milliseconds, if the service says so: a device that was seen later
        /// has it again.
        since: Option<i64>,
    },
    Again(String),
    Misconfigured(String),
    Dropped(String),
}

pub trait PushSender: Send + Sync {
    fn name(&self) -> &'static str;

    fn send<'a>(&'a self, message: &'a PushMessage) -> BoxFuture<'a, PushOutcome>;

    /// Whether the jobs register started activities, in place of a phone.
    fn registers_activities(&self) -> bool {
        false
    }
}

/// Accepts every message. The page "My pushes" shows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSender;

impl PushSender for LogSender {
    fn name(&self) -> &'static str {
        "log"
    }

    fn send<'a>(&'a self, message: &'a PushMessage) -> BoxFuture<'a, PushOutcome> {
        tracing::debug!(
            kind = ?message.kind,
            match_id = %message.match_id,
            priority = message.priority,
            token = message.token.end(),
            "a push was logged"
        );
        Box::pin(std::future::ready(PushOutcome::Delivered))
    }

    fn registers_activities(&self) -> bool {
        true
    }
}
