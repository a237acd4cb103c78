//! The hub in isolation, without tables or clients.

use super::*;
use crate::live::{Text, TopicState};

impl Hub {
    /// Publishes texts as one change.
    fn publish(
        &self,
        topic: &str,
        number: u64,
        texts: impl IntoIterator<Item = Text>,
    ) -> Published {
        let event = |text| Event::push(Some(number), "message", text, true);
        self.publish_change(topic, number, texts.into_iter().map(event).collect::<Vec<_>>())
    }

    fn reset(&self, topic: &str, number: u64, data: Text) {
        let state = TopicState { number: Some(number), event: "state", data };
        assert_eq!(self.publish_state(topic, &Event::state(state)), Reset::Done);
    }

    fn close(&self, topic: &str) {
        self.end(topic, CloseReason::TopicEnded);
    }
}

impl Subscriber {
    async fn next(&mut self) -> Option<Text> {
        Some(self.next_event().await?.data().clone())
    }

    fn try_next(&mut self) -> Option<Text> {
        Some(self.try_next_event()?.data().clone())
    }
}

#[tokio::test]
async fn a_push_goes_to_those_who_watch_its_topic() {
    let hub = Hub::new();
    let mut watcher = hub.subscribe("game/7", None);
    let published = hub.publish("game/7", 1, ["Ann rolls a six".into()]);
    assert_eq!(published, Published::Delivered(1));
    assert_eq!(hub.publish("game/8", 1, ["nobody is there".into()]), Published::Delivered(0));
    assert_eq!(watcher.next().await.unwrap().as_str(), "Ann rolls a six");
}

fn texts(follower: &mut Subscriber) -> Vec<String> {
    std::iter::from_fn(|| follower.try_next()).map(|text| text.to_string()).collect()
}

fn publish(hub: &Hub, number: u64) -> Published {
    hub.publish("t", number, [format!("{number}").into()])
}

#[test]
fn followers_get_everything_in_order_and_once() {
    let hub = Hub::new();
    let (mut one, mut two) = (hub.subscribe("t", None), hub.subscribe("t", None));
    assert_eq!(publish(&hub, 41), Published::Delivered(2));
    assert_eq!(publish(&hub, 41), Published::Duplicate);
    assert_eq!(publish(&hub, 40), Published::Duplicate);
    assert_eq!(hub.publish("t", 42, ["a".into(), "b".into()]), Published::Delivered(2));
    assert_eq!(texts(&mut one), ["41", "a", "b"]);
    assert_eq!(texts(&mut two), ["41", "a", "b"]);
}

#[test]
fn a_gap_is_noticed_and_mended_by_the_state() {
    let hub = Hub::new();
    let mut follower = hub.subscribe("t", None);
    publish(&hub, 1);
    assert_eq!(publish(&hub, 3), Published::Gap);
    hub.reset("t", 3, "state 3".into());
    assert_eq!(publish(&hub, 3), Published::Duplicate);
    assert_eq!(publish(&hub, 4), Published::Delivered(1));
    assert_eq!(texts(&mut follower), ["1", "state 3", "4"]);
    // Resuming from before the gap: the missed events are not buffered.
    assert!(!hub.subscribe("t", Some(1)).is_resumed());
    assert!(hub.subscribe("t", Some(3)).is_resumed());
}

#[test]
fn who_comes_back_gets_what_was_missed() {
    let hub = Hub::new();
    let _other = hub.subscribe("t", None);
    for number in 1..=5 {
        publish(&hub, number);
    }
    let mut back = hub.subscribe("t", Some(3));
    assert!(back.is_resumed());
    publish(&hub, 6);
    assert_eq!(texts(&mut back), ["4", "5", "6"]);
    let mut up_to_date = hub.subscribe("t", Some(6));
    assert!(up_to_date.is_resumed());
    assert_eq!(texts(&mut up_to_date), Vec::<String>::new());
    // A number from the future cannot be resumed.
    assert!(!hub.subscribe("t", Some(7)).is_resumed());
}

