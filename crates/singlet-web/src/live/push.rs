//! Pushes and their topics.

use super::{CloseReason, Text};
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Longest topic name in bytes. A longer name in a request is a 404.
const TOPIC_BYTES_MAX: usize = 512;

/// A subject to subscribe to, such as one game: `Topic::new("game", &code)`.
///
/// ```
/// use singlet_web::live::Topic;
///
/// let topic = Topic::new("game", "ABC123");
/// assert_eq!((topic.as_str(), topic.kind(), topic.id()), ("game/ABC123", "game", "ABC123"));
/// assert_eq!(Topic::from("book").id(), "");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Topic(Arc<str>);

impl Topic {
    /// The topic `kind/id`. `kind` must not contain a slash.
    #[must_use]
    pub fn new(kind: &'static str, id: impl fmt::Display) -> Self {
        Self(format!("{kind}/{id}").into())
    }

    /// The full name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the first slash.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(kind, _)| kind)
    }

    /// The part after the first slash; empty if there is none.
    #[must_use]
    pub fn id(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, id)| id)
    }

    /// Whether the name is short enough and has no whitespace or control characters.
    pub(super) fn is_valid(&self) -> bool {
        let is_blank = |one: char| one.is_whitespace() || one.is_control();
        !self.0.is_empty() && self.0.len() <= TOPIC_BYTES_MAX && !self.0.contains(is_blank)
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.0
    }

    pub(super) fn named(name: Arc<str>) -> Self {
        Self(name)
    }
}

impl From<&'static str> for Topic {
    fn from(name: &'static str) -> Self {
        Self(name.into())
    }
}

impl From<&Topic> for Topic {
    fn from(topic: &Topic) -> Self {
        topic.clone()
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A message for all subscribers of a topic.
///
/// Server-Sent Events carry the event name and the data. WebSockets carry only the data, so tag it
/// with its type (`#[serde(tag = "type")]`) where sockets are used.
#[derive(Clone, Debug)]
pub struct Push {
    pub(super) topic: Topic,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Event { number: Option<u64>, event: &'static str, data: Text },
    End,
}

impl Push {
    /// A numbered push. The numbers of a topic are consecutive: a gap resends the state, a
    /// duplicate is dropped.
    ///
    /// Pushes of one change share its number. A client disconnected between two of them resumes
    /// after both, so the first must carry every state change; the rest are announcements.
    #[must_use]
    pub fn numbered(
        topic: impl Into<Topic>,
        number: u64,
        event: &'static str,
        data: &impl Serialize,
    ) -> Self {
        Self::new(topic.into(), Some(number), event, data)
    }

    /// A push without a number. A client that reconnects gets the state instead, and may get the
    /// push again after a state that includes it.
    #[must_use]
    pub fn unnumbered(topic: impl Into<Topic>, event: &'static str, data: &impl Serialize) -> Self {
        Self::new(topic.into(), None, event, data)
    }

    /// Ends the topic: subscribers get queued events, then the end.
    #[must_use]
    pub fn end(topic: impl Into<Topic>) -> Self {
        Self { topic: topic.into(), content: Content::End }
    }

    fn new(topic: Topic, number: Option<u64>, event: &'static str, data: &impl Serialize) -> Self {
        check_event_name(event);
        let data = to_text(event, data);
        Self { topic, content: Content::Event { number, event, data } }
    }
}

/// The state of a topic, sent to new subscribers and after a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicState {
    /// The last push included in the state; `None` if pushes are unnumbered.
    pub number: Option<u64>,
    /// The event name.
    pub event: &'static str,
    /// The state as JSON.
    pub data: Text,
}

impl TopicState {
    /// A state that includes all pushes up to `number`.
    #[must_use]
    pub fn numbered(number: u64, event: &'static str, data: &impl Serialize) -> Self {
        check_event_name(event);
        Self { number: Some(number), event, data: to_text(event, data) }
    }

    /// The state of a topic with unnumbered pushes.
    #[must_use]
    pub fn unnumbered(event: &'static str, data: &impl Serialize) -> Self {
        check_event_name(event);
        Self { number: None, event, data: to_text(event, data) }
    }

    /// A state that only tells clients to read over HTTP.
    pub(super) fn signal(event: &'static str) -> Self {
        Self::unnumbered(event, &json!({"type": event}))
    }
}

/// Event names are constants that appear on a line in the stream.
fn check_event_name(event: &'static str) {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    assert!(
        !event.is_empty() && event.bytes().all(is_name) && event != END_EVENT,
        "`{event}` cannot be the name of an event: use letters and digits, and not `{END_EVENT}`",
    );
}

fn to_text(event: &'static str, data: &impl Serialize) -> Text {
    match serde_json::to_string(data) {
        Ok(text) => text.into(),
        // For example a map with non-string keys: a bug in the system.
        Err(error) => {
            tracing::error!(%error, event, "the data of a push cannot be written as JSON");
            Text::from_static("null")
        }
    }
}

/// The final event of a stream.
const END_EVENT: &str = "end";

/// An event as subscribers get it. Clones share the text.
#[derive(Clone)]
pub struct Event(Arc<Inner>);

struct Inner {
    number: Option<u64>,
    /// Whether a client can resume after this event: it is the last of its change.
    is_last: bool,
    is_state: bool,
    event: &'static str,
    data: Text,
    /// The encoded event, shared by all readers.
    sse: OnceLock<Bytes>,
}

impl Event {
    pub(super) fn push(
        number: Option<u64>,
        event: &'static str,
        data: Text,
        is_last: bool,
    ) -> Self {
        let sse = OnceLock::new();
        Self(Arc::new(Inner { number, is_last, is_state: false, event, data, sse }))
    }

