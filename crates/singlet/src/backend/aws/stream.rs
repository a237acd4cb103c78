//! The change feed of a table on AWS, read from its DynamoDB stream.
//!
//! A stream consists of shards. Each holds the changes of some items, in order. It ends after a few
//! hours or when it splits, and its children continue from there. A child is read only after its
//! parent has been read to the end, so the changes of an item stay in order.
//!
//! Every reader tracks its own position, so several processes each get all changes.

mod position;
mod request;
mod shard;

use super::client::Client;
use crate::backend::{BackendError, BoxFuture, Feed, FeedEvent};
use futures_util::future::join_all;
use position::Position;
use request::{Described, describe_stream, stream_of};
use shard::{Place, Shard, Step};
use singlet_dynamo::ErrorKind;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::{Instant, sleep_until};

/// The interval between looks for new shards, unless one has just ended.
const LOOK_PAUSE: Duration = Duration::from_secs(5);
/// How many shards are read concurrently. It bounds memory: a shard returns up to 1 MB per read,
/// and is not read again until that is consumed.
const READS_MAX: usize = 16;

pub(super) struct StreamFeed {
    client: Client,
    stream_arn: String,
    shards: Vec<Shard>,
    /// Shards whose parent is still being read.
    waiting: Vec<Described>,
    /// All shards currently in the stream, with their parents.
    known: HashMap<String, Option<String>>,
    /// The consumed position per shard. Reads may be ahead of it.
    given: BTreeMap<String, Place>,
    /// Steps that were read and not consumed yet, with their shard.
    ready: VecDeque<(String, Step)>,
    next_look: Instant,
    /// Whether the stream is closed and will get no new shards.
    is_closed: bool,
}

impl StreamFeed {
    /// All changes of a table after a position; without one, from now on.
    pub(super) async fn open(
        dynamodb: &Client,
        client: Client,
        table_name: String,
        position: Option<&str>,
    ) -> Result<Self, BackendError> {
        let position = match position {
            Some(text) => Some(Position::parse(text).ok_or(BackendError::Position)?),
            None => None,
        };
        let stream_arn = stream_of(dynamodb, &table_name).await?;
        let mut feed = Self {
            client,
            stream_arn,
            shards: Vec::new(),
            waiting: Vec::new(),
            known: HashMap::new(),
            given: BTreeMap::new(),
            ready: VecDeque::new(),
            next_look: Instant::now() + LOOK_PAUSE,
            is_closed: false,
        };
        match position {
            None => feed.begin().await?,
            Some(position) => feed.resume(position, table_name).await?,
        }
        Ok(feed)
    }

