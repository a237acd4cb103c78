//! The changes of a table, read from its stream.
//!
//! A stream is made of shards. Each holds the changes of some of the items, in their order, and
//! ends after a few hours, or when its items are divided up; its children go on where it ended. So
//! that nobody sees a change before an earlier one of the same item, children are read once their
//! parent is read to its end.
//!
//! Every reader has a place of its own in the stream, which is why several processes all get
//! everything.

mod shard;

use super::error::{backend_error, failed};
use crate::backend::{BackendError, Feed, FeedEvent, Waiting};
use aws_sdk_dynamodb as dynamodb;
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::types::{Shard as Described, StreamStatus};
use futures_util::future::join_all;
use shard::{Place, Shard};
use singlet_dynamo::ErrorKind;
use std::collections::{HashSet, VecDeque};
use std::time::Duration;
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
    /// The shards that were seen already, of those that there still are.
    known: HashSet<String>,
    /// What was read and not asked for yet.
    ready: VecDeque<Result<FeedEvent, BackendError>>,
    next_look: Instant,
    /// Whether the stream was closed, so that no more shards can come.
    is_closed: bool,
}

/// Every change of a table from now on.
pub(super) async fn changes(
    dynamodb: &dynamodb::Client,
    client: Client,
    table_name: String,
) -> Result<StreamFeed, BackendError> {
    let output =
        dynamodb.describe_table().table_name(&table_name).send().await.map_err(backend_error)?;
    let table = output.table.ok_or_else(|| failed("the answer does not describe the table"))?;
    let stream = table.stream_specification.filter(|stream| stream.stream_enabled);
    let (Some(stream), Some(stream_arn)) = (stream, table.latest_stream_arn) else {
        return Err(failed(format!(
            "the table {table_name} has no stream: declare it with `stream` and provision it"
        )));
    };
    if stream.stream_view_type != Some(dynamodb::types::StreamViewType::NewAndOldImages) {
        return Err(failed(format!(
            "the stream of the table {table_name} does not have both images of its items"
        )));
    }
    let mut feed = StreamFeed {
        client,
        stream_arn,
        shards: Vec::new(),
        waiting: Vec::new(),
        known: HashSet::new(),
        ready: VecDeque::new(),
        next_look: Instant::now() + LOOK_PAUSE,
        is_closed: false,
    };
    feed.begin().await?;
    Ok(feed)
}

impl StreamFeed {
    /// Takes a place at the end of every shard that is still being written to.
    async fn begin(&mut self) -> Result<(), BackendError> {
        let (shards, is_closed) = self.describe().await?;
        self.is_closed = is_closed;
        for described in shards {
            let Some(id) = described.shard_id.clone() else { continue };
            self.known.insert(id.clone());
            if is_open(&described) {
                let mut shard = Shard::new(id, Place::Latest);
                // The place must be taken now, and not when the first change is asked for.
                shard.take_place(&self.client, &self.stream_arn).await?;
                self.shards.push(shard);
            }
        }
        Ok(())
    }

    async fn next_event(&mut self) -> Option<Result<FeedEvent, BackendError>> {
        loop {
            self.gather();
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
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
            self.ready.extend(shard.read.drain(..));
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
        let to_be_read = self.waiting.iter().filter_map(|shard| shard.shard_id.clone());
        let unread: HashSet<String> = being_read.chain(to_be_read).collect();
        let has_to_wait = |shard: &Described| {
            shard.parent_shard_id.as_ref().is_some_and(|parent| unread.contains(parent))
        };
        let (waiting, free): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(has_to_wait);
        self.waiting = waiting;
        let begun = free.into_iter().filter_map(|shard| shard.shard_id);
        self.shards.extend(begun.map(|id| Shard::new(id, Place::Beginning)));
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
        let (shards, is_closed) = match self.describe().await {
            Ok(described) => described,
            // It was deleted with its table, or long after it was closed.
            Err(BackendError::Refused(refused))
                if refused.kind() == ErrorKind::ResourceNotFound =>
            {
                (Vec::new(), true)
            }
            Err(other) => return Err(other),
        };
        self.is_closed = is_closed;
        let ids: HashSet<String> =
            shards.iter().filter_map(|shard| shard.shard_id.clone()).collect();
        let is_new =
            |shard: &Described| shard.shard_id.as_ref().is_some_and(|id| !self.known.contains(id));
        self.waiting.extend(shards.into_iter().filter(is_new));
        self.known = ids;
        Ok(())
    }

    /// All shards of the stream, and whether no more can come.
    async fn describe(&self) -> Result<(Vec<Described>, bool), BackendError> {
        let mut shards = Vec::new();
        let mut start = None;
        loop {
            let output = self
                .client
                .describe_stream()
                .stream_arn(&self.stream_arn)
                .set_exclusive_start_shard_id(start)
                .send()
                .await
                .map_err(backend_error)?;
            let stream = output
                .stream_description
                .ok_or_else(|| failed("the answer does not describe the stream"))?;
            shards.extend(stream.shards.unwrap_or_default());
            start = stream.last_evaluated_shard_id;
            if start.is_none() {
                return Ok((shards, stream.stream_status == Some(StreamStatus::Disabled)));
            }
        }
    }
}

impl Feed for StreamFeed {
    fn next(&mut self) -> Waiting<'_, Option<Result<FeedEvent, BackendError>>> {
        Box::pin(self.next_event())
    }
}

/// Whether a shard is still being written to.
fn is_open(shard: &Described) -> bool {
    shard.sequence_number_range.as_ref().is_none_or(|range| range.ending_sequence_number.is_none())
}
