//! One client's view of a topic.

use super::hub::Subscriber;
use super::{CloseReason, Event};
use serde::Serialize;
use serde_json::{Map, Value};

/// One client's view of a topic: the state, or the events it missed, then every push. Created by
/// [`Live::subscribe`](super::Live::subscribe); pass it to an [`EventStream`](super::EventStream)
/// or a [`Socket`](super::Socket).
pub struct Subscription {
    /// The state, until delivered.
    state: Option<Event>,
    subscriber: Subscriber,
    /// Members added to every state.
    members: Map<String, Value>,
}

impl Subscription {
    pub(super) fn new(state: Option<Event>, subscriber: Subscriber) -> Self {
        Self { state, subscriber, members: Map::new() }
    }

    /// Adds a member to every state this client gets, such as the caller's role. It stays fixed
    /// while the client is connected; pushes are the same for all clients. A state that is not a
    /// JSON object is left unchanged.
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

    /// The next event; `None` at the end, see [`Subscription::end_reason`]. Cancel safe.
    pub async fn next(&mut self) -> Option<Event> {
        let event = match self.state.take() {
            Some(state) => Some(state),
            None => self.subscriber.next_event().await,
        };
        event.map(|event| self.add_members(event))
    }

    /// The next event, if one is queued.
    pub fn try_next(&mut self) -> Option<Event> {
        let event = self.state.take().or_else(|| self.subscriber.try_next_event());
        event.map(|event| self.add_members(event))
    }

    /// Why the subscription ended, once [`Subscription::next`] returned `None`.
    #[must_use]
    pub fn end_reason(&self) -> CloseReason {
        self.subscriber.end_reason()
    }

    /// Whether the client resumed after the last number it saw, without a state.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        self.subscriber.is_resumed()
    }

    pub(super) fn id(&self) -> u64 {
        self.subscriber.id()
    }
}
