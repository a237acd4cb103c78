//! Turns table changes into pushes on topics.

use super::hub::{Hub, Published, Reset};
use super::push::Content;
use super::{CloseReason, Event, Push, Subscription, Topic, TopicState};
use crate::api::LastEventId;
use crate::problem::{INTERNAL, NOT_FOUND, Problem, UNAVAILABLE};
use futures_util::future::join_all;
use futures_util::stream;
use futures_util::{FutureExt, StreamExt};
use singlet::backend::BoxFuture;
use singlet::table::Contains;
use singlet::{Change, Db, Declaration, Table};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Delay before a failed change feed is reopened.
const FOLLOW_PAUSE: Duration = Duration::from_secs(1);
/// How often a state older than its push is read again: reads may be eventually consistent.
const STATE_READS_MAX: usize = 5;
/// Delay before a stale state is read again.
const STATE_PAUSE: Duration = Duration::from_millis(50);
/// Concurrent state reads after changes were lost.
const STATES_AT_ONCE_MAX: usize = 16;
/// Time limit for reading one topic's state, while pushes to other topics wait.
const STATE_TIME_MAX: Duration = Duration::from_secs(5);

type StateLoader =
    dyn Fn(Topic) -> BoxFuture<'static, Result<Option<TopicState>, Problem>> + Send + Sync;
type Follower = dyn Fn(Live) -> BoxFuture<'static, ()> + Send + Sync;

/// The pushes of a system: maps changes to topics and reads their state. Clones share one hub.
///
/// ```
/// use serde_json::json;
/// use singlet_web::live::{Live, Push, Topic, TopicState};
///
/// # singlet::block_on(async {
/// let live = Live::new(async |_: Topic| Ok(Some(TopicState::numbered(4, "state", &json!({})))));
/// let mut watcher = live.subscribe(Topic::new("game", "ABC123"), None).await?;
/// live.publish(Push::numbered(Topic::new("game", "ABC123"), 5, "moved", &json!({"to": 12})));
/// assert_eq!(watcher.next().await.unwrap().number(), Some(4));
/// assert_eq!(watcher.next().await.unwrap().name(), "moved");
/// # Ok::<(), singlet_web::problem::Problem>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Live {
    hub: Hub,
    state: Arc<StateLoader>,
    followers: Arc<Vec<Arc<Follower>>>,
    is_running: Arc<AtomicBool>,
    /// Set once the log warns that there are subscribers but nothing is followed.
    is_idle_logged: Arc<AtomicBool>,
}

/// A change to one item of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemChange<I> {
    /// The item before the change.
    pub old: Option<I>,
    /// The item after the change.
    pub new: Option<I>,
    /// Whether it was deleted because it expired.
    pub is_expiry: bool,
}

/// Counters of a [`Live`], for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveFigures {
    /// Topics with at least one subscriber.
    pub topics: usize,
    /// Current subscribers.
    pub subscribers: usize,
    /// Pushes and states published to topics with subscribers.
    pub pushes: u64,
    /// Events queued for subscribers.
    pub deliveries: u64,
    /// Subscribers dropped because they disconnected or fell behind.
    pub dropped: u64,
}

