//! Topics, and who watches them.

use super::CloseReason;
use super::push::Event;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// How many events may wait for one subscriber. A browser that reads at all is never this far
/// behind; the texts are shared, so a full queue costs some 10 KB.
const QUEUE_MAX: usize = 1_024;
/// How many bytes of events may wait for one subscriber. One event always may, however large it is.
const QUEUE_BYTES_MAX: usize = 4 << 20;
/// How many events of a topic are kept for subscribers who come back.
const RECENT_MAX: usize = 128;
/// How many bytes of events of a topic are kept for subscribers who come back.
const RECENT_BYTES_MAX: usize = 1 << 20;
/// How many bytes of events of all topics are kept. A topic that wants to keep more then forgets its
/// own; who comes back to it gets the state.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// How long a topic is kept after its last subscriber has left, so that it can come back.
const UNWATCHED_TIME_MAX: Duration = Duration::from_secs(60);
/// How many bytes of events of such a topic are kept.
const UNWATCHED_BYTES_MAX: usize = 64 << 10;
/// How many topics are kept that nobody watches. The one that was left first goes first.
const UNWATCHED_MAX: usize = 1_000;

/// Topics, and who watches them. Clones are one hub.
#[derive(Clone, Default)]
pub(super) struct Hub(Arc<Shared>);

#[derive(Default)]
struct Shared {
    topics: Mutex<Topics>,
    counters: Counters,
}

/// What happened since the hub was made.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) pushes: AtomicU64,
    pub(super) deliveries: AtomicU64,
    pub(super) too_slow: AtomicU64,
}

#[derive(Default)]
struct Topics {
    by_name: HashMap<Arc<str>, TopicLog>,
    /// How many bytes of events all topics keep.
    kept_bytes: Arc<AtomicUsize>,
    next_watcher: u64,
    /// The topics that nobody watches, in the order in which they were left, and since when.
    unwatched: BTreeMap<u64, (Instant, Arc<str>)>,
    next_unwatched: u64,
}

/// A topic that somebody watches, or watched not long ago.
struct TopicLog {
    watchers: Vec<Watcher>,
    /// The key in [`Topics::unwatched`], if the last watcher has left.
    unwatched: Option<u64>,
    /// The number of the last change that watchers know, by a push or by the state.
    last: Option<u64>,
    recent: VecDeque<Event>,
    recent_bytes: KeptBytes,
    /// From this number on all events are in `recent`.
    kept_from: u64,
}

/// How many bytes of events a topic keeps. They count towards those of all topics.
struct KeptBytes {
    bytes: usize,
    total: Arc<AtomicUsize>,
}

impl KeptBytes {
    fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    fn subtract(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.total.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether `more` bytes would be too many for the topic, or for all topics together.
    fn would_exceed(&self, more: usize, bytes_max: usize) -> bool {
        let total = self.total.load(Ordering::Relaxed);
        self.bytes + more > bytes_max || total + more > KEPT_BYTES_MAX
    }
}

impl Drop for KeptBytes {
    fn drop(&mut self) {
        self.subtract(self.bytes);
    }
}

/// One subscriber, on the hub's side.
struct Watcher {
    id: u64,
    queue: mpsc::Sender<Event>,
    backlog: Arc<Backlog>,
    /// The number from which on everything is in its queue; `None` if nothing was queued yet.
    queued_from: Option<u64>,
}

/// What both sides of a queue know.
#[derive(Default)]
struct Backlog {
    bytes: AtomicUsize,
    end: OnceLock<CloseReason>,
}

/// What became of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Published {
    /// It went to so many subscribers.
    Delivered(usize),
    /// It had been published before. Feeds may repeat themselves.
    Duplicate,
    /// Others should have come before it, and have not. Nobody has received it: publish the
    /// state with [`Hub::publish_state`] instead.
    Gap,
}

/// What became of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reset {
    /// All watchers have it, or know as much already.
    Done,
    /// Watchers know more than it says: it is stale, or the topic began anew.
    Older,
}

