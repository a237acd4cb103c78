//! Topics, and who follows them.

use super::Text;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

/// How many pushes may wait for one follower. A browser that reads at all is never this far
/// behind; the texts are shared, so a full queue costs some 40 KB.
const QUEUE_MAX: usize = 1_024;
/// How many pushes of a topic are kept for followers who come back.
const RECENT_MAX: usize = 128;

/// Topics, and who follows them. Clones are one hub.
///
/// ```
/// use singlet_web::live::{Hub, Published};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hub = Hub::new();
/// let mut follower = hub.follow("game 7", None);
/// assert_eq!(hub.publish("game 7", 1, ["Ann rolls a six".into()]), Published::To(1));
/// assert_eq!(hub.publish("game 8", 1, ["nobody is there".into()]), Published::To(0));
/// assert_eq!(follower.next().await.unwrap().as_str(), "Ann rolls a six");
/// # });
/// ```
#[derive(Clone, Default)]
pub struct Hub(Arc<Mutex<Topics>>);

#[derive(Default)]
struct Topics {
    by_name: HashMap<Arc<str>, Topic>,
    next_follower: u64,
}

#[derive(Default)]
struct Topic {
    followers: Vec<(u64, mpsc::Sender<Push>)>,
    /// The number of the last push, if there was one since somebody follows.
    last: Option<u64>,
    recent: VecDeque<Push>,
}

#[derive(Clone)]
struct Push {
    number: u64,
    text: Text,
}

/// What became of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// It went to so many followers.
    To(usize),
    /// It had been published before. Feeds may repeat themselves.
    Duplicate,
    /// Others should have come before it, and have not. Nobody has received it: publish the
    /// present state with [`Hub::reset`] instead.
    Gap,
}

impl Hub {
    /// A hub without topics. They come with their first follower and go with their last.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Follows a topic from now on. With the number of the last push that was seen before,
    /// the follower also gets those that it has missed, if the hub still has all of them;
    /// [`Subscriber::is_resumed`] tells.
    #[must_use]
    pub fn follow(&self, topic: &str, last_seen: Option<u64>) -> Subscriber {
        let (sender, receiver) = mpsc::channel(QUEUE_MAX);
        let mut topics = self.lock();
        let id = topics.next_follower;
        topics.next_follower += 1;
        let name: Arc<str> = topic.into();
        let topic = topics.by_name.entry(Arc::clone(&name)).or_default();
        let missed = last_seen.and_then(|last_seen| topic.after(last_seen));
        let is_resumed = missed.is_some();
        for push in missed.unwrap_or_default() {
            // There is room: fewer are kept than fit into a queue.
            let _ = sender.try_send(push);
        }
        topic.followers.push((id, sender));
        let after = last_seen.filter(|_| is_resumed);
        Subscriber { hub: self.clone(), topic: name, id, receiver, after, is_resumed }
    }

    /// Sends texts to all followers of a topic, in this order. All of them have the same number,
    /// because they tell about one change; the numbers of changes go up one by one.
    pub fn publish(
        &self,
        topic: &str,
        number: u64,
        texts: impl IntoIterator<Item = Text>,
    ) -> Published {
        let mut topics = self.lock();
        let Some(topic) = topics.by_name.get_mut(topic) else { return Published::To(0) };
        match topic.last {
            Some(last) if number <= last => return Published::Duplicate,
            Some(last) if number > last + 1 => return Published::Gap,
            _ => {}
        }
        for text in texts {
            topic.push(Push { number, text });
        }
        topic.last = Some(number);
        Published::To(topic.followers.len())
    }

    /// Sends the present state to all followers of a topic, whatever they have seen. What comes
    /// next must have the number after this.
    pub fn reset(&self, topic: &str, number: u64, state: Text) {
        let mut topics = self.lock();
        let Some(topic) = topics.by_name.get_mut(topic) else { return };
        topic.recent.clear();
        topic.push(Push { number, text: state });
        // A state says what the pushes before it have said, and is no push to be repeated.
        topic.recent.clear();
        topic.last = Some(number);
    }

    /// Ends a topic: its followers receive what is on its way and then nothing more.
    pub fn close(&self, topic: &str) {
        self.lock().by_name.remove(topic);
    }

