//! A message, and what came of sending it.

use crate::design::{Environment, MatchId, PushToken, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use singlet::backend::BoxFuture;
use std::fmt;

/// What a message does on a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PushKind {
    /// Shows a text, and buzzes.
    Alert,
    /// Starts an activity on the lock screen.
    Start,
    /// Changes an activity.
    Update,
    /// Ends an activity.
    End,
}

/// A message to one token.
#[derive(Clone)]
pub struct PushMessage {
    /// Whose phone it is.
    pub user: UserId,
    /// The match.
    pub match_id: MatchId,
    /// Where it goes. Never shown in full.
    pub token: PushToken,
    /// Which of Apple's servers knows the token.
    pub environment: Environment,
    /// What it does.
    pub kind: PushKind,
    /// What it says.
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

/// What came of sending a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// It was accepted.
    Delivered,
    /// The token is dead: forget it.
    TokenDead {
        /// Since when, in epoch milliseconds, if the service says so: a device that was seen later
        /// has it again.
        since: Option<i64>,
    },
    /// Worth another attempt.
    Again(String),
    /// Our settings are wrong: nothing will be accepted.
    Misconfigured(String),
    /// Not accepted, and never will be.
    Dropped(String),
}

/// A way to phones.
pub trait PushSender: Send + Sync {
    /// Its name, for admins.
    fn name(&self) -> &'static str;

    /// Sends a message, once.
    fn send<'a>(&'a self, message: &'a PushMessage) -> BoxFuture<'a, PushOutcome>;

    /// Whether there is no phone that registers a started activity, so that the jobs have to.
    fn registers_activities(&self) -> bool {
        false
    }
}
