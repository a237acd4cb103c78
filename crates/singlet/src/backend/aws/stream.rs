//! The changes of a table, read from its stream.
//!
//! A stream is made of shards. Each holds the changes of some of the items, in their order, and
//! ends after a few hours, or when its items are divided up; its children go on where it ended. So
//! that nobody sees a change before an earlier one of the same item, children are read once their
//! parent is read to its end.
//!
//! Every reader has a place of its own in the stream, which is why several processes all get
//! everything.

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

/// How long between two looks for new shards, unless one has just ended.
const LOOK_PAUSE: Duration = Duration::from_secs(5);
/// How many shards are read at once, and so how much is held in memory: a shard gives up to a
/// megabyte at a time, and no more is read before all of it was asked for.
const READS_MAX: usize = 16;

/// A place in a table's stream.
pub(super) struct StreamFeed {
    client: Client,
    stream_arn: String,
    /// The shards that are being read.
    shards: Vec<Shard>,
    /// Shards that are read once their parent is.
    waiting: Vec<Described>,
    /// The shards that were seen already, of those that there still are, with their parents.
    known: HashMap<String, Option<String>>,
    /// How far shards were given to whoever asks. What was read of them may be ahead of it.
    given: BTreeMap<String, Place>,
    /// What was read and not asked for yet, with the shard that it was read in.
    ready: VecDeque<(String, Step)>,
    next_look: Instant,
    /// Whether the stream was closed, so that no more shards can come.
    is_closed: bool,
}

impl StreamFeed {
    /// Every change of a table from a position on; without one, from now on.
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

    /// Takes a place at the end of every shard that is still being written to.
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

    /// Goes on from a position.
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
        // A shard is gone when all of its records are, and nobody knows what was in it.
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

    /// The shards that these have come from, which were read before them.
    fn ancestors<'i>(&self, ids: impl Iterator<Item = &'i String>) -> HashSet<String> {
        let mut ancestors = HashSet::new();
        for id in ids {
            let mut parent = self.known.get(id).and_then(Option::as_ref);
            // Those of a shard that was seen before were added then.
            while let Some(id) = parent.filter(|id| ancestors.insert((*id).clone())) {
                parent = self.known.get(id).and_then(Option::as_ref);
            }
        }
        ancestors
    }

    /// Begins to read a shard. The place is taken now, and not when the first change is asked for.
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

    /// Takes over what was read, and lets go of shards that have ended.
    ///
    /// What is read lies with its shard until then, so that nothing is lost if whoever asks for the
    /// next change stops waiting for it.
    fn gather(&mut self) {
        for shard in &mut self.shards {
            self.ready.extend(shard.read.drain(..).map(|step| (shard.id.clone(), step)));
        }
        let before = self.shards.len();
        self.shards.retain(|shard| !shard.has_ended);
        if self.shards.len() < before {
            // Its children are there, or will be in a moment.
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

    /// The position behind the last event that was given.
    fn position(&self) -> Position {
        let begun = |id: &str| {
            let is_child = |child: &String| {
                self.known.get(child).and_then(Option::as_deref).is_some_and(|own| own == id)
            };
            self.given.keys().any(is_child)
        };
        // A shard that was read, and of which a child was begun, need not be named.
        let shards = self.given.iter().filter(|(id, place)| **place != Place::End || !begun(id));
        let shards = shards.map(|(id, place)| (id.clone(), place.clone())).collect();
        Position { stream_arn: self.stream_arn.clone(), shards }
    }

    /// Reads the shards whose turn it is, or waits until one's turn has come.
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

    /// Looks for new shards. Those were made since the last look, so they are read whole.
    async fn look(&mut self) -> Result<(), BackendError> {
        // Even if it fails, so that it is not tried again at once.
        self.next_look = Instant::now() + LOOK_PAUSE;
        let before: HashSet<String> = self.known.keys().cloned().collect();
        let shards = match self.describe_all().await {
            Ok(described) => described,
            // It was deleted with its table, or long after it was closed.
            Err(BackendError::Refused(refused))
                if refused.kind() == ErrorKind::ResourceNotFound =>
            {
                self.is_closed = true;
                Vec::new()
            }
            Err(other) => return Err(other),
        };
        self.waiting.extend(shards.into_iter().filter(|shard| !before.contains(&shard.id)));
        // What is gone from the stream says nothing to anybody who goes on from here.
        let known = &self.known;
        self.given.retain(|id, place| *place != Place::End || known.contains_key(id));
        Ok(())
    }

    /// All shards of the stream, which are known from now on.
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