    pub(super) fn state(state: TopicState) -> Self {
        let TopicState { number, event, data } = state;
        let sse = OnceLock::new();
        Self(Arc::new(Inner { number, is_last: true, is_state: true, event, data, sse }))
    }

    /// The same state with additional members.
    pub(super) fn with_members(&self, members: &Map<String, Value>) -> Self {
        let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(self.data()) else {
            return self.clone();
        };
        object.extend(members.clone());
        let Inner { number, event, .. } = *self.0;
        Self::state(TopicState { number, event, data: to_text(event, &object) })
    }

    /// The number of the change.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.0.number
    }

    /// The event name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.event
    }

    /// The data as JSON.
    #[must_use]
    pub fn data(&self) -> &Text {
        &self.0.data
    }

    /// Whether this is the state of the topic.
    #[must_use]
    pub fn is_state(&self) -> bool {
        self.0.is_state
    }

    /// Encodes the event for Server-Sent Events.
    pub(super) fn to_sse(&self) -> Bytes {
        let written = self.0.sse.get_or_init(|| {
            let Inner { number, is_last, event, data, .. } = &*self.0;
            let id = number.filter(|_| *is_last);
            write_event(id, event, data).into()
        });
        written.clone()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?}, {})", self.0.event, self.0.number, self.0.data)
    }
}

/// Encodes the final event of a stream.
pub(super) fn end_event(why: CloseReason) -> Bytes {
    let data = json!({"type": END_EVENT, "code": why.code(), "reason": why.text()}).to_string();
    write_event(None, END_EVENT, &data).into()
}

fn write_event(id: Option<u64>, event: &str, data: &str) -> String {
    let mut text = String::with_capacity(data.len() + event.len() + 48);
    if let Some(id) = id {
        text.push_str("id: ");
        text.push_str(&id.to_string());
        text.push('\n');
    }
    text.push_str("event: ");
    text.push_str(event);
    text.push('\n');
    // Our JSON is a single line, but a state written by a system may have several.
    for line in data.split(['\n', '\r']) {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sse(event: &Event) -> String {
        String::from_utf8_lossy(&event.to_sse()).into_owned()
    }

    #[test]
    fn only_the_last_event_of_a_change_has_an_id() {
        let first = Event::push(Some(7), "moved", "{}".into(), false);
        let last = Event::push(Some(7), "ended", "{}".into(), true);
        assert_eq!(sse(&first), "event: moved\ndata: {}\n\n");
        assert_eq!(sse(&last), "id: 7\nevent: ended\ndata: {}\n\n");
        let state = TopicState { number: Some(8), event: "state", data: "{\n}".into() };
        let state = Event::state(state);
        assert_eq!(sse(&state), "id: 8\nevent: state\ndata: {\ndata: }\n\n");
        let end = end_event(CloseReason::TopicEnded);
        assert_eq!(
            String::from_utf8_lossy(&end),
            "event: end\ndata: {\"code\":4000,\"reason\":\"what was watched is gone\",\"type\":\"end\"}\n\n"
        );
    }

    #[test]
    #[should_panic(expected = "cannot be the name of an event")]
    fn the_name_of_an_event_is_one_word() {
        let _ = Push::unnumbered("book", "two words", &());
    }

    #[test]
    fn topics_that_somebody_made_up_are_not_valid() {
        assert!(Topic::new("game", "ABC123").is_valid());
        for id in ["a b".to_owned(), "a\nb".to_owned(), "x".repeat(600)] {
            assert!(!Topic::new("game", id).is_valid());
        }
    }
}