impl Live {
    /// `state` reads a topic for new subscribers and after a gap. It returns `None`, or a problem
    /// with status 404, if the topic does not exist.
    #[must_use]
    pub fn new<F>(state: impl Fn(Topic) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Option<TopicState>, Problem>> + Send + 'static,
    {
        Self {
            hub: Hub::new(),
            state: Arc::new(move |topic| Box::pin(state(topic))),
            followers: Arc::default(),
            is_running: Arc::default(),
            is_idle_logged: Arc::default(),
        }
    }

    /// For topics whose pages read the state over HTTP: a subscriber gets this event, with
    /// `{"type": event}` as data, when it connects and after a gap.
    #[must_use]
    pub fn signals(event: &'static str) -> Self {
        let state = TopicState::signal(event);
        Self::new(move |_| std::future::ready(Ok(Some(state.clone()))))
    }

    /// Follows the changes of a table once [`Live::run`] runs. Pushes of a topic keep feed order.
    #[must_use]
    pub fn follow<D, T>(
        mut self,
        db: &Db<D>,
        pushes: impl Fn(&ItemChange<T::Item>) -> Vec<Push> + Send + Sync + 'static,
    ) -> Self
    where
        D: Declaration + Contains<T>,
        T: Table,
    {
        let (db, pushes) = (db.clone(), Arc::new(pushes));
        Arc::make_mut(&mut self.followers).push(Arc::new(move |live| {
            let (db, pushes) = (db.clone(), Arc::clone(&pushes));
            Box::pin(async move { live.follow_table::<D, T>(&db, &*pushes).await })
        }));
        self
    }

    /// Publishes to subscribers in this process only. A numbered push after a gap triggers a state
    /// push instead, asynchronously.
    pub fn publish(&self, push: Push) {
        let behind_gap = self.publish_all(vec![push]);
        if behind_gap.is_empty() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let live = self.clone();
        runtime.spawn(async move {
            for (topic, number) in behind_gap {
                live.send_state(&topic, Some(number)).await;
            }
        });
    }

    /// Subscribes: first the state, or the events missed since `last`, then every push.
    ///
    /// # Errors
    ///
    /// [`NOT_FOUND`] if the topic does not exist, [`INTERNAL`] if the state function panics, and
    /// any problem that function returns.
    pub async fn subscribe(
        &self,
        topic: Topic,
        last: impl Into<Option<u64>>,
    ) -> Result<Subscription, Problem> {
        if !topic.is_valid() {
            return Err(Problem::new(&NOT_FOUND));
        }
        self.log_if_idle();
        // Subscribe before reading the state: changes in between are queued and deduplicated.
        let mut subscriber = self.hub.subscribe(Arc::clone(topic.name()), last.into());
        if subscriber.is_resumed() {
            return Ok(Subscription::new(None, subscriber));
        }
        for _ in 0..STATE_READS_MAX {
            let state = self.read_state(&topic).await?;
            let state = state.ok_or_else(|| Problem::new(&NOT_FOUND))?;
            if state.number.is_none_or(|number| subscriber.begin_after(number)) {
                return Ok(Subscription::new(Some(Event::state(state)), subscriber));
            }
            sleep(STATE_PAUSE).await;
        }
        tracing::warn!(%topic, "the state is older than what was pushed");
        Err(Problem::new(&UNAVAILABLE).safe_to_retry())
    }

    /// Publishes the changes of all followed tables until their stores close. The server runs this
    /// for every system that registers its `Live`.
    pub async fn run(&self) {
        if self.is_running.swap(true, Ordering::SeqCst) {
            tracing::error!("the changes are followed already");
            return;
        }
        let _running = Running(&self.is_running);
        join_all(self.followers.iter().map(|follower| follower(self.clone()))).await;
    }

    /// Current counters.
    #[must_use]
    pub fn figures(&self) -> LiveFigures {
        let (topics, subscribers) = self.hub.size();
        let counters = self.hub.counters();
        LiveFigures {
            topics,
            subscribers,
            pushes: counters.pushes.load(Ordering::Relaxed),
            deliveries: counters.deliveries.load(Ordering::Relaxed),
            dropped: counters.too_slow.load(Ordering::Relaxed),
        }
    }

    async fn follow_table<D, T>(
        &self,
        db: &Db<D>,
        pushes: &(impl Fn(&ItemChange<T::Item>) -> Vec<Push> + Sync),
    ) where
        D: Declaration + Contains<T>,
        T: Table,
    {
        loop {
            match self.follow_feed::<D, T>(db, pushes).await {
                Ok(()) => return,
                Err(error) => tracing::error!(%error, "the changes cannot be followed"),
            }
            sleep(FOLLOW_PAUSE).await;
        }
    }

    async fn follow_feed<D, T>(
        &self,
        db: &Db<D>,
        pushes: &(impl Fn(&ItemChange<T::Item>) -> Vec<Push> + Sync),
    ) -> Result<(), singlet::Error>
    where
        D: Declaration + Contains<T>,
        T: Table,
    {
        let mut changes = db.changes_of::<T>().await?;
        // Covers changes made before the feed opened.
        self.send_all_states().await;
        loop {
            let change = match changes.next().await {
                Some(Ok(Change::Item { old, new, is_expiry })) => {
                    ItemChange { old, new, is_expiry }
                }
                Some(Ok(Change::FellBehind { missed })) => {
                    tracing::warn!(missed, "changes were lost: sending the state of all topics");
                    self.send_all_states().await;
                    continue;
                }
                None => return Ok(()),
                // Skip a corrupt item instead of stopping the feed.
                Some(Err(error @ singlet::Error::Corrupt(_))) => {
                    tracing::error!(%error, "a change cannot be read");
                    continue;
                }
                Some(Err(error)) => return Err(error),
            };
            // A panic must not stop the other pushes.
            match catch_unwind(AssertUnwindSafe(|| pushes(&change))) {
                Ok(pushes) => {
                    for (topic, number) in self.publish_all(pushes) {
                        self.send_state(&topic, Some(number)).await;
                    }
                }
                Err(_) => {
                    tracing::error!("the pushes of a change panicked");
                    self.send_all_states().await;
                }
            }
        }
    }

    /// Publishes the pushes of one change. Returns topics with a gap, and the number their state
    /// must have reached.
    fn publish_all(&self, pushes: Vec<Push>) -> Vec<(Topic, u64)> {
        let mut behind_gap = Vec::new();
        let mut pushes = pushes.into_iter().peekable();
        while let Some(Push { topic, content }) = pushes.next() {
            if !topic.is_valid() {
                tracing::error!(%topic, "a push is for a topic that cannot be: its name has blanks or is too long");
                continue;
            }
            match content {
                Content::End => self.hub.end(topic.as_str(), CloseReason::TopicEnded),
                Content::Event { number: None, event, data } => {
                    let event = Event::push(None, event, data, false);
                    self.hub.publish_unnumbered(topic.as_str(), &event);
                }
                Content::Event { number: Some(number), event, data } => {
                    let mut events = vec![(event, data)];
                    while let Some(next) = pushes.next_if(|next| next.is_of(&topic, number)) {
                        if let Content::Event { event, data, .. } = next.content {
                            events.push((event, data));
                        }
                    }
                    let last = events.len() - 1;
                    let events = events.into_iter().enumerate().map(|(index, (event, data))| {
                        Event::push(Some(number), event, data, index == last)
                    });
                    let events = events.collect::<Vec<_>>();
                    match self.hub.publish_change(topic.as_str(), number, events) {
                        Published::Gap => behind_gap.push((topic, number)),
                        Published::Delivered(_) | Published::Duplicate => {}
                    }
                }
            }
        }
        behind_gap
    }

    async fn send_all_states(&self) {
        // Changes were lost, so buffered events cannot be resumed.
        self.hub.forget_unwatched();
        let topics = stream::iter(self.hub.topics());
        topics
            .for_each_concurrent(STATES_AT_ONCE_MAX, |name| async move {
                self.send_state(&Topic::named(name), None).await;
            })
            .await;
    }

    /// Sends a topic's state, at `number` or later if given, to its subscribers.
    async fn send_state(&self, topic: &Topic, number: Option<u64>) {
        let why = match timeout(STATE_TIME_MAX, self.try_send_state(topic, number)).await {
            Ok(None) => return,
            Ok(Some(why)) => why,
            Err(_) => {
                tracing::error!(%topic, "the state of a topic took too long to read");
                CloseReason::Failed
            }
        };
        // Subscribers reconnect after a failure and get the state then.
        self.hub.end(topic.as_str(), why);
    }

    /// Reads a topic's state. A panic fails only this topic.
    async fn read_state(&self, topic: &Topic) -> Result<Option<TopicState>, Problem> {
        // The state function may panic before it returns its future.
        let state = AssertUnwindSafe(async { (self.state)(topic.clone()).await });
        state.catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(%topic, "the state function of a topic panicked");
            Err(Problem::new(&INTERNAL))
        })
    }

    /// Logs once that there are subscribers but no running feed.
    fn log_if_idle(&self) {
        let is_idle = !self.followers.is_empty() && !self.is_running.load(Ordering::SeqCst);
        if is_idle && !self.is_idle_logged.swap(true, Ordering::SeqCst) {
            tracing::error!(
                "a client subscribes, but the tables are not followed: hand the Live to the server \
                 with Opened::live, or call Live::run"
            );
        }
    }

    /// Returns the reason to end the topic, if any.
    async fn try_send_state(&self, topic: &Topic, wanted: Option<u64>) -> Option<CloseReason> {
        for _ in 0..STATE_READS_MAX {
            let state = match self.read_state(topic).await {
                Ok(Some(state)) => state,
                Ok(None) => return Some(CloseReason::TopicEnded),
                Err(problem) if problem.problem_type().status == 404 => {
                    return Some(CloseReason::TopicEnded);
                }
                Err(problem) => {
                    tracing::error!(%problem, %topic, "the state of a topic cannot be read");
                    return Some(CloseReason::Failed);
                }
            };
            let is_stale = state.number.is_some() && state.number < wanted;
            if !is_stale
                && self.hub.publish_state(topic.as_str(), &Event::state(state)) == Reset::Done
            {
                return None;
            }
            sleep(STATE_PAUSE).await;
        }
        tracing::warn!(%topic, "the state is older than what was pushed");
        Some(CloseReason::Failed)
    }
}

impl Push {
    /// Whether this push belongs to the given change of the given topic.
    fn is_of(&self, other: &Topic, same: u64) -> bool {
        self.topic == *other
            && matches!(self.content, Content::Event { number: Some(number), .. } if number == same)
    }
}

impl From<LastEventId> for Option<u64> {
    fn from(LastEventId(last): LastEventId) -> Self {
        last
    }
}

/// Marks a [`Live`] as not running when it is dropped.
struct Running<'a>(&'a AtomicBool);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
