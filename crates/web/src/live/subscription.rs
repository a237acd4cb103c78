//! What one client gets of a topic.

use super::hub::Subscriber;
use super::{CloseReason, Event};

/// What one client gets of a topic: the state, or what it has missed, and then every push. Made by
/// [`Live::subscribe`](super::Live::subscribe), and handed to an
/// [`EventStream`](super::EventStream) or a [`Socket`](super::Socket).
pub struct Subscription {
    /// The state, until it was delivered.
    state: Option<Event>,
    subscriber: Subscriber,
}

impl Subscription {
    pub(super) fn new(state: Option<Event>, subscriber: Subscriber) -> Self {
        Self { state, subscriber }
    }

    /// The next event; `None` at the end, for which [`Subscription::end_reason`] has the reason.
    /// Nothing is lost if the future is dropped before it is ready.
    pub async fn next(&mut self) -> Option<Event> {
        match self.state.take() {
            Some(state) => Some(state),
            None => self.subscriber.next_event().await,
        }
    }

    /// The next event, if it is there already.
    pub fn try_next(&mut self) -> Option<Event> {
        self.state.take().or_else(|| self.subscriber.try_next_event())
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

impl From<Subscriber> for Subscription {
    fn from(subscriber: Subscriber) -> Self {
        Self::new(None, subscriber)
    }
}