impl Hub {
    /// A hub without topics. They come with their first subscriber. 60 s after the last one has
    /// left they go; until then it can come back and gets what it has missed.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Subscribes to a topic from now on. With the number of the last push that was seen before,
    /// the subscriber also gets those that it has missed, if the hub still has all of them;
    /// [`Subscriber::is_resumed`] tells.
    pub(super) fn subscribe(
        &self,
        name: impl Into<Arc<str>>,
        last_seen: Option<u64>,
    ) -> Subscriber {
        let name = name.into();
        let (queue, receiver) = mpsc::channel(QUEUE_MAX);
        let mut topics = self.lock_and_expire();
        let id = topics.next_watcher;
        topics.next_watcher += 1;
        let topics = &mut *topics;
        let new_topic = || TopicLog::new(Arc::clone(&topics.kept_bytes));
        let topic = topics.by_name.entry(Arc::clone(&name)).or_insert_with(new_topic);
        let missed = last_seen.and_then(|last_seen| topic.after(last_seen));
        let is_resumed = missed.is_some();
        if let Some(key) = topic.unwatched.take() {
            topics.unwatched.remove(&key);
        }
        if topic.watchers.is_empty() && !is_resumed {
            // Nobody depends on the old numbers: the topic may have begun anew.
            *topic = new_topic();
        }
        let mut watcher = Watcher { id, queue, backlog: Arc::default(), queued_from: None };
        let backlog = Arc::clone(&watcher.backlog);
        for event in missed.unwrap_or_default() {
            // There is room: fewer are kept than fit into a queue.
            let _ = watcher.send(&event);
        }
        topic.watchers.push(watcher);
        let after = last_seen.filter(|_| is_resumed);
        Subscriber { hub: self.clone(), topic: name, id, receiver, backlog, after, is_resumed }
    }

    /// Sends the events of one change to all subscribers of a topic, in this order. All of them have
    /// its number; the numbers of changes go up one by one.
    pub(super) fn publish_change(
        &self,
        topic: &str,
        number: u64,
        events: impl IntoIterator<Item = Event>,
    ) -> Published {
        let mut topics = self.lock_and_expire();
        let name = topic;
        let Some(topic) = topics.by_name.get_mut(name) else { return Published::Delivered(0) };
        match topic.last {
            Some(last) if number <= last => return Published::Duplicate,
            Some(last) if number > last.saturating_add(1) => {
                if !topic.watchers.is_empty() {
                    return Published::Gap;
                }
                // Nobody needs the state, and nobody can resume behind a gap.
                topics.remove(name);
                return Published::Delivered(0);
            }
            Some(_) => {}
            None => topic.kept_from = number,
        }
        for event in events {
            topic.send(&event, &self.0.counters);
            topic.keep(number, event);
        }
        topic.last = Some(number);
        Published::Delivered(topic.watchers.len())
    }

    /// Sends an event without a number to all subscribers of a topic.
    pub(super) fn publish_unnumbered(&self, topic: &str, event: &Event) {
        if let Some(topic) = self.lock().by_name.get_mut(topic) {
            topic.send(event, &self.0.counters);
        }
    }

    /// Sends the state to all subscribers of a topic, unless they know as much already.
    pub(super) fn publish_state(&self, topic: &str, state: &Event) -> Reset {
        let mut topics = self.lock();
        let Some(topic) = topics.by_name.get_mut(topic) else { return Reset::Done };
        match (state.number(), topic.last) {
            (None, _) => topic.send(state, &self.0.counters),
            (Some(number), Some(last)) if number < last => return Reset::Older,
            (Some(number), Some(last)) if number == last => {}
            (Some(number), _) => topic.reset(number, state, &self.0.counters),
        }
        Reset::Done
    }

    /// Ends a topic: its subscribers receive what is on its way and then nothing more.
    pub(super) fn end(&self, topic: &str, why: CloseReason) {
        let ended = self.lock().remove(topic);
        for watcher in ended.into_iter().flat_map(|topic| topic.watchers) {
            let _ = watcher.backlog.end.set(why);
        }
    }

    /// The names of all topics that somebody watches.
    pub(super) fn topics(&self) -> Vec<Arc<str>> {
        let topics = self.lock();
        let watched = topics.by_name.iter().filter(|(_, topic)| !topic.watchers.is_empty());
        watched.map(|(name, _)| Arc::clone(name)).collect()
    }

    /// How many topics are watched, and by how many subscribers.
    pub(super) fn size(&self) -> (usize, usize) {
        let topics = self.lock_and_expire();
        let watchers = topics.by_name.values().map(|topic| topic.watchers.len());
        watchers
            .filter(|count| *count > 0)
            .fold((0, 0), |(topics, all), count| (topics + 1, all + count))
    }