    /// The names of all topics that somebody follows.
    #[must_use]
    pub fn topics(&self) -> Vec<Arc<str>> {
        self.lock().by_name.keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Topics> {
        // Nothing that can panic is done while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Topic {
    /// The pushes after this one, if all of them are still there.
    fn after(&self, last_seen: u64) -> Option<Vec<Push>> {
        let last = self.last?;
        let first_kept = self.recent.front().map_or(last + 1, |push| push.number);
        let is_complete = last_seen <= last && first_kept <= last_seen + 1;
        let missed = self.recent.iter().filter(|push| push.number > last_seen);
        is_complete.then(|| missed.cloned().collect())
    }

    fn push(&mut self, push: Push) {
        // Who has no room, or is gone, loses its place: dropping the sender tells it.
        self.followers.retain(|(_, queue)| queue.try_send(push.clone()).is_ok());
        if self.recent.len() >= RECENT_MAX {
            // Texts of one change are kept or forgotten together.
            let oldest = self.recent.pop_front().map(|push| push.number);
            while self.recent.front().map(|push| push.number) == oldest {
                self.recent.pop_front();
            }
        }
        self.recent.push_back(push);
    }
}

/// Receives what is published to a topic, until it is dropped.
pub struct Subscriber {
    hub: Hub,
    topic: Arc<str>,
    id: u64,
    receiver: mpsc::Receiver<Push>,
    /// Pushes up to this number are known already.
    after: Option<u64>,
    is_resumed: bool,
}

impl Subscriber {
    /// Whether all that was missed comes by itself. If not, read the present state, hand it on,
    /// and call [`Subscriber::skip_until`] with its number.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Passes over pushes up to this number: what they tell is known.
    pub fn skip_until(&mut self, number: u64) {
        self.after = Some(number);
    }

    /// The next push; `None` when the follower has lost its place, or the topic has ended.
    pub async fn next(&mut self) -> Option<Text> {
        loop {
            let push = self.receiver.recv().await?;
            if self.after.is_none_or(|after| push.number > after) {
                return Some(push.text);
            }
        }
    }

    /// The next push, if it is there already.
    pub fn try_next(&mut self) -> Option<Text> {
        loop {
            let push = self.receiver.try_recv().ok()?;
            if self.after.is_none_or(|after| push.number > after) {
                return Some(push.text);
            }
        }
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let mut topics = self.hub.lock();
        if let Some(topic) = topics.by_name.get_mut(&self.topic) {
            topic.followers.retain(|(id, _)| *id != self.id);
            if topic.followers.is_empty() {
                topics.by_name.remove(&self.topic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(follower: &mut Subscriber) -> Vec<String> {
        std::iter::from_fn(|| follower.try_next()).map(|text| text.to_string()).collect()
    }

    fn publish(hub: &Hub, number: u64) -> Published {
        hub.publish("t", number, [format!("{number}").into()])
    }

    #[test]
    fn followers_get_everything_in_order_and_once() {
        let hub = Hub::new();
        let (mut one, mut two) = (hub.follow("t", None), hub.follow("t", None));
        assert_eq!(publish(&hub, 41), Published::To(2));
        assert_eq!(publish(&hub, 41), Published::Duplicate);
        assert_eq!(publish(&hub, 40), Published::Duplicate);
        assert_eq!(hub.publish("t", 42, ["a".into(), "b".into()]), Published::To(2));
        assert_eq!(texts(&mut one), ["41", "a", "b"]);
        assert_eq!(texts(&mut two), ["41", "a", "b"]);
    }

    #[test]
    fn a_gap_is_noticed_and_mended_by_the_state() {
        let hub = Hub::new();
        let mut follower = hub.follow("t", None);
        publish(&hub, 1);
        assert_eq!(publish(&hub, 3), Published::Gap);
        hub.reset("t", 3, "state 3".into());
        assert_eq!(publish(&hub, 3), Published::Duplicate);
        assert_eq!(publish(&hub, 4), Published::To(1));
        assert_eq!(texts(&mut follower), ["1", "state 3", "4"]);
        // Who comes back from before the gap has missed something that is not kept.
        assert!(!hub.follow("t", Some(1)).is_resumed());
        assert!(hub.follow("t", Some(3)).is_resumed());
    }

    #[test]
    fn who_comes_back_gets_what_was_missed() {
        let hub = Hub::new();
        let _other = hub.follow("t", None);
        for number in 1..=5 {
            publish(&hub, number);
        }
        let mut back = hub.follow("t", Some(3));
        assert!(back.is_resumed());
        publish(&hub, 6);
        assert_eq!(texts(&mut back), ["4", "5", "6"]);
        let mut up_to_date = hub.follow("t", Some(6));
        assert!(up_to_date.is_resumed());
        assert_eq!(texts(&mut up_to_date), Vec::<String>::new());
        // One that claims to have seen the future is told the present.
        assert!(!hub.follow("t", Some(7)).is_resumed());
    }

    #[test]
    fn who_was_away_too_long_must_ask_for_the_state() {
        let hub = Hub::new();
        let _other = hub.follow("t", None);
        let total = RECENT_MAX as u64 + 10;
        for number in 1..=total {
            publish(&hub, number);
        }
        assert!(!hub.follow("t", Some(9)).is_resumed());
        let mut back = hub.follow("t", Some(10));
        assert!(back.is_resumed());
        assert_eq!(texts(&mut back).len(), RECENT_MAX);
    }

    #[test]
    fn what_the_state_tells_is_not_told_again() {
        let hub = Hub::new();
        let mut follower = hub.follow("t", None);
        for number in 1..=3 {
            publish(&hub, number);
        }
        follower.skip_until(2);
        assert_eq!(texts(&mut follower), ["3"]);
    }

    #[tokio::test]
    async fn who_does_not_read_loses_its_place_and_nobody_else_does() {
        let hub = Hub::new();
        let mut lazy = hub.follow("t", None);
        let mut eager = hub.follow("t", None);
        let mut read = 0;
        for number in 1..=QUEUE_MAX as u64 + 5 {
            publish(&hub, number);
            read += texts(&mut eager).len();
        }
        assert_eq!(read, QUEUE_MAX + 5);
        // What had been queued can still be read; then comes the end.
        for _ in 0..QUEUE_MAX {
            assert!(lazy.next().await.is_some());
        }
        assert!(lazy.next().await.is_none());
    }

    #[tokio::test]
    async fn topics_come_and_go_with_their_followers() {
        let hub = Hub::new();
        let (one, mut two) = (hub.follow("t", None), hub.follow("t", None));
        drop(one);
        assert_eq!(hub.topics().len(), 1);
        hub.publish("t", 1, ["last".into()]);
        hub.close("t");
        assert_eq!(two.next().await.unwrap().as_str(), "last");
        assert!(two.next().await.is_none());
        drop(two);
        assert!(hub.topics().is_empty());
    }
}
