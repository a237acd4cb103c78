//! What was sent, as a phone would show it. Kept in memory: gone with the process.

use super::port::{PushKind, PushMessage};
use crate::design::UserId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use singlet::Timestamp;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const PER_USER_MAX: usize = 200;
const ALL_MAX: usize = 10_000;

/// A message that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its number in this process.
    pub id: u64,
    /// When it was sent.
    pub at: String,
    /// The match.
    pub match_id: String,
    /// What it did.
    pub kind: PushKind,
    /// Its title, if it had an alert.
    pub title: Option<String>,
    /// Its body, if it had an alert.
    pub body: Option<String>,
    /// 10 or 5.
    pub priority: u8,
    /// How many bytes it had.
    pub bytes: usize,
    /// `…` and the last four characters of its token.
    pub token: String,
    /// What an activity shows after it.
    pub state: Option<Value>,
}

/// Told of every message.
pub type Listener = Arc<dyn Fn(&UserId, &Message) + Send + Sync>;

/// What was sent: the last 200 messages of a user, 10,000 in all. Clones are one.
#[derive(Clone)]
pub struct Outbox {
    since: Timestamp,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    next_id: u64,
    messages: HashMap<UserId, VecDeque<Message>>,
    /// Whose messages they are, oldest first.
    order: VecDeque<UserId>,
    listeners: Vec<Listener>,
}

impl Outbox {
    /// An empty one, which says that it begins now.
    #[must_use]
    pub fn new(since: Timestamp) -> Self {
        Self { since, inner: Arc::default() }
    }

    /// Since when it is kept.
    #[must_use]
    pub fn since(&self) -> Timestamp {
        self.since
    }

    /// The messages of a user, newest first.
    #[must_use]
    pub fn messages(&self, user: &UserId) -> Vec<Message> {
        let inner = self.lock();
        inner.messages.get(user).map(|all| all.iter().rev().cloned().collect()).unwrap_or_default()
    }

    /// Has this called for every message from now on.
    pub fn on_message(&self, listener: Listener) {
        self.lock().listeners.push(listener);
    }

    /// Keeps a message that was sent.
    pub fn add(&self, sent: &PushMessage, text: &str, now: Timestamp) {
        let alert = sent.payload.pointer("/aps/alert");
        let part = |name| Some(alert?.get(name)?.as_str()?.to_owned());
        let mut inner = self.lock();
        inner.next_id += 1;
        let message = Message {
            id: inner.next_id,
            at: now.to_string(),
            match_id: sent.match_id.to_string(),
            kind: sent.kind,
            title: part("title"),
            body: part("body"),
            priority: sent.priority,
            bytes: text.len(),
            token: sent.token.end(),
            state: sent.payload.pointer("/aps/content-state").cloned(),
        };
        let own = inner.messages.entry(sent.user.clone()).or_default();
        own.push_back(message.clone());
        if own.len() > PER_USER_MAX {
            own.pop_front();
            // Its place in the order is taken by a later one of the same user.
            if let Some(place) = inner.order.iter().position(|user| *user == sent.user) {
                inner.order.remove(place);
            }
        }
        inner.order.push_back(sent.user.clone());
        if inner.order.len() > ALL_MAX
            && let Some(oldest) = inner.order.pop_front()
            && let Some(own) = inner.messages.get_mut(&oldest)
        {
            own.pop_front();
            if own.is_empty() {
                inner.messages.remove(&oldest);
            }
        }
        let listeners = inner.listeners.clone();
        drop(inner);
        for listener in listeners {
            listener(&sent.user, &message);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