    /// Starts at the end of every open shard.
    async fn begin(&mut self) -> Result<(), BackendError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        for described in self.describe_all().await? {
            if described.is_open {
                self.start(described.id, Place::Latest(now)).await?;
            } else {
                self.given.insert(described.id, Place::End);
            }
        }
        Ok(())
    }

    /// Resumes from a position.
    async fn resume(&mut self, position: Position, table: String) -> Result<(), BackendError> {
        let table_of = |arn: &str| arn.split_once("/stream/").map(|(table, _)| table.to_owned());
        if table_of(&position.stream_arn) != table_of(&self.stream_arn) {
            return Err(BackendError::Position);
        }
        let expired = || BackendError::PositionExpired { table: table.clone() };
        if position.stream_arn != self.stream_arn {
            return Err(expired());
        }
        let described = self.describe_all().await?;
        let is_end = |id: &str| position.shards.get(id) == Some(&Place::End);
        // An unfinished shard that is missing from the stream was trimmed, so changes may be lost.
        if position.shards.keys().any(|id| !is_end(id) && !self.known.contains_key(id)) {
            return Err(expired());
        }
        let read = self.ancestors(position.shards.keys());
        for described in described {
            let id = described.id.clone();
            let parent = described.parent_id.as_deref();
            let is_after_another = parent
                .is_some_and(|parent| position.shards.contains_key(parent) && !is_end(parent));
            match position.shards.get(&id) {
                Some(Place::End) => {
                    self.given.insert(id, Place::End);
                }
                Some(_) if is_after_another => self.waiting.push(described),
                Some(place) => match self.start(id, place.clone()).await {
                    Err(BackendError::Refused(refused))
                        if refused.kind() == ErrorKind::TrimmedDataAccess =>
                    {
                        return Err(expired());
                    }
                    started => started?,
                },
                None if read.contains(&id) => {}
                None => self.waiting.push(described),
            }
        }
        Ok(())
    }

    /// The ancestors of these shards, which were read before them.
    fn ancestors<'i>(&self, ids: impl Iterator<Item = &'i String>) -> HashSet<String> {
        let mut ancestors = HashSet::new();
        for id in ids {
            let mut parent = self.known.get(id).and_then(Option::as_ref);
            // Stop at an ancestor that was already added.
            while let Some(id) = parent.filter(|id| ancestors.insert((*id).clone())) {
                parent = self.known.get(id).and_then(Option::as_ref);
            }
        }
        ancestors
    }

    /// Starts reading a shard. Requests the iterator now rather than at the first read.
    async fn start(&mut self, id: String, place: Place) -> Result<(), BackendError> {
        let mut shard = Shard::new(id.clone(), place.clone());
        shard.take_place(&self.client, &self.stream_arn).await?;
        self.shards.push(shard);
        self.given.insert(id, place);
        Ok(())
    }

    async fn next_event(&mut self) -> Option<Result<FeedEvent, BackendError>> {
        loop {
            self.gather();
            while let Some((id, step)) = self.ready.pop_front() {
                if let Some(place) = step.place {
                    self.given.insert(id, place);
                }
                if step.event.is_some() {
                    return step.event;
                }
            }
            if self.shards.is_empty() && self.waiting.is_empty() && self.is_closed {
                return None;
            }
            if let Err(error) = self.advance().await {
                return Some(Err(error));
            }
        }
    }

    /// Collects the records that were read, and drops shards that have ended.
    ///
    /// Until then they stay in the shard, so nothing is lost if the caller's future is dropped.
    fn gather(&mut self) {
        for shard in &mut self.shards {
            self.ready.extend(shard.read.drain(..).map(|step| (shard.id.clone(), step)));
        }
        let before = self.shards.len();
        self.shards.retain(|shard| !shard.has_ended);
        if self.shards.len() < before {
            // Its children exist or will in a moment.
            self.next_look = Instant::now();
        }
        if self.waiting.is_empty() {
            return;
        }
        let being_read = self.shards.iter().map(|shard| shard.id.clone());
        let to_be_read = self.waiting.iter().map(|shard| shard.id.clone());
        let unread: HashSet<String> = being_read.chain(to_be_read).collect();
        let has_to_wait = |shard: &Described| {
            shard.parent_id.as_ref().is_some_and(|parent| unread.contains(parent))
        };
        let (waiting, free): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(has_to_wait);
        self.waiting = waiting;
        for Described { id, .. } in free {
            self.given.insert(id.clone(), Place::Beginning);
            self.shards.push(Shard::new(id, Place::Beginning));
        }
    }

    /// The position after the last consumed event.
    fn position(&self) -> Position {
        let begun = |id: &str| {
            let is_child = |child: &String| {
                self.known.get(child).and_then(Option::as_deref).is_some_and(|own| own == id)
            };
            self.given.keys().any(is_child)
        };
        // Omit finished shards that have a started child.
        let shards = self.given.iter().filter(|(id, place)| **place != Place::End || !begun(id));
        let shards = shards.map(|(id, place)| (id.clone(), place.clone())).collect();
        Position { stream_arn: self.stream_arn.clone(), shards }
    }

    /// Reads the shards that are due, or waits until one is.
    async fn advance(&mut self) -> Result<(), BackendError> {
        if self.next_look <= Instant::now() {
            return self.look().await;
        }
        self.shards.sort_by_key(|shard| shard.next_read);
        let next = self.shards.first().map_or(self.next_look, |shard| shard.next_read);
        sleep_until(next.min(self.next_look)).await;
        let now = Instant::now();
        let due = self.shards.iter_mut().take_while(|shard| shard.next_read <= now);
        let reads = due.take(READS_MAX).map(|shard| shard.read(&self.client, &self.stream_arn));
        join_all(reads).await;
        Ok(())
    }

    /// Looks for new shards. They were created since the last look, so they are read from the
    /// start.
    async fn look(&mut self) -> Result<(), BackendError> {
        // Even on failure, so that it is not retried at once.
        self.next_look = Instant::now() + LOOK_PAUSE;
        let before: HashSet<String> = self.known.keys().cloned().collect();
        let shards = match self.describe_all().await {
            Ok(described) => described,
            // The stream was deleted with its table, or expired after it was closed.
            Err(BackendError::Refused(refused))
                if refused.kind() == ErrorKind::ResourceNotFound =>
            {
                self.is_closed = true;
                Vec::new()
            }
            Err(other) => return Err(other),
        };
        self.waiting.extend(shards.into_iter().filter(|shard| !before.contains(&shard.id)));
        // A position does not need finished shards that were trimmed.
        let known = &self.known;
        self.given.retain(|id, place| *place != Place::End || known.contains_key(id));
        Ok(())
    }

    /// Lists all shards, and updates `known`.
    async fn describe_all(&mut self) -> Result<Vec<Described>, BackendError> {
        let mut shards = Vec::new();
        let mut start = None;
        loop {
            let page = describe_stream(&self.client, &self.stream_arn, start.as_deref()).await?;
            shards.extend(page.shards);
            start = page.last_shard_id;
            if start.is_none() {
                self.is_closed = page.is_disabled;
                break;
            }
        }
        let with_parent = |shard: &Described| (shard.id.clone(), shard.parent_id.clone());
        self.known = shards.iter().map(with_parent).collect();
        Ok(shards)
    }
}

impl Feed for StreamFeed {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<FeedEvent, BackendError>>> {
        Box::pin(self.next_event())
    }

    fn position(&self) -> Result<String, BackendError> {
        Ok(self.position().to_text())
    }
}