#[test]
fn who_was_away_too_long_must_ask_for_the_state() {
    let hub = Hub::new();
    let _other = hub.subscribe("t", None);
    let total = RECENT_MAX as u64 + 10;
    for number in 1..=total {
        publish(&hub, number);
    }
    assert!(!hub.subscribe("t", Some(9)).is_resumed());
    let mut back = hub.subscribe("t", Some(10));
    assert!(back.is_resumed());
    assert_eq!(texts(&mut back).len(), RECENT_MAX);
}

#[test]
fn what_the_state_tells_is_not_told_again() {
    let hub = Hub::new();
    let mut follower = hub.subscribe("t", None);
    for number in 1..=3 {
        publish(&hub, number);
    }
    follower.skip_until(2);
    assert_eq!(texts(&mut follower), ["3"]);
}

#[tokio::test]
async fn who_does_not_read_loses_its_place_and_nobody_else_does() {
    let hub = Hub::new();
    let mut lazy = hub.subscribe("t", None);
    let mut eager = hub.subscribe("t", None);
    let mut read = 0;
    for number in 1..=QUEUE_MAX as u64 + 5 {
        publish(&hub, number);
        read += texts(&mut eager).len();
    }
    assert_eq!(read, QUEUE_MAX + 5);
    // Queued events can still be read, then the stream ends.
    for _ in 0..QUEUE_MAX {
        assert!(lazy.next().await.is_some());
    }
    assert!(lazy.next().await.is_none());
}

/// Regression: a thousand unwatched topics could hold a megabyte each.
#[test]
fn topics_without_followers_hold_little() {
    let hub = Hub::new();
    let text = "x".repeat(10_000);
    let bytes = |hub: &Hub| hub.lock().kept_bytes.load(Ordering::Relaxed);
    let follower = hub.subscribe("t", None);
    for number in 1..=50 {
        hub.publish("t", number, [text.as_str().into()]);
    }
    assert_eq!(bytes(&hub), 500_000);
    drop(follower);
    assert!(bytes(&hub) <= UNWATCHED_BYTES_MAX, "{}", bytes(&hub));
    for number in 51..=70 {
        hub.publish("t", number, [text.as_str().into()]);
    }
    assert!(bytes(&hub) <= UNWATCHED_BYTES_MAX, "{}", bytes(&hub));
    // The latest events can still be resumed.
    assert!(hub.subscribe("t", Some(68)).is_resumed());
}

/// Regression: topics were bounded one by one, but not in total.
#[test]
fn all_topics_together_hold_no_more_than_this() {
    let hub = Hub::new();
    let text = Text::from("x".repeat(100_000));
    let kept = || hub.lock().kept_bytes.load(Ordering::Relaxed);
    let followers: Vec<Subscriber> = (0..100)
        .map(|topic| {
            let mut follower = hub.subscribe(topic.to_string(), None);
            for number in 1..=10 {
                let published = hub.publish(&topic.to_string(), number, [text.clone()]);
                assert_eq!(published, Published::Delivered(1));
            }
            // Delivery does not depend on buffering.
            assert_eq!(texts(&mut follower).len(), 10);
            assert!(kept() <= KEPT_BYTES_MAX, "{}", kept());
            follower
        })
        .collect();
    assert!(kept() > KEPT_BYTES_MAX / 2);
    assert!(hub.subscribe("0", Some(1)).is_resumed());
    // The last topics found no room in the buffer, so resuming falls back to the state.
    assert!(!hub.subscribe("99", Some(1)).is_resumed());
    assert!(hub.subscribe("99", Some(10)).is_resumed());
    for topic in 0..100 {
        hub.close(&topic.to_string());
    }
    assert_eq!(kept(), 0);
    drop(followers);
}