    /// Forgets the topics that nobody watches: changes were lost, so nobody can resume.
    pub(super) fn forget_unwatched(&self) {
        let mut topics = self.lock();
        topics.by_name.retain(|_, topic| !topic.watchers.is_empty());
        topics.unwatched.clear();
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.0.counters
    }

    fn lock(&self) -> MutexGuard<'_, Topics> {
        // Nothing that can panic is done while the lock is held.
        self.0.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_and_expire(&self) -> MutexGuard<'_, Topics> {
        let mut topics = self.lock();
        topics.expire(Instant::now());
        topics
    }
}

impl Topics {
    fn remove(&mut self, name: &str) -> Option<TopicLog> {
        let topic = self.by_name.remove(name)?;
        if let Some(key) = topic.unwatched {
            self.unwatched.remove(&key);
        }
        Some(topic)
    }

    /// Takes a watcher from its topic. A topic without watchers is kept for a while.
    fn leave(&mut self, name: &Arc<str>, watcher: u64) {
        let Some(topic) = self.by_name.get_mut(name) else { return };
        topic.watchers.retain(|other| other.id != watcher);
        if !topic.watchers.is_empty() || topic.unwatched.is_some() {
            return;
        }
        if topic.last.is_none() {
            // Without numbers nobody can resume.
            self.by_name.remove(name);
            return;
        }
        topic.make_room(0, 0);
        let (key, now) = (self.next_unwatched, Instant::now());
        self.next_unwatched += 1;
        topic.unwatched = Some(key);
        self.unwatched.insert(key, (now, Arc::clone(name)));
        self.expire(now);
    }

    /// Forgets topics that nobody has watched for too long, or that are too many.
    fn expire(&mut self, now: Instant) {
        while let Some(since) = self.unwatched.values().next().map(|(since, _)| *since) {
            let is_over = now.saturating_duration_since(since) >= UNWATCHED_TIME_MAX;
            if !is_over && self.unwatched.len() <= UNWATCHED_MAX {
                return;
            }
            if let Some((_, (_, name))) = self.unwatched.pop_first() {
                self.by_name.remove(&name);
            }
        }
    }
}

impl TopicLog {
    fn new(kept_bytes: Arc<AtomicUsize>) -> Self {
        Self {
            watchers: Vec::new(),
            unwatched: None,
            last: None,
            recent: VecDeque::new(),
            recent_bytes: KeptBytes { bytes: 0, total: kept_bytes },
            kept_from: 0,
        }
    }

    /// The events after this number, if all of them are still there.
    fn after(&self, last_seen: u64) -> Option<Vec<Event>> {
        let last = self.last?;
        let is_complete = last_seen <= last && self.kept_from <= last_seen.saturating_add(1);
        let missed = self.recent.iter().filter(|event| event.number() > Some(last_seen));
        is_complete.then(|| missed.cloned().collect())
    }

    /// Queues an event for all watchers. One that has no room, or is gone, loses its place: it finds
    /// its queue ended.
    fn send(&mut self, event: &Event, counters: &Counters) {
        if self.watchers.is_empty() {
            return;
        }
        let before = self.watchers.len();
        self.watchers.retain_mut(|watcher| watcher.send(event));
        let dropped = before - self.watchers.len();
        counters.pushes.fetch_add(1, Ordering::Relaxed);
        counters.deliveries.fetch_add(self.watchers.len() as u64, Ordering::Relaxed);
        counters.too_slow.fetch_add(dropped as u64, Ordering::Relaxed);
    }

    fn reset(&mut self, number: u64, state: &Event, counters: &Counters) {
        // A state says what the events before it have said, and is none to be repeated.
        self.recent.clear();
        self.recent_bytes.subtract(self.recent_bytes.bytes);
        self.kept_from = number.saturating_add(1);
        self.last = Some(number);
        self.send(state, counters);
        for watcher in &mut self.watchers {
            watcher.queued_from = Some(0);
        }
    }

