//! Topics and their subscribers.

use super::CloseReason;
use super::push::Event;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// Queued events per subscriber. The texts are shared, so a full queue costs about 10 KB.
const QUEUE_MAX: usize = 1_024;
/// Queued bytes per subscriber. A single event may exceed it.
const QUEUE_BYTES_MAX: usize = 4 << 20;
/// Events buffered per topic for resuming subscribers.
const RECENT_MAX: usize = 128;
/// Bytes buffered per topic for resuming subscribers.
const RECENT_BYTES_MAX: usize = 1 << 20;
/// Bytes buffered over all topics. A topic that would exceed it drops its own events; resuming
/// subscribers then get the state.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// How long a topic is kept after its last subscriber left.
const UNWATCHED_TIME_MAX: Duration = Duration::from_secs(60);
/// Bytes buffered per topic without subscribers.
const UNWATCHED_BYTES_MAX: usize = 64 << 10;
/// Topics kept without subscribers; the oldest are dropped first.
const UNWATCHED_MAX: usize = 1_000;

/// Topics and their subscribers. Clones share one hub.
#[derive(Clone, Default)]
pub(super) struct Hub(Arc<Shared>);

#[derive(Default)]
struct Shared {
    topics: Mutex<Topics>,
    counters: Counters,
}

/// Totals since the hub was created.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) pushes: AtomicU64,
    pub(super) deliveries: AtomicU64,
    pub(super) too_slow: AtomicU64,
}

#[derive(Default)]
struct Topics {
    by_name: HashMap<Arc<str>, TopicLog>,
    /// Bytes buffered over all topics.
    kept_bytes: Arc<AtomicUsize>,
    next_watcher: u64,
    /// Topics without watchers and when the last one left, oldest first.
    unwatched: BTreeMap<u64, (Instant, Arc<str>)>,
    next_unwatched: u64,
}

/// A topic that is watched, or was until recently.
struct TopicLog {
    watchers: Vec<Watcher>,
    /// The key in [`Topics::unwatched`], if the last watcher has left.
    unwatched: Option<u64>,
    /// The latest change number published, by push or by state.
    last: Option<u64>,
    recent: VecDeque<Event>,
    recent_bytes: KeptBytes,
    /// `recent` has every event from this number on.
    kept_from: u64,
}

/// Bytes buffered by one topic, also counted in the total of all topics.
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

    /// Whether `more` bytes would exceed the limit of the topic or of all topics.
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

/// The hub's side of a subscriber.
struct Watcher {
    id: u64,
    queue: mpsc::Sender<Event>,
    backlog: Arc<Backlog>,
    /// Its queue has everything from this number on; `None` if nothing was queued yet.
    queued_from: Option<u64>,
}

/// Queue state shared by watcher and subscriber.
#[derive(Default)]
struct Backlog {
    bytes: AtomicUsize,
    end: OnceLock<CloseReason>,
}

/// Outcome of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Published {
    /// Queued for this many subscribers.
    Delivered(usize),
    /// Already published. Feeds deliver at least once.
    Duplicate,
    /// Earlier numbers are missing. Not delivered: use [`Hub::publish_state`] instead.
    Gap,
}

/// Outcome of publishing a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reset {
    /// All watchers are at this state or newer.
    Done,
    /// Watchers are ahead of the state: it is stale, or the topic was recreated.
    Older,
}