/// A closed topic is removed at once. One without watchers is unlisted but kept for resuming; it
/// used to be removed with its last watcher.
#[tokio::test]
async fn topics_come_with_their_followers_and_go_when_they_are_closed() {
    let hub = Hub::new();
    let (one, mut two) = (hub.subscribe("t", None), hub.subscribe("t", None));
    drop(one);
    assert_eq!(hub.topics().len(), 1);
    hub.publish("t", 1, ["last".into()]);
    hub.close("t");
    assert_eq!(two.next().await.unwrap().as_str(), "last");
    assert!(two.next().await.is_none());
    drop(two);
    assert!(hub.topics().is_empty() && hub.lock().by_name.is_empty());
    // Unwatched topics are closed too.
    left_after_1(&hub, "t");
    assert!(hub.topics().is_empty() && hub.lock().by_name.len() == 1);
    hub.close("t");
    assert!(hub.lock().by_name.is_empty());
    assert!(hub.lock().unwatched.is_empty());
}

/// A topic at number 1 whose only follower has left.
fn left_after_1(hub: &Hub, topic: &str) {
    let follower = hub.subscribe(topic, None);
    assert_eq!(hub.publish(topic, 1, ["1".into()]), Published::Delivered(1));
    drop(follower);
}

#[test]
fn the_only_follower_comes_back_and_gets_what_was_missed() {
    let hub = Hub::new();
    left_after_1(&hub, "t");
    assert_eq!(
        (publish(&hub, 2), publish(&hub, 3)),
        (Published::Delivered(0), Published::Delivered(0))
    );
    assert_eq!((hub.size(), hub.topics().len()), ((0, 0), 0));
    // Pushes without subscribers are not counted.
    assert_eq!(hub.counters().pushes.load(Ordering::Relaxed), 1);
    let mut back = hub.subscribe("t", Some(1));
    assert!(back.is_resumed() && hub.lock().unwatched.is_empty());
    assert_eq!(publish(&hub, 4), Published::Delivered(1));
    assert_eq!(texts(&mut back), ["2", "3", "4"]);
    assert_eq!(hub.size(), (1, 1));
    // A subscriber that does not resume resets the numbering.
    drop(back);
    let mut anew = hub.subscribe("t", None);
    assert_eq!(publish(&hub, 1), Published::Delivered(1));
    assert_eq!(texts(&mut anew), ["1"]);
}

#[test]
fn nobody_resumes_behind_a_gap_or_lost_changes() {
    let hub = Hub::new();
    left_after_1(&hub, "t");
    assert_eq!(publish(&hub, 3), Published::Delivered(0));
    assert!(!hub.subscribe("t", Some(1)).is_resumed());
    left_after_1(&hub, "t");
    let _watched = hub.subscribe("watched", None);
    hub.forget_unwatched();
    assert!(!hub.subscribe("t", Some(1)).is_resumed());
    assert_eq!(hub.topics().len(), 1);
}

#[test]
fn topics_without_followers_are_kept_for_a_minute() {
    let hub = Hub::new();
    let _watched = hub.subscribe("watched", None);
    left_after_1(&hub, "t");
    let now = Instant::now();
    hub.lock().expire(now + UNWATCHED_TIME_MAX / 2);
    assert_eq!(hub.lock().by_name.len(), 2);
    hub.lock().expire(now + UNWATCHED_TIME_MAX);
    assert_eq!(hub.lock().by_name.len(), 1);
    assert!(!hub.subscribe("t", Some(1)).is_resumed());
    assert_eq!(hub.size(), (1, 1));
}

#[test]
fn so_many_topics_are_kept_without_followers() {
    let hub = Hub::new();
    for number in 0..=UNWATCHED_MAX {
        left_after_1(&hub, &number.to_string());
    }
    assert_eq!(hub.lock().by_name.len(), UNWATCHED_MAX);
    assert!(!hub.subscribe("0", Some(1)).is_resumed());
    assert!(hub.subscribe("1", Some(1)).is_resumed());
    // Topics without numbers cannot be resumed and are not kept.
    drop(hub.subscribe("no numbers", None));
    assert!(!hub.lock().by_name.contains_key("no numbers"));
}
