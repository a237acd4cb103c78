//! Positions in a table's stream on the engine, and resuming from one.
//!
//! The in-process feed starts at the current end and is lost when the process exits. A stream keeps
//! records for a day. Both use the same sequence numbers, so a position taken from one can be
//! resumed by the other.

use super::{Embedded, backend_error};
use crate::backend::{Backend, BackendError, BoxFuture, Feed, FeedEvent};
use crate::operation::stored;
use singlet_dynamo::ErrorKind;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::operation::{
    Answer, DescribeStream, DescribeTable, GetRecords, GetShardIterator, ShardIteratorType,
};
use singlet_dynamo::stream::{SequenceNumber, ShardIterator, StreamRecord};
use singlet_dynamo::table::StreamViewType;
use singlet_engine::feed::Subscription;
use std::collections::VecDeque;

/// Prefix of every position: its format version.
const FORM: &str = "e1";
/// Records per read.
const RECORDS_MAX: usize = 1000;

/// A position in a table's stream.
#[derive(Clone, Debug)]
pub(super) struct StreamPlace {
    pub(super) arn: StreamArn,
    /// The number of the next record.
    pub(super) next: SequenceNumber,
}

impl StreamPlace {
    pub(super) fn to_text(&self) -> String {
        format!("{FORM};{};{}", self.arn.as_str(), self.next.get())
    }

    fn parse(text: &str) -> Option<Self> {
        let (arn, next) = text.strip_prefix(FORM)?.strip_prefix(';')?.rsplit_once(';')?;
        Some(Self { arn: StreamArn::parse(arn).ok()?, next: SequenceNumber::parse(next)? })
    }
}

impl Embedded {
    /// The end of a table's stream; `None` without a stream that has both images.
    pub(super) fn end_of_stream(
        &self,
        table_name: &str,
    ) -> Result<Option<StreamPlace>, BackendError> {
        let Some(arn) = self.stream_of(table_name)? else { return Ok(None) };
        let iterator = self.iterator(&arn, ShardIteratorType::Latest)?;
        Ok(Some(StreamPlace { arn, next: iterator.next }))
    }

    /// The ARN of a table's stream, if it has both images.
    fn stream_of(&self, table_name: &str) -> Result<Option<StreamArn>, BackendError> {
        let request = DescribeTable { table_name: table_name.to_owned() };
        let table = self.engine.describe_table(&request).map_err(backend_error)?.table;
        if table.stream != Some(StreamViewType::NewAndOldImages) {
            return Ok(None);
        }
        table.latest_stream_arn().map(StreamArn::parse).transpose().map_err(BackendError::Refused)
    }

    /// An iterator on the only shard of a stream.
    fn iterator(
        &self,
        arn: &StreamArn,
        place: ShardIteratorType,
    ) -> Result<ShardIterator, BackendError> {
        let request = DescribeStream {
            stream_arn: arn.clone(),
            exclusive_start_shard_id: None,
            children_of: None,
            limit: None,
        };
        let described = self.engine.describe_stream(&request).map_err(backend_error)?;
        let shard = described.stream.shards.into_iter().next();
        let shard_id = shard.map(|shard| shard.id).unwrap_or_default();
        let request = GetShardIterator { stream_arn: arn.clone(), shard_id, place };
        Ok(self.engine.get_shard_iterator(&request).map_err(backend_error)?.shard_iterator)
    }

    /// All changes of a table after a position.
    pub(super) fn read_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> Result<StreamFeed, BackendError> {
        let place = StreamPlace::parse(position).ok_or(BackendError::Position)?;
        let table = || table_name.to_owned();
        let arn =
            self.stream_of(table_name)?.ok_or_else(|| BackendError::NoStream { table: table() })?;
        if arn.table_name() != place.arn.table_name() {
            return Err(BackendError::Position);
        }
        if arn != place.arn {
            return Err(BackendError::PositionExpired { table: table() });
        }
        // Subscribe before reading, so that a commit after the read wakes the reader.
        let subscription = self.engine.subscribe(Some(table_name));
        match self.iterator(&arn, ShardIteratorType::AtSequenceNumber(place.next)) {
            Ok(_) => {}
            Err(BackendError::Refused(refused))
                if refused.kind() == ErrorKind::TrimmedDataAccess =>
            {
                return Err(BackendError::PositionExpired { table: table() });
            }
            Err(other) => return Err(other),
        }
        Ok(StreamFeed { embedded: self.clone(), subscription, place, ready: VecDeque::new() })
    }
}

/// Reads a table's stream, and waits at its end.
pub(super) struct StreamFeed {
    embedded: Embedded,
    /// Wakes when there is more to read.
    subscription: Subscription,
    /// The position after the last returned record.
    place: StreamPlace,
    /// Records that were read but not returned yet.
    ready: VecDeque<StreamRecord>,
}

/// Outcome of a read.
enum Read {
    Records,
    /// Nothing yet.
    Nothing,
    /// No records, and none will come: the stream was disabled.
    Over,
}

impl StreamFeed {
    async fn next_event(&mut self) -> Option<Result<FeedEvent, BackendError>> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                self.place.next = record.sequence_number.next();
                return Some(Ok(FeedEvent::Change {
                    old: record.old_image.map(stored),
                    new: record.new_image.map(stored),
                    is_expiry: record.is_expiry,
                }));
            }
            match self.read().await {
                Ok(Read::Records) => {}
                Ok(Read::Over) => return None,
                // Cancel-safe: the next call reads the stream again before it waits.
                Ok(Read::Nothing) => {
                    self.subscription.next().await?;
                    while self.subscription.try_next().is_some() {}
                }
                Err(BackendError::Refused(refused))
                    if refused.kind() == ErrorKind::TrimmedDataAccess =>
                {
                    return Some(self.skip_trimmed());
                }
                // The stream was deleted with its table.
                Err(BackendError::Refused(refused))
                    if refused.kind() == ErrorKind::ResourceNotFound =>
                {
                    return None;
                }
                Err(other) => return Some(Err(other)),
            }
        }
    }

    /// Reads the next records into `ready`.
    async fn read(&mut self) -> Result<Read, BackendError> {
        let place = ShardIteratorType::AtSequenceNumber(self.place.next);
        let shard_iterator = self.embedded.iterator(&self.place.arn, place)?;
        let request = GetRecords { shard_iterator, limit: RECORDS_MAX };
        let Answer::GetRecords(answer) = self.embedded.execute(request.into()).await? else {
            return Err(BackendError::unexpected());
        };
        self.ready.extend(answer.records);
        Ok(match (self.ready.is_empty(), answer.next_shard_iterator) {
            (false, _) => Read::Records,
            (true, Some(_)) => Read::Nothing,
            (true, None) => Read::Over,
        })
    }

    /// Skips to the oldest record after the next ones were trimmed.
    fn skip_trimmed(&mut self) -> Result<FeedEvent, BackendError> {
        let oldest = self.embedded.iterator(&self.place.arn, ShardIteratorType::TrimHorizon)?;
        self.place.next = oldest.next;
        Ok(FeedEvent::FellBehind { missed: None })
    }
}

impl Feed for StreamFeed {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<FeedEvent, BackendError>>> {
        Box::pin(self.next_event())
    }

    fn position(&self) -> Result<String, BackendError> {
        Ok(self.place.to_text())
    }
}
