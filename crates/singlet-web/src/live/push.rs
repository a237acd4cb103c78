//! What is pushed, and to whom.

use super::{CloseReason, Text};
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How many bytes the name of a topic may have. Longer ones come from an address that somebody made
/// up, and there is no such topic.
const TOPIC_BYTES_MAX: usize = 512;

/// What can be watched, such as one game: `Topic::new("game", &code)`.
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
    /// The topic of one thing of a kind. `kind` has no slash.
    #[must_use]
    pub fn new(kind: &'static str, id: impl fmt::Display) -> Self {
        Self(format!("{kind}/{id}").into())
    }

    /// The whole name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the first slash.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(kind, _)| kind)
    }

    /// The part behind the first slash; empty if there is none.
    #[must_use]
    pub fn id(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, id)| id)
    }

    /// Whether a topic may have this name: it is short, and has no blanks.
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

/// One message for everybody who watches a topic.
///
/// Server-Sent Events carry the name of the event and the data. On a WebSocket only the data is
/// sent, so it should name its kind itself (`#[serde(tag = "type")]`) where sockets are used.
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
    /// A push with a number. The numbers of a topic go up one by one: a gap makes the kit send the
    /// state, a repetition is dropped.
    ///
    /// Several pushes of one change have the same number. A client that lost the connection between
    /// two of them resumes behind both. So the first one must say everything that changes the state;
    /// the others only announce.
    #[must_use]
    pub fn numbered(
        topic: impl Into<Topic>,
        number: u64,
        event: &'static str,
        data: &impl Serialize,
    ) -> Self {
        Self::new(topic.into(), Some(number), event, data)
    }

    /// A push without a number. It cannot be resumed: who reconnects gets the state. It may also
    /// come once more behind a state that has it already.
    #[must_use]
    pub fn unnumbered(topic: impl Into<Topic>, event: &'static str, data: &impl Serialize) -> Self {
        Self::new(topic.into(), None, event, data)
    }

    /// The topic is gone: subscribers get what is queued, then the end.
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

/// The state of a topic: the first thing a subscriber gets, and what it gets after a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicState {
    /// The number of the last push that the state includes; `None` if pushes have no numbers.
    pub number: Option<u64>,
    /// The name of the event.
    pub event: &'static str,
    /// The state in JSON.
    pub data: Text,
}

impl TopicState {
    /// A state that includes all pushes up to this number.
    #[must_use]
    pub fn numbered(number: u64, event: &'static str, data: &impl Serialize) -> Self {
        check_event_name(event);
        Self { number: Some(number), event, data: to_text(event, data) }
    }

    /// The state of a topic whose pushes have no numbers.
    #[must_use]
    pub fn unnumbered(event: &'static str, data: &impl Serialize) -> Self {
        check_event_name(event);
        Self { number: None, event, data: to_text(event, data) }
    }

    /// A state that says nothing but that it is time to read by HTTP.
    pub(super) fn signal(event: &'static str) -> Self {
        Self::unnumbered(event, &json!({"type": event}))
    }
}

/// The name of an event is written by a programmer, and stands in a line of its own.
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
        // A map whose keys are no text, which a test of the system finds.
        Err(error) => {
            tracing::error!(%error, event, "the data of a push cannot be written as JSON");
            Text::from_static("null")
        }
    }
}

/// The event with which Server-Sent Events end.
const END_EVENT: &str = "end";

/// What subscribers get. Clones share their text.
#[derive(Clone)]
pub struct Event(Arc<Inner>);

struct Inner {
    number: Option<u64>,
    /// Whether the client may resume behind this: it is the last one of its change.
    is_last: bool,
    is_state: bool,
    event: &'static str,
    data: Text,
    /// As Server-Sent Events write it: once for all who read it.
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

    /// The same state with more members.
    pub(super) fn with_members(&self, members: &Map<String, Value>) -> Self {
        let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(self.data()) else {
            return self.clone();
        };
        object.extend(members.clone());
        let Inner { number, event, .. } = *self.0;
        Self::state(TopicState { number, event, data: to_text(event, &object) })
    }

    /// The number of the change, if it has one.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.0.number
    }

    /// The name of the event.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.event
    }

    /// The data, in JSON.
    #[must_use]
    pub fn data(&self) -> &Text {
        &self.0.data
    }

    /// Whether this is the state of the topic.
    #[must_use]
    pub fn is_state(&self) -> bool {
        self.0.is_state
    }

    /// As Server-Sent Events write it.
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

/// The last event of a stream.
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
    // JSON as we write it has one line. A state that a system wrote itself may have more.
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