impl Hub {
    /// An empty hub. Topics are created by their first subscriber and dropped 60 s after the last
    /// one left; until then it can resume.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Subscribes to a topic. Given the last number seen, also queues the missed events if all are
    /// buffered; see [`Subscriber::is_resumed`].
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
            // No watcher depends on the old numbers: the topic may have been recreated.
            *topic = new_topic();
        }
        let mut watcher = Watcher { id, queue, backlog: Arc::default(), queued_from: None };
        let backlog = Arc::clone(&watcher.backlog);
        for event in missed.unwrap_or_default() {
            // Fits: the buffer is smaller than a queue.
            let _ = watcher.send(&event);
        }
        topic.watchers.push(watcher);
        let after = last_seen.filter(|_| is_resumed);
        Subscriber { hub: self.clone(), topic: name, id, receiver, backlog, after, is_resumed }
    }

    /// Sends the events of one change to all subscribers, in order. They share its number; change
    /// numbers are consecutive.
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
                // No subscriber needs the state, and a gap cannot be resumed.
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

    /// Sends an event without a number to all subscribers.
    pub(super) fn publish_unnumbered(&self, topic: &str, event: &Event) {
        if let Some(topic) = self.lock().by_name.get_mut(topic) {
            topic.send(event, &self.0.counters);
        }
    }

    /// Sends the state to all subscribers, unless it is older than or equal to the last push.
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

    /// Ends a topic. Subscribers still receive queued events.
    pub(super) fn end(&self, topic: &str, why: CloseReason) {
        let ended = self.lock().remove(topic);
        for watcher in ended.into_iter().flat_map(|topic| topic.watchers) {
            let _ = watcher.backlog.end.set(why);
        }
    }

    /// Names of all topics with watchers.
    pub(super) fn topics(&self) -> Vec<Arc<str>> {
        let topics = self.lock();
        let watched = topics.by_name.iter().filter(|(_, topic)| !topic.watchers.is_empty());
        watched.map(|(name, _)| Arc::clone(name)).collect()
    }

    /// Number of watched topics and of their subscribers.
    pub(super) fn size(&self) -> (usize, usize) {
        let topics = self.lock_and_expire();
        let watchers = topics.by_name.values().map(|topic| topic.watchers.len());
        watchers
            .filter(|count| *count > 0)
            .fold((0, 0), |(topics, all), count| (topics + 1, all + count))
    }

    /// Drops topics without watchers: changes were lost, so they cannot be resumed.
    pub(super) fn forget_unwatched(&self) {
        let mut topics = self.lock();
        topics.by_name.retain(|_, topic| !topic.watchers.is_empty());
        topics.unwatched.clear();
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.0.counters
    }

    fn lock(&self) -> MutexGuard<'_, Topics> {
        // No code that can panic runs under this lock.
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

    /// Removes a watcher. A topic without watchers is kept for a while.
    fn leave(&mut self, name: &Arc<str>, watcher: u64) {
        let Some(topic) = self.by_name.get_mut(name) else { return };
        topic.watchers.retain(|other| other.id != watcher);
        if !topic.watchers.is_empty() || topic.unwatched.is_some() {
            return;
        }
        if topic.last.is_none() {
            // Without numbers a topic cannot be resumed.
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

    /// Drops unwatched topics that are too old or too many.
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

    /// The events after this number, if all are buffered.
    fn after(&self, last_seen: u64) -> Option<Vec<Event>> {
        let last = self.last?;
        let is_complete = last_seen <= last && self.kept_from <= last_seen.saturating_add(1);
        let missed = self.recent.iter().filter(|event| event.number() > Some(last_seen));
        is_complete.then(|| missed.cloned().collect())
    }

    /// Queues an event for all watchers. A watcher whose queue is full or closed is removed.
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
        // The state supersedes buffered events. It is not replayed itself.
        self.recent.clear();
        self.recent_bytes.subtract(self.recent_bytes.bytes);
        self.kept_from = number.saturating_add(1);
        self.last = Some(number);
        self.send(state, counters);
        for watcher in &mut self.watchers {
            watcher.queued_from = Some(0);
        }
    }

    /// Buffers an event for resuming subscribers. Events of one change are kept or dropped
    /// together.
    fn keep(&mut self, number: u64, event: Event) {
        let bytes = event.data().len();
        if !self.make_room(1, bytes) {
            // Too large to buffer.
            self.kept_from = number.saturating_add(1);
        } else if number >= self.kept_from {
            self.recent_bytes.add(bytes);
            self.recent.push_back(event);
        }
    }

    /// Drops the oldest events until `count` more with `bytes` in all fit. `false` if they never
    /// do.
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
    /// Queues an event. `false` if the queue is full or closed.
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

/// Receives the events of a topic until it is dropped.
pub(super) struct Subscriber {
    hub: Hub,
    topic: Arc<str>,
    id: u64,
    receiver: mpsc::Receiver<Event>,
    backlog: Arc<Backlog>,
    /// Events up to this number are skipped.
    after: Option<u64>,
    is_resumed: bool,
}

impl Subscriber {
    /// Whether the missed events are queued. If not, send the current state and call
    /// [`Subscriber::skip_until`] with its number.
    pub(super) fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Skips pushes up to this number.
    pub(super) fn skip_until(&mut self, number: u64) {
        self.after = Some(number);
    }

    /// Starts after a state with this number. `false` if the state is older than a push published
    /// before this subscriber joined: read it again.
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
                    // Gaps are detected from here on.
                    topic.last = Some(number);
                    topic.kept_from = number.saturating_add(1);
                }
            }
        }
        drop(topics);
        self.skip_until(number);
        true
    }

    /// The next push; `None` if the subscriber was dropped or the topic ended.
    pub(super) async fn next_event(&mut self) -> Option<Event> {
        loop {
            let event = self.receiver.recv().await?;
            if self.receive(&event) {
                return Some(event);
            }
        }
    }

    /// The next push, if one is queued.
    pub(super) fn try_next_event(&mut self) -> Option<Event> {
        loop {
            let event = self.receiver.try_recv().ok()?;
            if self.receive(&event) {
                return Some(event);
            }
        }
    }

    /// Accounts for a dequeued event. `false` to skip it.
    fn receive(&self, event: &Event) -> bool {
        self.backlog.bytes.fetch_sub(event.data().len(), Ordering::Relaxed);
        event.number().is_none_or(|number| self.after.is_none_or(|after| number > after))
    }

    /// Why the queue ended.
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
