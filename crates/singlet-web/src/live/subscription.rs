//! What one client gets of a topic.

use super::hub::Subscriber;
use super::{CloseReason, Event};
use serde::Serialize;
use serde_json::{Map, Value};

/// What one client gets of a topic: the state, or what it has missed, and then every push. Made by
/// [`Live::subscribe`](super::Live::subscribe), and handed to an
/// [`EventStream`](super::EventStream) or a [`Socket`](super::Socket).
pub struct Subscription {
    /// The state, until it was delivered.
    state: Option<Event>,
    subscriber: Subscriber,
    /// What is added to every state.
    members: Map<String, Value>,
}

impl Subscription {
    pub(super) fn new(state: Option<Event>, subscriber: Subscriber) -> Self {
        Self { state, subscriber, members: Map::new() }
    }

    /// Adds a member to every state that this client gets: what differs from client to client, such
    /// as the caller's role. It stays as it is while the client is connected, and pushes are the
    /// same for everybody. A state that is no JSON object is left alone.
    #[must_use]
    pub fn with_member(mut self, name: &str, value: &impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => _ = self.members.insert(name.to_owned(), value),
            Err(error) => tracing::error!(%error, name, "a member cannot be written as JSON"),
        }
        self
    }

    fn add_members(&self, event: Event) -> Event {
        match event.is_state() && !self.members.is_empty() {
            true => event.with_members(&self.members),
            false => event,
        }
    }

    /// The next event; `None` at the end, for which [`Subscription::end_reason`] has the reason.
    /// Nothing is lost if the future is dropped before it is ready.
    pub async fn next(&mut self) -> Option<Event> {
        let event = match self.state.take() {
            Some(state) => Some(state),
            None => self.subscriber.next_event().await,
        };
        event.map(|event| self.add_members(event))
    }

    /// The next event, if it is there already.
    pub fn try_next(&mut self) -> Option<Event> {
        let event = self.state.take().or_else(|| self.subscriber.try_next_event());
        event.map(|event| self.add_members(event))
    }

    /// Why nothing more comes, once [`Subscription::next`] has returned `None`.
    #[must_use]
    pub fn end_reason(&self) -> CloseReason {
        self.subscriber.end_reason()
    }

    /// Whether the client resumes behind the last number it has seen, without a state.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        self.subscriber.is_resumed()
    }

    pub(super) fn id(&self) -> u64 {
        self.subscriber.id()
    }
}