    /// Keeps an event for those who come back. Events of one change are kept or forgotten together.
    fn keep(&mut self, number: u64, event: Event) {
        let bytes = event.data().len();
        if !self.make_room(1, bytes) {
            // It is too large to be kept.
            self.kept_from = number.saturating_add(1);
        } else if number >= self.kept_from {
            self.recent_bytes.add(bytes);
            self.recent.push_back(event);
        }
    }

    /// Forgets the oldest events until there is room for so many more, of so many bytes in all.
    /// `false` if there never is.
    fn make_room(&mut self, count: usize, bytes: usize) -> bool {
        let bytes_max =
            if self.watchers.is_empty() { UNWATCHED_BYTES_MAX } else { RECENT_BYTES_MAX };
        while self.recent.len() + count > RECENT_MAX
            || self.recent_bytes.would_exceed(bytes, bytes_max)
        {
            let Some(oldest) = self.recent.pop_front() else { return false };
            self.recent_bytes.subtract(oldest.data().len());
            self.kept_from = oldest.number().map_or(0, |number| number.saturating_add(1));
            while self.recent.front().is_some_and(|next| next.number() == oldest.number()) {
                let next = self.recent.pop_front();
                self.recent_bytes.subtract(next.map_or(0, |next| next.data().len()));
            }
        }
        true
    }
}

impl Watcher {
    /// Queues an event, if there is room.
    fn send(&mut self, event: &Event) -> bool {
        let bytes = event.data().len();
        let queued = self.backlog.bytes.fetch_add(bytes, Ordering::Relaxed);
        if queued > 0 && queued + bytes > QUEUE_BYTES_MAX {
            return false;
        }
        self.queued_from = self.queued_from.or(event.number());
        match self.queue.try_send(event.clone()) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => false,
        }
    }
}

/// Receives what is published to a topic, until it is dropped.
pub(super) struct Subscriber {
    hub: Hub,
    topic: Arc<str>,
    id: u64,
    receiver: mpsc::Receiver<Event>,
    backlog: Arc<Backlog>,
    /// Events up to this number are known already.
    after: Option<u64>,
    is_resumed: bool,
}

impl Subscriber {
    /// Whether all that was missed comes by itself. If not, read the present state, hand it on,
    /// and call [`Subscriber::skip_until`] with its number.
    pub(super) fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Passes over pushes up to this number: what they tell is known.
    pub(super) fn skip_until(&mut self, number: u64) {
        self.after = Some(number);
    }

    /// Begins behind a state with this number. `false` if that is not possible: the state is older
    /// than a push that came before this subscriber, and has to be read again.
    pub(super) fn begin_after(&mut self, number: u64) -> bool {
        let mut topics = self.hub.lock();
        if let Some(topic) = topics.by_name.get_mut(&self.topic) {
            let watcher = topic.watchers.iter().find(|watcher| watcher.id == self.id);
            let queued_from = watcher.and_then(|watcher| watcher.queued_from);
            let is_joined = queued_from.is_some_and(|first| first <= number.saturating_add(1));
            match topic.last {
                Some(last) if number < last && !is_joined => return false,
                Some(_) => {}
                None => {
                    // From here on a gap is noticed.
                    topic.last = Some(number);
                    topic.kept_from = number.saturating_add(1);
                }
            }
        }
        drop(topics);
        self.skip_until(number);
        true
    }

    /// The next push; `None` when the subscriber has lost its place, or the topic has ended.
    pub(super) async fn next_event(&mut self) -> Option<Event> {
        loop {
            let event = self.receiver.recv().await?;
            if self.receive(&event) {
                return Some(event);
            }
        }
    }

    /// The next push, if it is there already.
    pub(super) fn try_next_event(&mut self) -> Option<Event> {
        loop {
            let event = self.receiver.try_recv().ok()?;
            if self.receive(&event) {
                return Some(event);
            }
        }
    }

    /// Notes that an event has left the queue. `false` if what it says is known.
    fn receive(&self, event: &Event) -> bool {
        self.backlog.bytes.fetch_sub(event.data().len(), Ordering::Relaxed);
        event.number().is_none_or(|number| self.after.is_none_or(|after| number > after))
    }

    /// Why nothing comes any more.
    pub(super) fn end_reason(&self) -> CloseReason {
        self.backlog.end.get().copied().unwrap_or(CloseReason::TooSlow)
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.hub.lock().leave(&self.topic, self.id);
    }
}

#[cfg(test)]
mod tests;
