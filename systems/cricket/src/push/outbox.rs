//! Sent messages, as a phone would show them. In memory only.

use super::port::{PushKind, PushMessage};
use crate::design::UserId;
use crate::lock;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use singlet::Timestamp;
use singlet_web::live::{Live, Push, Topic, TopicState};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

const PER_USER_MAX: usize = 200;
const ALL_MAX: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub id: u64,
    pub at: String,
    pub match_id: String,
    pub kind: PushKind,
    pub title: Option<String>,
    pub body: Option<String>,
    /// 10 or 5.
    pub priority: u8,
    pub bytes: usize,
    /// `…` and the last four characters of its token.
    pub token: String,
    pub state: Option<Value>,
}

/// The last 200 messages of each user, 10,000 in all. Clones are one.
#[derive(Clone)]
pub struct Outbox {
    since: Timestamp,
    inner: Arc<Mutex<Inner>>,
    /// Users who watch their messages.
    pub(crate) live: Live,
}

pub(crate) fn topic(user: &UserId) -> Topic {
    Topic::new("pushes", user)
}

#[derive(Default)]
struct Inner {
    next_id: u64,
    messages: HashMap<UserId, VecDeque<Message>>,
    /// Whose messages they are, oldest first.
    order: VecDeque<UserId>,
}

impl Outbox {
    pub fn new(since: Timestamp) -> Self {
        let ready = TopicState::unnumbered("ready", &json!({"since": since}));
        let live = Live::new(move |_| std::future::ready(Ok(Some(ready.clone()))));
        Self { since, inner: Arc::default(), live }
    }

    pub fn since(&self) -> Timestamp {
        self.since
    }

    pub fn messages(&self, user: &UserId) -> Vec<Message> {
        let inner = lock(&self.inner);
        inner.messages.get(user).map(|all| all.iter().rev().cloned().collect()).unwrap_or_default()
    }

    pub fn add(&self, sent: &PushMessage, text: &str, now: Timestamp) {
        let alert = sent.payload.pointer("/aps/alert");
        let part = |name| Some(alert?.get(name)?.as_str()?.to_owned());
        let mut inner = lock(&self.inner);
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
        drop(inner);
        self.live.publish(Push::unnumbered(topic(&sent.user), "push", &message));
    }
}
